#include "processors/archive/tar_writer.h"

#include <fmt/format.h>

#include <cstring>

namespace weir::processors {
namespace {

constexpr std::size_t block_bytes = 512;
constexpr std::size_t name_bytes = 100;

struct Header {
  char name[name_bytes];
  char mode[8];
  char owner_id[8];
  char group_id[8];
  char size[12];
  char modified[12];
  char checksum[8];
  char kind;
  char link[100];
  char magic[6];
  char version[2];
  char owner[32];
  char group[32];
  char device_major[8];
  char device_minor[8];
  char prefix[155];
  char unused[12];
};
static_assert(sizeof(Header) == block_bytes);

// Octal digits and a NUL, or where they do not suffice 0x80 and a big-endian number.
void put_number(std::span<char> field, std::int64_t value) {
  const std::size_t digits = field.size() - 1;
  if (value >= 0 && value < std::int64_t{1} << std::min<std::size_t>(3 * digits, 62)) {
    fmt::format_to_n(field.data(), digits, "{:0{}o}", value, digits);
    return;
  }
  for (std::size_t i = field.size(); i-- > 0; value >>= 8) field[i] = static_cast<char>(value);
  field[0] = static_cast<char>(field[0] | 0x80);
}

}  // namespace

void TarWriter::write_header(const TarEntry& entry, char kind) {
  Header header{};
  std::memcpy(header.name, entry.name.data(), std::min(entry.name.size(), name_bytes));
  put_number(header.mode, entry.mode);
  put_number(header.owner_id, 0);
  put_number(header.group_id, 0);
  put_number(header.size, static_cast<std::int64_t>(entry.size));
  put_number(header.modified, entry.modified_s);
  header.kind = kind;
  std::memcpy(header.magic, "ustar", sizeof(header.magic));
  std::memset(header.version, '0', sizeof(header.version));
  put_number(header.device_major, 0);
  put_number(header.device_minor, 0);
  std::memset(header.checksum, ' ', sizeof(header.checksum));
  unsigned sum = 0;
  const auto bytes = std::as_bytes(std::span(&header, 1));
  for (const std::byte byte : bytes) sum += static_cast<unsigned char>(byte);
  fmt::format_to_n(header.checksum, 6, "{:06o}", sum);
  header.checksum[6] = '\0';
  out_.write(bytes);
}

void TarWriter::begin(const TarEntry& given) {
  TarEntry entry = given;
  entry.name.erase(0, std::min(entry.name.find_first_not_of('/'), entry.name.size()));
  if (entry.name.size() > name_bytes) {
    const std::uint64_t size = entry.name.size() + 1;
    write_header({.name = "././@LongLink", .size = size, .mode = 0644, .modified_s = 0}, 'L');
    out_.write(entry.name);
    out_.fill(1);
    pad(size);
  }
  write_header(entry, entry.name.ends_with('/') ? '5' : '0');
}

void TarWriter::pad(std::uint64_t size) {
  out_.fill((block_bytes - size % block_bytes) % block_bytes);
}

void TarWriter::add(const TarEntry& entry, InputStream& content) {
  begin(entry);
  if (out_.copy(content) != entry.size) {
    throw ArchiveError(fmt::format("the content of {} changed while it was read", entry.name));
  }
  pad(entry.size);
}

void TarWriter::add(TarEntry entry, std::string_view content) {
  entry.size = content.size();
  begin(entry);
  out_.write(content);
  pad(entry.size);
}

void TarWriter::finish() {
  out_.fill(2 * block_bytes);
}

}  // namespace weir::processors
