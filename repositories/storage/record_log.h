#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "repositories/storage/error.h"
#include "repositories/storage/file_system.h"

namespace weir::storage {

// A file of framed records: what journal segments, snapshots, swap files and event files are
// made of. The format is in README.md of this room.
//
// Each file begins with magic, a format name of eight characters, a version, and a random salt
// that goes into every record's checksum, so that old bytes of a reused block never pass for
// new ones. A record is a frame (checksum, length, sequence number) and its payload.

struct RecordLogHeader {
  std::array<char, 8> format{};  // e.g. "weirjrnl"
  std::uint32_t version = 1;
  std::uint64_t salt = 0;
};

inline constexpr std::uint64_t kRecordLogHeaderBytes = 32;
inline constexpr std::uint64_t kRecordFrameBytes = 16;
inline constexpr std::uint32_t kMaximumRecordBytes = 1u << 30;

// Builds frames without touching a file, so that a group of records goes out in one append.
class RecordFramer {
 public:
  explicit RecordFramer(std::uint64_t salt) : salt_(salt) {}
  // Appends one framed record to `out`. `parts` are joined to the payload.
  void frame(std::uint64_t sequence, std::span<const Bytes> parts,
             std::vector<std::byte>& out) const;

 private:
  std::uint64_t salt_;
};

// Creates the file with its header. One thread at a time.
class RecordLogWriter {
 public:
  // Throws IoError, with EEXIST where the file is there already. Where the header cannot be
  // written, the file is removed again. The file's name is durable once the caller has synced
  // the folder.
  RecordLogWriter(FileSystem& files, const Path& path, const RecordLogHeader& header);

  // Appends one record. Throws IoError; what a failed append left behind is cut off at once, or,
  // where that fails as well, by the next append.
  void append(std::uint64_t sequence, Bytes payload);
  // Appends frames that a RecordFramer with this file's salt has built: all of them or, with
  // IoError, none.
  void append_frames(Bytes frames);
  void sync();

  std::uint64_t size() const;
  std::uint64_t salt() const { return header_.salt; }
  const Path& path() const { return path_; }

 private:
  void repair();

  Path path_;
  RecordLogHeader header_;
  std::unique_ptr<WritableFile> file_;
  std::vector<std::byte> scratch_;  // one record's frame, kept for its capacity
  std::uint64_t good_size_ = 0;
  bool repair_needed_ = false;
};

struct RecordView {
  std::uint64_t sequence = 0;
  std::uint64_t offset = 0;  // of the frame in the file
  Bytes payload;             // valid until the next call of `next`
};

// Reads a record log from its beginning, in large pieces.
class RecordLogReader {
 public:
  enum class Status {
    record,   // `record()` holds the next one
    end,      // the file ends where a record ends
    torn,     // the rest is an incomplete or never finished record: the clean end of a log
    damaged,  // a record is bad though bytes that were written later follow it
  };

  // Throws IoError where the file cannot be read, DamagedError where the header is no header of
  // this format, RefusedError where its version is another one.
  RecordLogReader(FileSystem& files, const Path& path, std::array<char, 8> format,
                  std::uint32_t version);
  ~RecordLogReader();

  // Sequence numbers must rise by one from record to record; a gap is damage. After `torn` or
  // `damaged`, further calls return the same; after `end` they look for what was appended since.
  Status next();
  const RecordView& record() const { return record_; }
  // Of `torn` and `damaged`: where the bad bytes start and what is wrong there.
  const Finding& finding() const { return finding_; }
  std::uint64_t offset() const;  // where the next frame starts: the length of the good prefix
  const RecordLogHeader& header() const { return header_; }

  // Positions the reader at a frame whose offset the caller knows (an index does).
  // After it any sequence number is right for the next record. Throws DamagedError where the file
  // ends before that offset.
  void seek(std::uint64_t offset);

 private:
  struct Buffer;
  Status stop(std::string what);

  Path path_;
  RecordLogHeader header_;
  std::unique_ptr<Buffer> buffer_;
  RecordView record_;
  Finding finding_;
};

}  // namespace weir::storage
