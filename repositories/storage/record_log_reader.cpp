#include <algorithm>

#include "repositories/storage/record_log_format.h"

namespace weir::storage {
namespace {

// A reader that follows an index reads a record or two; one that recovers reads the whole file.
// So pieces start small and grow.
constexpr std::size_t kFirstPieceBytes = 64 * 1024;
constexpr std::size_t kLargestPieceBytes = 1024 * 1024;

}  // namespace

struct RecordLogReader::Buffer {
  std::unique_ptr<ReadableFile> file;
  std::unique_ptr<std::byte[]> memory;
  std::size_t capacity = 0;
  std::size_t begin = 0;     // of the bytes not yet taken
  std::size_t end = 0;       // of the bytes read
  std::uint64_t offset = 0;  // in the file, of `begin`
  std::size_t piece_bytes = kFirstPieceBytes;
  std::optional<std::uint64_t> expected;  // sequence number of the next record
  std::optional<Status> final_status;     // torn or damaged, once found

  std::size_t available() const { return end - begin; }

  // Tries to have `wanted` bytes from `offset` on in memory; false where the file ends before.
  // Memory grows by what the file holds, never by what a frame claims.
  bool fill(std::uint64_t wanted) {
    if (available() >= wanted) return true;
    const std::uint64_t size = file->size();
    if (size < offset || size - offset < wanted) return false;
    const std::size_t target =
        std::min<std::uint64_t>(std::max<std::uint64_t>(wanted, piece_bytes), size - offset);
    reserve(target);
    end += file->read_at(offset + available(), {memory.get() + end, target - available()});
    piece_bytes = std::min(piece_bytes * 2, kLargestPieceBytes);
    return available() >= wanted;
  }

  void reserve(std::size_t bytes) {
    const std::size_t kept = available();
    if (bytes > capacity) {
      auto larger = std::make_unique_for_overwrite<std::byte[]>(bytes);
      std::copy_n(memory.get() + begin, kept, larger.get());
      memory = std::move(larger);
      capacity = bytes;
    } else {
      std::memmove(memory.get(), memory.get() + begin, kept);
    }
    begin = 0;
    end = kept;
  }

  void take(std::size_t bytes) {
    begin += bytes;
    offset += bytes;
  }
};

RecordLogReader::RecordLogReader(FileSystem& files, const Path& path, std::array<char, 8> format,
                                 std::uint32_t version)
    : path_(path), buffer_(std::make_unique<Buffer>()) {
  buffer_->file = files.open_read(path);
  if (!buffer_->fill(kRecordLogHeaderBytes)) {
    throw DamagedError(path, 0, "the file ends within its header");
  }
  header_ = record_log::decode_header({buffer_->memory.get(), kRecordLogHeaderBytes}, path);
  if (header_.format != format) {
    throw DamagedError(path, 0,
                       "the file is of the format \"" +
                           std::string(header_.format.data(), header_.format.size()) +
                           "\", not \"" + std::string(format.data(), format.size()) + "\"");
  }
  if (header_.version != version) {
    throw RefusedError(path.string() + " has version " + std::to_string(header_.version) +
                       " of its format; this program reads version " + std::to_string(version));
  }
  buffer_->take(kRecordLogHeaderBytes);
}

RecordLogReader::~RecordLogReader() = default;

RecordLogReader::Status RecordLogReader::next() {
  Buffer& buffer = *buffer_;
  if (buffer.final_status) return *buffer.final_status;

  if (!buffer.fill(kRecordFrameBytes)) {
    const std::uint64_t size = buffer.file->size();
    if (size <= buffer.offset) return Status::end;
    return stop("the file ends within the frame of a record");
  }
  const auto frame = record_log::load_frame(buffer.memory.get() + buffer.begin);
  if (frame.payload_bytes > kMaximumRecordBytes) {
    return stop("the length of a record is " + std::to_string(frame.payload_bytes) +
                " bytes, which is above the limit");
  }
  if (!buffer.fill(frame.size())) return stop("the file ends within a record");

  const Bytes bytes(buffer.memory.get() + buffer.begin, frame.size());
  const std::uint32_t sum =
      record_log::record_checksum(bytes.subspan(record_log::kChecksumBytes), header_.salt);
  if (sum != frame.checksum) return stop("the checksum of a record does not match");
  if (buffer.expected && frame.sequence != *buffer.expected) {
    finding_ = {.file = path_,
                .offset = buffer.offset,
                .bytes = buffer.file->size() - buffer.offset,
                .what = "record " + std::to_string(frame.sequence) + " stands where record " +
                        std::to_string(*buffer.expected) + " belongs"};
    buffer.final_status = Status::damaged;
    return Status::damaged;
  }
  record_ = {.sequence = frame.sequence,
             .offset = buffer.offset,
             .payload = bytes.subspan(kRecordFrameBytes)};
  buffer.expected = frame.sequence + 1;
  buffer.take(frame.size());
  return Status::record;
}

RecordLogReader::Status RecordLogReader::stop(std::string what) {
  Buffer& buffer = *buffer_;
  finding_ = {.file = path_,
              .offset = buffer.offset,
              .bytes = buffer.file->size() - buffer.offset,
              .what = std::move(what)};
  const auto later = record_log::find_later_record(*buffer.file, header_.salt, buffer.offset,
                                                   buffer.offset + 1, buffer.expected);
  buffer.final_status = later ? Status::damaged : Status::torn;
  if (later) {
    finding_.bytes = later->offset - buffer.offset;
    finding_.what += ", though record " + std::to_string(later->sequence) +
                     " follows it at offset " + std::to_string(later->offset);
  }
  return *buffer.final_status;
}

std::uint64_t RecordLogReader::offset() const {
  return buffer_->offset;
}

void RecordLogReader::seek(std::uint64_t offset) {
  Buffer& buffer = *buffer_;
  if (offset < kRecordLogHeaderBytes || offset > buffer.file->size()) {
    throw DamagedError(path_, offset, "no record can start here");
  }
  buffer.begin = buffer.end = 0;
  buffer.offset = offset;
  buffer.piece_bytes = kFirstPieceBytes;
  buffer.expected.reset();
  buffer.final_status.reset();
}

}  // namespace weir::storage
