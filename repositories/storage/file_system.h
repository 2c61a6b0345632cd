#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir::storage {

using Path = std::filesystem::path;
using Bytes = std::span<const std::byte>;

// Reads a file by position. Thread safe. Keeps the bytes readable after the file is removed.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;

  // Fills `out` from `offset`; returns fewer bytes only where the file ends. Throws IoError.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const = 0;
  virtual std::uint64_t size() const = 0;
  // For the kernel's copy; -1 where the file has no descriptor (fault-injecting file system).
  virtual int descriptor() const { return -1; }
};

// Appends to a file. One thread at a time.
class WritableFile {
 public:
  virtual ~WritableFile() = default;

  // All bytes or IoError; after an error `size()` tells how far the file is certain, and bytes
  // behind it may exist: the caller truncates or gives the file up.
  virtual void append(Bytes data) = 0;
  // Appends `length` bytes of `source` from `offset`, by the kernel's copy where it can.
  virtual void append_from(const ReadableFile& source, std::uint64_t offset,
                           std::uint64_t length) = 0;
  // fdatasync. Once it has thrown, every later append or sync throws as well: what the kernel
  // still holds cannot be known, so nobody may retry as if nothing had happened.
  virtual void sync() = 0;
  virtual void truncate(std::uint64_t size) = 0;
  virtual std::uint64_t size() const = 0;
  virtual int descriptor() const { return -1; }
};

// Held for as long as the object lives; released by the kernel when the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

struct FileStatus {
  enum class Type { regular, directory, symlink, other };
  Type type = Type::other;
  std::uint64_t size_bytes = 0;
  std::uint64_t allocated_bytes = 0;  // on disk: less than the size where holes are
  std::int64_t modified_ns = 0;       // since the epoch
};

struct DirectoryEntry {
  std::string name;  // bytes as the kernel gives them, valid UTF-8 or not
  FileStatus::Type type = FileStatus::Type::other;
};

// The one door through which `repositories/` touches a disk (RocksDB's own files apart, which
// hold only what can be rebuilt). Thread safe. Every method throws IoError.
//
// Durability is POSIX's: appended bytes are certain after `WritableFile::sync`, a created,
// renamed or removed name after `sync_directory` of its folder.
class FileSystem {
 public:
  enum class Create { must_not_exist, truncate, keep };

  virtual ~FileSystem() = default;

  virtual std::unique_ptr<ReadableFile> open_read(const Path& path) = 0;
  virtual std::unique_ptr<WritableFile> open_append(const Path& path, Create create) = 0;

  // nullopt where nothing is there. Does not follow a symlink at the end of the path.
  virtual std::optional<FileStatus> status(const Path& path) = 0;
  virtual std::vector<DirectoryEntry> list(const Path& directory) = 0;  // ordered by name
  // Makes the folder and those above it that are missing. What it makes is durable on return: the
  // folder above each new one is synced.
  virtual void create_directories(const Path& path) = 0;
  virtual void rename(const Path& from, const Path& to) = 0;
  virtual void remove(const Path& path) = 0;  // a file or an empty folder
  virtual void sync_directory(const Path& directory) = 0;

  // Gives the blocks of a range back; reading it then yields zeros. False where the file system
  // cannot do it.
  virtual bool punch_hole(const Path& path, std::uint64_t offset, std::uint64_t length) = 0;
  // True where any byte of the range lies in a hole.
  virtual bool has_hole(const Path& path, std::uint64_t offset, std::uint64_t length) = 0;

  struct Space {
    std::uint64_t capacity_bytes = 0;
    std::uint64_t available_bytes = 0;
  };
  virtual Space space(const Path& directory) = 0;

  // Throws RefusedError with a sentence that names the holder where another process has it.
  virtual std::unique_ptr<FileLock> lock(const Path& path) = 0;

  // Changes with each boot of the machine: tells a restart after power loss from one after a
  // killed process.
  virtual std::string boot_id() = 0;

  // Reads a whole small file; nullopt where it does not exist.
  std::optional<std::string> read_small(const Path& path);
  // Writes a small file so that a crash leaves the old or the new one: temporary file, sync,
  // rename, sync of the folder. A crash may leave `<path>.tmp` behind, which the next call
  // replaces. One thread at a time for one path.
  void replace_small(const Path& path, std::string_view content);
};

// The machine's own file system.
FileSystem& real_file_system();

}  // namespace weir::storage
