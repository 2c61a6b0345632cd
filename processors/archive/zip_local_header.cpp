#include "processors/archive/zip_local_header.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "processors/support/character_set.h"

namespace weir::processors {
namespace {

constexpr std::string_view magic("PK\x03\x04", 4);
constexpr std::size_t header_bytes = 30;
constexpr std::uint16_t unicode_path = 0x7075;
constexpr std::uint16_t times = 0x5455;

std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

std::string read_text(InputStream& in, std::size_t bytes) {
  std::string text(bytes, '\0');
  text.resize(in.read_fully(std::as_writable_bytes(std::span(text))));
  return text;
}

// Where the magic stands, from `position` on.
std::uint64_t find_header(InputStream& in, std::uint64_t position) {
  constexpr std::size_t piece_bytes = 64 * 1024;
  for (;;) {
    in.seek(position);
    const std::string piece = read_text(in, piece_bytes);
    const std::size_t at = piece.find(magic);
    if (at != std::string::npos) return position + at;
    if (piece.size() < piece_bytes) throw ArchiveError("the header of an entry is missing");
    position += piece.size() - (magic.size() - 1);
  }
}

std::string header_at(InputStream& in, std::uint64_t position) {
  in.seek(position);
  return read_text(in, header_bytes);
}

// The data of the first extra field of a kind; empty where there is none.
std::string_view extra_field(std::string_view extra, std::uint16_t kind) {
  while (extra.size() >= 4) {
    const std::uint32_t size = little_endian(extra, 2, 2);
    if (extra.size() - 4 < size) break;
    if (little_endian(extra, 0, 2) == kind) return extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  return {};
}

// Version, checksum of the name it stands for, UTF-8 name.
std::string_view unicode_name(std::string_view extra, std::string_view name) {
  constexpr std::size_t head = 5;
  const std::string_view field = extra_field(extra, unicode_path);
  if (field.size() <= head || field[0] != 1) return {};
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(name.data()), static_cast<uInt>(name.size()));
  return sum == little_endian(field, 1, 4) ? field.substr(head) : std::string_view();
}

}  // namespace

std::optional<std::int64_t> ZipLocalHeader::accessed_s() const {
  // Which times follow, then modified, accessed and created, each only where it is said so.
  const std::string_view field = extra_field(extra, times);
  if (field.empty() || !(field[0] & 2)) return std::nullopt;
  const std::size_t at = field[0] & 1 ? 5 : 1;
  if (field.size() < at + 4) return std::nullopt;
  return static_cast<std::int32_t>(little_endian(field, at, 4));
}

std::string ZipLocalHeader::decoded_name(const std::string& character_set) const {
  std::string decoded;
  if (has_utf8_name()) {
    decoded = decode_text(name, "UTF-8");
  } else if (const std::string_view other = unicode_name(extra, name); !other.empty()) {
    decoded = decode_text(other, "UTF-8");
  } else {
    decoded = decode_text(name, character_set);
  }
  // An archive of DOS may separate by backslashes.
  const bool is_dos = (version_needed >> 8) == 0;
  if (is_dos && decoded.find('/') == std::string::npos) std::ranges::replace(decoded, '\\', '/');
  return decoded;
}

ZipLocalHeader read_zip_local_header(InputStream& in, std::uint64_t position) {
  const std::uint64_t before = in.position();
  std::string bytes = header_at(in, position);
  if (!bytes.starts_with(magic)) bytes = header_at(in, find_header(in, position));
  if (bytes.size() < header_bytes) throw ArchiveError("the header of an entry is cut off");
  ZipLocalHeader header;
  header.version_needed = static_cast<std::uint16_t>(little_endian(bytes, 4, 2));
  header.flags = static_cast<std::uint16_t>(little_endian(bytes, 6, 2));
  header.method = static_cast<std::uint16_t>(little_endian(bytes, 8, 2));
  header.size = little_endian(bytes, 22, 4);
  header.name = read_text(in, little_endian(bytes, 26, 2));
  header.extra = read_text(in, little_endian(bytes, 28, 2));
  in.seek(before);
  return header;
}

bool ends_within_zip_header(InputStream& in, std::uint64_t position) {
  const std::uint64_t before = in.position();
  const std::string bytes = header_at(in, position);
  in.seek(before);
  if (bytes.size() < magic.size()) return true;
  if (!bytes.starts_with(magic)) return false;
  if (bytes.size() < header_bytes) return true;
  const std::uint64_t whole =
      header_bytes + little_endian(bytes, 26, 2) + little_endian(bytes, 28, 2);
  return in.size() - position < whole;
}

}  // namespace weir::processors
