// The formats around snappy's blocks: snappy-java's stream, the framing format, Hadoop's blocks.
#include <snappy.h>

#include <boost/crc.hpp>
#include <cstring>

#include "processors/content/codec.h"

namespace weir::processors {
namespace {

constexpr std::size_t block_bytes = 64 * 1024;
// A damaged length must not make the decoder take memory without bound.
constexpr std::size_t most_block_bytes = 64u << 20;
// A content in the raw format is one block, in memory as a whole.
constexpr std::size_t most_raw_bytes = 256u << 20;
// No three bytes of snappy's stand for more than 64.
constexpr std::size_t most_ratio = 22;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void append(std::string& buffer, std::span<const std::byte> in) {
  buffer.append(reinterpret_cast<const char*>(in.data()), in.size());
}

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::uint32_t from_big_endian(std::string_view text) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

std::string compressed(std::string_view block) {
  std::string out;
  snappy::Compress(block.data(), block.size(), &out);
  return out;
}

std::string uncompressed(std::string_view block, std::size_t most_bytes) {
  std::size_t size = 0;
  std::string out;
  if (!snappy::GetUncompressedLength(block.data(), block.size(), &size) || size > most_bytes ||
      !snappy::Uncompress(block.data(), block.size(), &out)) {
    throw CodecError("damaged data: not what snappy writes");
  }
  return out;
}

// Gathers blocks of 64 KiB and hands each to `write_block`.
class BlockCompressor : public Codec {
 public:
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    begin(sink);
    while (!in.empty()) {
      const std::size_t count = std::min(in.size(), block_bytes - block_.size());
      append(block_, in.first(count));
      in = in.subspan(count);
      if (block_.size() == block_bytes) flush(sink);
    }
  }
  void finish(const CodecSink& sink) override {
    begin(sink);
    if (!block_.empty()) flush(sink);
  }

 protected:
  virtual std::string head() const = 0;
  virtual std::string wrap(const std::string& block) const = 0;

 private:
  void begin(const CodecSink& sink) {
    if (begun_) return;
    begun_ = true;
    if (const std::string text = head(); !text.empty()) sink(bytes_of(text));
  }
  void flush(const CodecSink& sink) {
    const std::string text = wrap(block_);
    sink(bytes_of(text));
    block_.clear();
  }
  std::string block_;
  bool begun_ = false;
};

const std::string stream_magic("\x82SNAPPY\0", 8);

class StreamCompressor : public BlockCompressor {
  std::string head() const override { return stream_magic + big_endian(1) + big_endian(1); }
  std::string wrap(const std::string& block) const override {
    const std::string body = compressed(block);
    return big_endian(static_cast<std::uint32_t>(body.size())) + body;
  }
};

class HadoopCompressor : public BlockCompressor {
  std::string head() const override { return {}; }
  std::string wrap(const std::string& block) const override {
    const std::string body = compressed(block);
    return big_endian(static_cast<std::uint32_t>(block.size())) +
           big_endian(static_cast<std::uint32_t>(body.size())) + body;
  }
};

class StreamDecompressor : public Codec {
 public:
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    append(buffer_, in);
    if (!begun_ && buffer_.size() >= 16) {
      begun_ = true;
      is_stream_ = buffer_.starts_with(stream_magic);
      if (is_stream_) buffer_.erase(0, 16);
    }
    if (begun_ && is_stream_) {
      take_blocks(sink);
    } else if (buffer_.size() > most_raw_bytes) {
      throw CodecError("a raw snappy block that is larger than 256 MiB");
    }
  }
  void finish(const CodecSink& sink) override {
    if (begun_ && is_stream_) {
      if (!buffer_.empty()) throw CodecError("the compressed data ends too early");
      return;
    }
    // One raw block: its size is in its head, and bounded by what its bytes can stand for.
    const std::string out =
        uncompressed(buffer_, std::min(most_raw_bytes, (buffer_.size() + 1) * most_ratio));
    if (!out.empty()) sink(bytes_of(out));
  }

 private:
  void take_blocks(const CodecSink& sink) {
    std::size_t at = 0;
    while (buffer_.size() - at >= 4) {
      const std::uint32_t size = from_big_endian(std::string_view(buffer_).substr(at));
      if (size > most_block_bytes) throw CodecError("damaged data: a block of impossible size");
      if (buffer_.size() - at - 4 < size) break;
      const std::string out =
          uncompressed(std::string_view(buffer_).substr(at + 4, size), most_block_bytes);
      sink(bytes_of(out));
      at += 4 + size;
    }
    buffer_.erase(0, at);
  }
  std::string buffer_;
  bool begun_ = false;
  bool is_stream_ = false;
};

using Crc32c = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;

std::uint32_t masked_checksum(std::string_view data) {
  Crc32c crc;
  crc.process_bytes(data.data(), data.size());
  const std::uint32_t value = crc.checksum();
  return ((value >> 15) | (value << 17)) + 0xa282ead8u;
}

std::string little_endian(std::uint32_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

std::uint32_t from_little_endian(std::string_view text, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

constexpr unsigned char chunk_compressed = 0x00;
constexpr unsigned char chunk_plain = 0x01;
constexpr unsigned char chunk_skippable = 0x80;  // from here on
constexpr unsigned char chunk_identifier = 0xff;
const std::string frame_magic("\xff\x06\x00\x00sNaPpY", 10);

class FramedCompressor : public BlockCompressor {
  std::string head() const override { return frame_magic; }
  std::string wrap(const std::string& block) const override {
    const std::string body = compressed(block);
    const bool is_smaller = body.size() < block.size();
    const std::string& stored = is_smaller ? body : block;
    std::string out(1, static_cast<char>(is_smaller ? chunk_compressed : chunk_plain));
    out += little_endian(static_cast<std::uint32_t>(stored.size() + 4), 3);
    out += little_endian(masked_checksum(block), 4);
    return out + stored;
  }
};

class FramedDecompressor : public Codec {
 public:
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    append(buffer_, in);
    std::size_t at = 0;
    while (buffer_.size() - at >= 4) {
      const std::string_view rest = std::string_view(buffer_).substr(at);
      const std::uint32_t size = from_little_endian(rest.substr(1), 3);
      if (rest.size() - 4 < size) break;
      take_chunk(static_cast<unsigned char>(rest[0]), rest.substr(4, size), sink);
      at += 4 + size;
    }
    buffer_.erase(0, at);
  }
  void finish(const CodecSink&) override {
    if (!begun_ || !buffer_.empty()) throw CodecError("the compressed data ends too early");
  }

 private:
  void take_chunk(unsigned char type, std::string_view chunk, const CodecSink& sink) {
    if (!begun_ && type != chunk_identifier) throw CodecError("not a snappy frame");
    if (type == chunk_identifier) {
      if (chunk != std::string_view(frame_magic).substr(4)) throw CodecError("not a snappy frame");
      begun_ = true;
    } else if (type == chunk_compressed || type == chunk_plain) {
      if (chunk.size() < 4) throw CodecError("damaged data: a chunk without checksum");
      const std::string_view body = chunk.substr(4);
      const std::string out =
          type == chunk_compressed ? uncompressed(body, most_block_bytes) : std::string(body);
      if (masked_checksum(out) != from_little_endian(chunk, 4)) {
        throw CodecError("damaged data: wrong checksum");
      }
      if (!out.empty()) sink(bytes_of(out));
    } else if (type < chunk_skippable) {
      throw CodecError("damaged data: a chunk of unknown kind");
    }
  }
  std::string buffer_;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Codec> snappy_compressor() {
  return std::make_unique<StreamCompressor>();
}
std::unique_ptr<Codec> snappy_decompressor() {
  return std::make_unique<StreamDecompressor>();
}
std::unique_ptr<Codec> snappy_framed_compressor() {
  return std::make_unique<FramedCompressor>();
}
std::unique_ptr<Codec> snappy_framed_decompressor() {
  return std::make_unique<FramedDecompressor>();
}
std::unique_ptr<Codec> snappy_hadoop_compressor() {
  return std::make_unique<HadoopCompressor>();
}

}  // namespace weir::processors
