#pragma once

#include <cstring>
#include <optional>
#include <string>

#include "repositories/storage/record_log.h"

// The widths of README.md of this room, for the sources of the record log alone.
namespace weir::storage::record_log {

inline constexpr std::array<char, 4> kMagic{'W', 'E', 'I', 'R'};

struct Frame {
  std::uint32_t checksum = 0;
  std::uint32_t payload_bytes = 0;
  std::uint64_t sequence = 0;

  std::uint64_t size() const { return kRecordFrameBytes + payload_bytes; }
};

// The checksum covers everything of a record behind the checksum itself.
inline constexpr std::size_t kChecksumBytes = sizeof(Frame::checksum);

inline Frame load_frame(const std::byte* at) {
  Frame frame;
  std::memcpy(&frame.checksum, at, sizeof frame.checksum);
  std::memcpy(&frame.payload_bytes, at + 4, sizeof frame.payload_bytes);
  std::memcpy(&frame.sequence, at + 8, sizeof frame.sequence);
  return frame;
}

std::uint32_t record_checksum(Bytes behind_checksum, std::uint64_t salt);

std::array<std::byte, kRecordLogHeaderBytes> encode_header(const RecordLogHeader& header);
// Throws DamagedError.
RecordLogHeader decode_header(Bytes bytes, const Path& path);

// Looks for the first record at or behind `from` that was written later than the bad bytes at
// `bad`: valid under the salt and, where the sequence number expected at `bad` is known, no lower
// than it. This tells damage from a torn tail.
struct LaterRecord {
  std::uint64_t offset = 0;
  std::uint64_t sequence = 0;
};
std::optional<LaterRecord> find_later_record(const ReadableFile& file, std::uint64_t salt,
                                             std::uint64_t bad, std::uint64_t from,
                                             std::optional<std::uint64_t> expected);

}  // namespace weir::storage::record_log
