#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace weir::storage {

// Root of every exception that must roll a session back or refuse a start. Caught where a
// processor is triggered, where the engine starts, and where a command of weirctl ends.
class StorageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The operating system refused an operation. The message reads "<operation> <path>: <reason>".
class IoError : public StorageError {
 public:
  IoError(std::string_view operation, const std::filesystem::path& path, int error_number);

  int error_number() const { return error_number_; }
  const std::filesystem::path& path() const { return path_; }
  // ENOSPC or EDQUOT: the operation may succeed later without anybody repairing anything.
  bool disk_full() const;

 private:
  std::filesystem::path path_;
  int error_number_;
};

// Bytes on disk are not what was written. The message names file, offset and what is wrong.
class DamagedError : public StorageError {
 public:
  DamagedError(const std::filesystem::path& path, std::uint64_t offset, std::string_view reason);

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t offset() const { return offset_; }

 private:
  std::filesystem::path path_;
  std::uint64_t offset_;
};

// The directory is in use by another process, of another format version, or not usable at all.
class RefusedError : public StorageError {
 public:
  using StorageError::StorageError;
};

// What recovery and readers found but could go on without. Collected, shown at start and by
// `weirctl repo check`, never dropped.
struct Finding {
  std::filesystem::path file;
  std::uint64_t offset = 0;  // of the damage, or 0 where the whole file is meant
  std::uint64_t bytes = 0;   // skipped or set aside
  std::string what;          // one sentence
};

class FindingReporter {
 public:
  virtual ~FindingReporter() = default;
  virtual void report(const Finding& finding) = 0;
};

}  // namespace weir::storage
