#include "repositories/storage/record_log_format.h"

#include "repositories/storage/checksum.h"

namespace weir::storage::record_log {
namespace {

constexpr std::size_t kHeaderChecksumAt = 24;

}  // namespace

std::uint32_t record_checksum(Bytes behind_checksum, std::uint64_t salt) {
  return static_cast<std::uint32_t>(checksum(behind_checksum, salt));
}

std::array<std::byte, kRecordLogHeaderBytes> encode_header(const RecordLogHeader& header) {
  std::array<std::byte, kRecordLogHeaderBytes> bytes{};
  std::memcpy(&bytes[0], kMagic.data(), 4);
  std::memcpy(&bytes[4], header.format.data(), 8);
  std::memcpy(&bytes[12], &header.version, 4);
  std::memcpy(&bytes[16], &header.salt, 8);
  const std::uint64_t sum = checksum(Bytes(bytes).first(kHeaderChecksumAt));
  std::memcpy(&bytes[kHeaderChecksumAt], &sum, 8);
  return bytes;
}

RecordLogHeader decode_header(Bytes bytes, const Path& path) {
  if (bytes.size() < kRecordLogHeaderBytes) {
    throw DamagedError(path, 0, "the file ends within its header");
  }
  if (std::memcmp(&bytes[0], kMagic.data(), 4) != 0) {
    throw DamagedError(path, 0, "the file does not begin with a record log's header");
  }
  std::uint64_t sum = 0;
  std::memcpy(&sum, &bytes[kHeaderChecksumAt], 8);
  if (sum != checksum(bytes.first(kHeaderChecksumAt))) {
    throw DamagedError(path, 0, "the checksum of the header does not match");
  }
  RecordLogHeader header;
  std::memcpy(header.format.data(), &bytes[4], 8);
  std::memcpy(&header.version, &bytes[12], 4);
  std::memcpy(&header.salt, &bytes[16], 8);
  return header;
}

}  // namespace weir::storage::record_log
