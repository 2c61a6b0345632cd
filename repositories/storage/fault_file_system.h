#pragma once

#include <cstdint>
#include <memory>
#include <random>

#include "repositories/storage/file_system.h"

namespace weir::storage {

// What a power cut makes of each write that was never synced. `kept` and `garbage` keep every
// unsynced name, `lost` none. `mixed` draws from the seed, for each append or each of its pages:
// kept, lost, zeros or garbage; for each name: kept or lost; for a file's length: an earlier one.
enum class UnsyncedFate { kept, lost, garbage, mixed };

// Thrown by every operation from the power cut on, until `restart`.
class PowerLost : public std::exception {
 public:
  const char* what() const noexcept override { return "power lost"; }
};

// A file system in memory that forgets what was never made durable, and fails on demand. Used
// by every crash test of `repositories/`. Thread safe.
//
// Model: appended bytes are volatile until `sync` of their file; created, renamed and removed
// names until `sync_directory` of the folder. Each append, sync, rename, remove, create,
// truncate, punch and directory sync counts as one operation; `create_directories` counts as a
// create and a directory sync for each folder it makes.
//
// A rename is there as a whole or not at all. What a failed sync has given up, no later sync
// makes durable. `FileStatus::modified_ns` is the number of the operation, not a time.
class FaultFileSystem : public FileSystem {
 public:
  explicit FaultFileSystem(std::uint64_t seed = 0);
  ~FaultFileSystem() override;

  std::uint64_t operations() const;
  // The n-th operation from now (1 is the next) and all after it throw PowerLost. The n-th may
  // still happen: an append up to any of its bytes, the others whole or not at all.
  void cut_power_at(std::uint64_t operation);
  bool power_lost() const;
  // The machine comes back: unsynced writes and names meet their fate, locks are free, the boot
  // id is another one. Files opened before stay dead.
  void restart(UnsyncedFate fate);
  // The process died, the machine lives: everything written is still there, locks are free, files
  // opened before are dead. After `cut_power_at` it makes the cut a kill at that operation.
  void kill_process();

  // The next `count` operations of the kind fail with `error_number` (0 count: none). A failed
  // append leaves any part of its bytes behind the file's certain size. Holds across a restart.
  enum class Operation { append, sync, create, rename, remove, sync_directory, read };
  void fail(Operation operation, int error_number, std::uint64_t count = 1);
  // Appends past this sum of file sizes (holes do not count) fail with ENOSPC.
  void set_capacity(std::uint64_t bytes);
  // Flips one bit, or cuts the file, as a bad disk would: no operation, no sync needed.
  void flip_bit(const Path& path, std::uint64_t bit);
  void damage_truncate(const Path& path, std::uint64_t size);

  std::unique_ptr<ReadableFile> open_read(const Path& path) override;
  std::unique_ptr<WritableFile> open_append(const Path& path, Create create) override;
  std::optional<FileStatus> status(const Path& path) override;
  std::vector<DirectoryEntry> list(const Path& directory) override;
  void create_directories(const Path& path) override;
  void rename(const Path& from, const Path& to) override;
  void remove(const Path& path) override;
  void sync_directory(const Path& directory) override;
  bool punch_hole(const Path& path, std::uint64_t offset, std::uint64_t length) override;
  bool has_hole(const Path& path, std::uint64_t offset, std::uint64_t length) override;
  Space space(const Path& directory) override;
  std::unique_ptr<FileLock> lock(const Path& path) override;
  std::string boot_id() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace weir::storage
