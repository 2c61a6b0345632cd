#include "processors/archive/avro_container.h"

#include <fmt/format.h>

namespace weir::processors {
namespace {

constexpr std::string_view magic("Obj\x01", 4);
constexpr std::string_view schema_key = "avro.schema";
constexpr std::string_view codec_key = "avro.codec";
// A header holds a schema; a damaged length must not take memory without bound.
constexpr std::uint64_t most_header_bytes = 16 * 1024 * 1024;

std::string encoded(std::int64_t value) {
  auto rest = static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
  std::string out;
  for (; rest >= 0x80; rest >>= 7) out += static_cast<char>(rest | 0x80);
  out += static_cast<char>(rest);
  return out;
}

void write_bytes(BufferedOutput& out, std::string_view bytes) {
  out.write(encoded(static_cast<std::int64_t>(bytes.size())));
  out.write(bytes);
}

}  // namespace

AvroReader::AvroReader(InputStream& in) : in_(in) {
  if (in_.text(magic.size()) != magic) throw ArchiveError("this is no Avro file");
  read_metadata();
  if (const auto schema = header_.metadata.extract(std::string(schema_key))) {
    header_.schema = schema.mapped();
  } else {
    throw ArchiveError("the Avro file has no schema");
  }
  if (const auto codec = header_.metadata.extract(std::string(codec_key))) {
    header_.codec = codec.mapped();
  }
  marker_ = in_.text(sizeof(AvroMarker));
}

std::int64_t AvroReader::read_long() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = in_.byte();
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  throw ArchiveError("the Avro file is damaged: a number is too long");
}

std::string AvroReader::read_bytes() {
  const std::int64_t size = read_long();
  if (size < 0 || static_cast<std::uint64_t>(size) > most_header_bytes) {
    throw ArchiveError(fmt::format("the Avro file is damaged: {} bytes in its header", size));
  }
  return in_.text(static_cast<std::uint64_t>(size));
}

void AvroReader::read_metadata() {
  std::uint64_t bytes = 0;
  for (std::int64_t count; (count = read_long()) != 0;) {
    if (count < 0) {
      // A negative count is followed by the size of the block in bytes.
      read_long();
      count = count == INT64_MIN ? 0 : -count;
    }
    for (; count > 0; --count) {
      std::string key = read_bytes();
      std::string value = read_bytes();
      bytes += key.size() + value.size() + 2;
      if (bytes > most_header_bytes) throw ArchiveError("the Avro file has too much metadata");
      header_.metadata[std::move(key)] = std::move(value);
    }
  }
}

bool AvroReader::copy_block(BufferedOutput& out, const AvroMarker& marker) {
  if (in_.at_end()) return false;
  const std::int64_t records = read_long();
  const std::int64_t size = read_long();
  if (records < 0 || size < 0) throw ArchiveError("the Avro file is damaged: a negative length");
  out.write(encoded(records));
  out.write(encoded(size));
  in_.copy(static_cast<std::uint64_t>(size), out);
  if (in_.text(sizeof(AvroMarker)) != marker_) {
    throw ArchiveError("the Avro file is damaged: a block does not end with the file's marker");
  }
  out.write(marker);
  return true;
}

void write_avro_header(const AvroHeader& header, const AvroMarker& marker, BufferedOutput& out) {
  out.write(magic);
  out.write(encoded(static_cast<std::int64_t>(header.metadata.size()) + 2));
  for (const auto& [key, value] : header.metadata) {
    write_bytes(out, key);
    write_bytes(out, value);
  }
  write_bytes(out, codec_key);
  write_bytes(out, header.codec);
  write_bytes(out, schema_key);
  write_bytes(out, header.schema);
  out.write(encoded(0));
  out.write(marker);
}

}  // namespace weir::processors
