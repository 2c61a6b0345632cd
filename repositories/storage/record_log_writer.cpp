#include "repositories/storage/record_log_format.h"

namespace weir::storage {
namespace {

// What the writer keeps for the next record. A rare large one does not hold memory for good.
constexpr std::size_t kScratchBytes = 1024 * 1024;

}  // namespace

void RecordFramer::frame(std::uint64_t sequence, std::span<const Bytes> parts,
                         std::vector<std::byte>& out) const {
  std::uint64_t payload_bytes = 0;
  for (const Bytes part : parts) payload_bytes += part.size();
  if (payload_bytes > kMaximumRecordBytes) {
    throw StorageError("a record of " + std::to_string(payload_bytes) +
                       " bytes exceeds the limit of " + std::to_string(kMaximumRecordBytes));
  }
  const std::size_t start = out.size();
  const auto length = static_cast<std::uint32_t>(payload_bytes);
  std::array<std::byte, kRecordFrameBytes> frame{};
  std::memcpy(&frame[4], &length, sizeof length);
  std::memcpy(&frame[8], &sequence, sizeof sequence);
  out.insert(out.end(), frame.begin(), frame.end());
  for (const Bytes part : parts) out.insert(out.end(), part.begin(), part.end());
  const std::uint32_t sum =
      record_log::record_checksum(Bytes(out).subspan(start + record_log::kChecksumBytes), salt_);
  std::memcpy(&out[start], &sum, sizeof sum);
}

RecordLogWriter::RecordLogWriter(FileSystem& files, const Path& path, const RecordLogHeader& header)
    : path_(path),
      header_(header),
      file_(files.open_append(path, FileSystem::Create::must_not_exist)) {
  try {
    file_->append(record_log::encode_header(header));
  } catch (const IoError&) {
    // Nobody may find a file without a header, and whoever tries again needs the name.
    files.remove(path);
    throw;
  }
  good_size_ = kRecordLogHeaderBytes;
}

void RecordLogWriter::append(std::uint64_t sequence, Bytes payload) {
  scratch_.clear();
  RecordFramer(header_.salt).frame(sequence, std::span(&payload, 1), scratch_);
  append_frames(scratch_);
  if (scratch_.capacity() > kScratchBytes) scratch_ = {};
}

void RecordLogWriter::append_frames(Bytes frames) {
  if (repair_needed_) repair();
  repair_needed_ = true;
  try {
    file_->append(frames);
  } catch (const IoError&) {
    // A group may have been written up to the middle. Its whole records must not be found by a
    // recovery: the caller is about to roll all of them back.
    try {
      repair();
    } catch (const IoError&) {
      // The next append tries again; the caller needs to know of the first error.
    }
    throw;
  }
  repair_needed_ = false;
  good_size_ += frames.size();
}

void RecordLogWriter::repair() {
  file_->truncate(good_size_);
  repair_needed_ = false;
}

void RecordLogWriter::sync() {
  file_->sync();
}

std::uint64_t RecordLogWriter::size() const {
  return good_size_;
}

}  // namespace weir::storage
