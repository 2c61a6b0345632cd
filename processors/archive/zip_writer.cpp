#include "processors/archive/zip_writer.h"

#include <zlib.h>

#include <array>
#include <ctime>

namespace weir::processors {
namespace {

constexpr std::uint32_t local_header_magic = 0x04034b50;
constexpr std::uint32_t descriptor_magic = 0x08074b50;
constexpr std::uint32_t directory_magic = 0x02014b50;
constexpr std::uint32_t end_magic = 0x06054b50;
constexpr std::uint32_t zip64_end_magic = 0x06064b50;
constexpr std::uint32_t zip64_locator_magic = 0x07064b50;
constexpr std::uint16_t zip64_extra = 0x0001;
constexpr std::uint64_t most_32 = 0xffffffff;
constexpr std::uint64_t most_16 = 0xffff;
constexpr std::uint16_t flags = 0x0808;  // sizes behind the data, name in UTF-8
constexpr std::uint16_t deflated = 8;
// Deflate may add a little to what does not shrink: from here on 8 bytes for the sizes.
constexpr std::uint64_t large_bytes = 0xf0000000;

// Little-endian fields.
struct Record {
  std::string bytes;
  Record& put(std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
    return *this;
  }
  Record& put16(std::uint64_t value) { return put(value, 2); }
  Record& put32(std::uint64_t value) { return put(value, 4); }
  Record& put64(std::uint64_t value) { return put(value, 8); }
};

std::uint16_t version(bool is_large) {
  return is_large ? 45 : 20;
}

std::uint32_t to_dos_time(std::int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm local{};
  localtime_r(&seconds, &local);
  if (local.tm_year < 80) return 1u << 21 | 1u << 16;  // 1980-01-01: there is no earlier one
  return static_cast<std::uint32_t>((local.tm_year - 80) << 25 | (local.tm_mon + 1) << 21 |
                                    local.tm_mday << 16 | local.tm_hour << 11 | local.tm_min << 5 |
                                    local.tm_sec / 2);
}

}  // namespace

// One raw deflate stream, used again for each entry.
struct ZipWriter::Deflater {
  explicit Deflater(int level) {
    if (deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw ProcessException("zlib cannot be initialised");
    }
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  std::uint64_t run(std::span<std::byte> in, int flush, BufferedOutput& out) {
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    std::uint64_t made = 0;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      deflate(&stream, flush);
      const std::size_t count = buffer.size() - stream.avail_out;
      out.write(std::span<const std::byte>(buffer).first(count));
      made += count;
    } while (stream.avail_out == 0);
    return made;
  }

  z_stream stream{};
  std::array<std::byte, 64 * 1024> buffer;
  std::array<std::byte, 64 * 1024> input;
};

ZipWriter::ZipWriter(BufferedOutput& out, int level, std::int64_t modified_ms)
    : out_(out),
      deflater_(std::make_unique<Deflater>(level)),
      dos_time_(to_dos_time(modified_ms)) {}

ZipWriter::~ZipWriter() = default;

void ZipWriter::write_local_header(const std::string& name, const Entry& entry) {
  Record extra;
  if (entry.is_large) extra.put16(zip64_extra).put16(16).put64(0).put64(0);
  const std::uint64_t unknown = entry.is_large ? most_32 : 0;
  Record header;
  header.put32(local_header_magic).put16(version(entry.is_large)).put16(flags).put16(deflated);
  header.put32(dos_time_).put32(0).put32(unknown).put32(unknown);
  header.put16(name.size()).put16(extra.bytes.size());
  out_.write(header.bytes + name + extra.bytes);
}

void ZipWriter::write_descriptor(const Entry& entry) {
  const std::size_t width = entry.is_large ? 8 : 4;
  Record descriptor;
  descriptor.put32(descriptor_magic).put32(entry.checksum);
  descriptor.put(entry.compressed, width).put(entry.size, width);
  out_.write(descriptor.bytes);
}

void ZipWriter::append_to_directory(const std::string& name, const Entry& entry) {
  const bool is_far = entry.offset >= most_32;
  Record extra;
  if (entry.is_large || is_far) {
    extra.put16(zip64_extra).put16((entry.is_large ? 16 : 0) + (is_far ? 8 : 0));
    if (entry.is_large) extra.put64(entry.size).put64(entry.compressed);
    if (is_far) extra.put64(entry.offset);
  }
  const std::uint16_t needed = version(entry.is_large || is_far);
  Record header;
  header.put32(directory_magic).put16(needed).put16(needed).put16(flags).put16(deflated);
  header.put32(dos_time_).put32(entry.checksum);
  header.put32(entry.is_large ? most_32 : entry.compressed);
  header.put32(entry.is_large ? most_32 : entry.size);
  header.put16(name.size()).put16(extra.bytes.size());
  // No comment, first disk, no attributes.
  header.put16(0).put16(0).put16(0).put32(0).put32(is_far ? most_32 : entry.offset);
  directory_ += header.bytes;
  directory_ += name;
  directory_ += extra.bytes;
  ++entries_;
}

bool ZipWriter::add(const std::string& name, std::uint64_t size, InputStream& content) {
  if (name.size() > most_16 || !names_.insert(name).second) return false;
  Entry entry{.offset = out_.written(), .is_large = size >= large_bytes};
  write_local_header(name, entry);
  deflateReset(&deflater_->stream);
  std::uint32_t checksum = 0;
  while (const std::size_t count = content.read(deflater_->input)) {
    const auto piece = std::span(deflater_->input).first(count);
    checksum = static_cast<std::uint32_t>(
        crc32(checksum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(count)));
    entry.compressed += deflater_->run(piece, Z_NO_FLUSH, out_);
    entry.size += count;
  }
  entry.compressed += deflater_->run({}, Z_FINISH, out_);
  entry.checksum = checksum;
  write_descriptor(entry);
  append_to_directory(name, entry);
  return true;
}

void ZipWriter::finish() {
  const std::uint64_t start = out_.written();
  out_.write(directory_);
  const std::uint64_t size = directory_.size();
  Record end;
  if (entries_ >= most_16 || start >= most_32 || size >= most_32) {
    const std::uint64_t at = out_.written();
    end.put32(zip64_end_magic).put64(44).put16(45).put16(45).put32(0).put32(0);
    end.put64(entries_).put64(entries_).put64(size).put64(start);
    end.put32(zip64_locator_magic).put32(0).put64(at).put32(1);
  }
  const std::uint64_t shown = std::min(entries_, most_16);
  end.put32(end_magic).put16(0).put16(0).put16(shown).put16(shown);
  end.put32(std::min(size, most_32)).put32(std::min(start, most_32)).put16(0);
  out_.write(end.bytes);
}

}  // namespace weir::processors
