#pragma once

#include <map>
#include <random>
#include <set>
#include <string>

#include "repositories/storage/fault_file_system.h"

// The disk under FaultFileSystem: what is there now, and what would be there after a power cut.
// Not thread safe; knows nothing of injected failures.
namespace weir::storage::fault {

inline constexpr std::uint64_t kBlockBytes = 4096;

using Random = std::mt19937_64;

// True in half of the cases.
inline bool coin(Random& random) {
  return (random() & 1) != 0;
}

// The bytes of one file, with the changes that were never synced.
class FileContent {
 public:
  Bytes bytes() const { return data_; }
  std::uint64_t size() const { return data_.size(); }
  std::uint64_t allocated_bytes() const;
  bool has_hole(std::uint64_t offset, std::uint64_t length) const;

  void write(std::uint64_t offset, Bytes bytes);
  void truncate(std::uint64_t size);
  void punch(std::uint64_t offset, std::uint64_t length);

  // Everything written is durable, but for what a failed sync has given up.
  void sync();
  // The kernel drops its dirty pages: no later sync makes them durable.
  void fail_sync();
  // What a power cut leaves.
  void meet_fate(UnsyncedFate fate, Random& random);

  void flip_bit(std::uint64_t bit);
  void damage_truncate(std::uint64_t size);

 private:
  enum class Kind { write, truncate, punch };
  struct Change {
    Kind kind;
    std::uint64_t offset;  // of `truncate`: the new size
    std::uint64_t length;
    std::uint64_t old_size;
    std::vector<std::byte> old_bytes;  // overwritten or cut off
    std::set<std::uint64_t> old_holes;
    bool durable = false;              // synced, though an earlier change is given up
    bool given_up = false;             // a sync of it failed
    std::vector<std::byte> new_bytes;  // of `write`, once undone
  };

  Change& record(Kind kind, std::uint64_t offset, std::uint64_t length, std::uint64_t old_end);
  void undo(Change& change);
  void redo(const Change& change);
  void redo_mixed(const Change& change, Random& random);
  void apply_write(std::uint64_t offset, Bytes bytes);
  void apply_truncate(std::uint64_t size);
  void apply_punch(std::uint64_t offset, std::uint64_t length);
  void extend(std::uint64_t size);

  std::vector<std::byte> data_;
  std::set<std::uint64_t> holes_;  // numbers of blocks without storage
  std::vector<Change> changes_;    // since the last sync, oldest first
};

struct Node {
  explicit Node(bool is_directory) : directory(is_directory) {}

  const bool directory;
  std::int64_t modified_ns = 0;
  FileContent content;                                   // of a file
  std::map<std::string, std::shared_ptr<Node>> entries;  // of a folder, as programs see it
  std::map<std::string, std::shared_ptr<Node>> durable;  // of a folder, as the disk has it
};
using NodePointer = std::shared_ptr<Node>;

// The names. Methods throw IoError with the errno that the kernel gives.
class Tree {
 public:
  NodePointer find(const Path& path) const;  // nullptr where nothing is there
  NodePointer get(const Path& path, std::string_view operation) const;
  NodePointer get_directory(const Path& path, std::string_view operation) const;

  NodePointer create(const Path& path, bool directory);
  void rename(const Path& from, const Path& to);
  void remove(const Path& path);
  void sync_directory(const Path& path);
  void meet_fate(UnsyncedFate fate, Random& random);

  // The space that all files take.
  std::uint64_t used_bytes() const;

 private:
  struct Place {
    NodePointer directory;
    std::string name;
    auto operator<=>(const Place&) const = default;
  };
  // A link has only `to`, a removal only `from`, a rename both.
  struct NameChange {
    NodePointer node;
    std::optional<Place> from;
    std::optional<Place> to;
  };

  Place place_of(const Path& path, std::string_view operation) const;
  void change(NameChange change);
  static void make_durable(const NameChange& change);

  NodePointer root_ = std::make_shared<Node>(true);
  std::vector<NameChange> changes_;  // not yet durable, oldest first
};

}  // namespace weir::storage::fault
