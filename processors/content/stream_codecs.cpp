// gzip, zlib, bzip2, xz and lzma: libraries that work on a pair of buffers.
#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>

#include <array>

#include "processors/content/codec.h"

namespace weir::processors {
namespace {

constexpr std::size_t out_bytes = 64 * 1024;
using OutBuffer = std::array<std::byte, out_bytes>;

void give(const OutBuffer& out, std::size_t left, const CodecSink& sink) {
  if (left < out.size()) sink(std::span(out).first(out.size() - left));
}

class ZlibCompressor : public Codec {
 public:
  ZlibCompressor(int level, int window_bits) {
    if (deflateInit2(&stream_, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw CodecError("zlib cannot be started");
    }
  }
  ~ZlibCompressor() override { deflateEnd(&stream_); }
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    run(in, Z_NO_FLUSH, sink);
  }
  void finish(const CodecSink& sink) override { run({}, Z_FINISH, sink); }

 private:
  void run(std::span<const std::byte> in, int flush, const CodecSink& sink) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    OutBuffer out;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = out.size();
      deflate(&stream_, flush);
      give(out, stream_.avail_out, sink);
    } while (stream_.avail_out == 0);
  }
  z_stream stream_{};
};

class ZlibDecompressor : public Codec {
 public:
  ZlibDecompressor(int window_bits, bool several_members) : several_members_(several_members) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw CodecError("zlib cannot be started");
  }
  ~ZlibDecompressor() override { inflateEnd(&stream_); }
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    OutBuffer out;
    bool more = true;
    while (more || stream_.avail_in > 0) {
      if (at_end_) {
        if (stream_.avail_in == 0) return;
        if (!several_members_) return;  // what follows is not looked at, as in NiFi
        inflateReset(&stream_);
        at_end_ = false;
      }
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = out.size();
      const int result = inflate(&stream_, Z_NO_FLUSH);
      give(out, stream_.avail_out, sink);
      if (result == Z_STREAM_END) {
        at_end_ = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        throw CodecError(fmt::format("damaged data: {}", stream_.msg ? stream_.msg : "zlib error"));
      }
      more = stream_.avail_out == 0;
    }
  }
  void finish(const CodecSink&) override {
    if (!at_end_) throw CodecError("the compressed data ends too early");
  }

 private:
  z_stream stream_{};
  bool several_members_;
  bool at_end_ = false;
};

class Bzip2Compressor : public Codec {
 public:
  Bzip2Compressor() {
    if (BZ2_bzCompressInit(&stream_, 9, 0, 0) != BZ_OK) throw CodecError("bzip2 cannot be started");
  }
  ~Bzip2Compressor() override { BZ2_bzCompressEnd(&stream_); }
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    stream_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<unsigned>(in.size());
    while (stream_.avail_in > 0) step(BZ_RUN, sink);
  }
  void finish(const CodecSink& sink) override {
    while (step(BZ_FINISH, sink) != BZ_STREAM_END) {
    }
  }

 private:
  int step(int action, const CodecSink& sink) {
    OutBuffer out;
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = out.size();
    const int result = BZ2_bzCompress(&stream_, action);
    if (result < 0) throw CodecError("bzip2 failed to compress");
    give(out, stream_.avail_out, sink);
    return result;
  }
  bz_stream stream_{};
};

class Bzip2Decompressor : public Codec {
 public:
  ~Bzip2Decompressor() override { BZ2_bzDecompressEnd(&stream_); }
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    stream_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<unsigned>(in.size());
    OutBuffer out;
    bool more = true;
    while (more || stream_.avail_in > 0) {
      if (!is_open_) {
        if (stream_.avail_in == 0) return;
        if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) {
          throw CodecError("bzip2 cannot be started");
        }
        is_open_ = true;
      }
      stream_.next_out = reinterpret_cast<char*>(out.data());
      stream_.avail_out = out.size();
      const int result = BZ2_bzDecompress(&stream_);
      give(out, stream_.avail_out, sink);
      more = stream_.avail_out == 0;
      if (result == BZ_STREAM_END) {
        BZ2_bzDecompressEnd(&stream_);
        is_open_ = false;
        saw_any_ = true;
      } else if (result != BZ_OK) {
        throw CodecError("damaged data: not what bzip2 writes");
      }
    }
  }
  void finish(const CodecSink&) override {
    if (is_open_ || !saw_any_) throw CodecError("the compressed data ends too early");
  }

 private:
  bz_stream stream_{};
  bool is_open_ = false;
  bool saw_any_ = false;
};

// A damaged stream must not make the decoder take memory without bound.
constexpr std::uint64_t most_lzma_memory_bytes = 512ull << 20;

class LzmaCodec : public Codec {
 public:
  enum class Kind { xz_encoder, xz_decoder, lzma_encoder, lzma_decoder };
  LzmaCodec(Kind kind, int level) : may_be_followed_(kind == Kind::lzma_decoder) {
    lzma_options_lzma options;
    lzma_lzma_preset(&options, LZMA_PRESET_DEFAULT);
    lzma_ret result = LZMA_PROG_ERROR;
    switch (kind) {
      case Kind::xz_encoder:
        result = lzma_easy_encoder(&stream_, static_cast<std::uint32_t>(level), LZMA_CHECK_CRC64);
        break;
      case Kind::lzma_encoder:
        result = lzma_alone_encoder(&stream_, &options);
        break;
      case Kind::xz_decoder:
        result = lzma_stream_decoder(&stream_, most_lzma_memory_bytes, LZMA_CONCATENATED);
        break;
      case Kind::lzma_decoder:
        result = lzma_alone_decoder(&stream_, most_lzma_memory_bytes);
        break;
    }
    if (result != LZMA_OK) throw CodecError("liblzma cannot be started");
  }
  ~LzmaCodec() override { lzma_end(&stream_); }
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    if (at_end_ && !in.empty()) return end_before(in.size());
    run(in, LZMA_RUN, sink);
  }
  void finish(const CodecSink& sink) override {
    if (!at_end_) run({}, LZMA_FINISH, sink);
    if (!at_end_) throw CodecError("the compressed data ends too early");
  }

 private:
  void run(std::span<const std::byte> in, lzma_action action, const CodecSink& sink) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    OutBuffer out;
    do {
      stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
      stream_.avail_out = out.size();
      const lzma_ret result = lzma_code(&stream_, action);
      give(out, stream_.avail_out, sink);
      if (result == LZMA_STREAM_END) {
        at_end_ = true;
        if (stream_.avail_in > 0) end_before(stream_.avail_in);
        return;
      }
      if (result == LZMA_BUF_ERROR) return;  // needs more input
      if (result == LZMA_MEMLIMIT_ERROR) {
        throw CodecError("it takes more than 512 MiB of memory to decompress this");
      }
      if (result != LZMA_OK) throw CodecError("damaged data: not what liblzma writes");
    } while (stream_.avail_in > 0 || stream_.avail_out == 0 || action == LZMA_FINISH);
  }
  // What follows a lzma content is not looked at, as in NiFi.
  void end_before(std::size_t bytes) const {
    if (!may_be_followed_) {
      throw CodecError(fmt::format("{} bytes or more follow the compressed data", bytes));
    }
  }

  const bool may_be_followed_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<Codec> gzip_compressor(int level) {
  return std::make_unique<ZlibCompressor>(level, 15 + 16);
}
std::unique_ptr<Codec> gzip_decompressor() {
  return std::make_unique<ZlibDecompressor>(15 + 16, true);
}
std::unique_ptr<Codec> zlib_compressor(int level) {
  return std::make_unique<ZlibCompressor>(level, 15);
}
std::unique_ptr<Codec> zlib_decompressor() {
  return std::make_unique<ZlibDecompressor>(15, false);
}
std::unique_ptr<Codec> bzip2_compressor() {
  return std::make_unique<Bzip2Compressor>();
}
std::unique_ptr<Codec> bzip2_decompressor() {
  return std::make_unique<Bzip2Decompressor>();
}
std::unique_ptr<Codec> xz_compressor(int level) {
  return std::make_unique<LzmaCodec>(LzmaCodec::Kind::xz_encoder, level);
}
std::unique_ptr<Codec> xz_decompressor() {
  return std::make_unique<LzmaCodec>(LzmaCodec::Kind::xz_decoder, 0);
}
std::unique_ptr<Codec> lzma_compressor() {
  return std::make_unique<LzmaCodec>(LzmaCodec::Kind::lzma_encoder, 0);
}
std::unique_ptr<Codec> lzma_decompressor() {
  return std::make_unique<LzmaCodec>(LzmaCodec::Kind::lzma_decoder, 0);
}

}  // namespace weir::processors
