#pragma once

#include "repositories/provenance/event_file.h"

namespace weir::provenance {

// Finds the blocks that durable events are in: one small entry a block, never one an event.
// Derived from the event files: whatever happens to it, it can be made anew. Thread safe. Throws
// IndexError where it cannot do its work any more; it is then closed, deleted and built again.
class IndexError : public storage::StorageError {
 public:
  using StorageError::StorageError;
};

class BlockIndex {
 public:
  virtual ~BlockIndex() = default;

  virtual void put(const BlockEntry& entry) = 0;          // replaces that of the same first event
  virtual void erase_before(std::uint64_t event_id) = 0;  // by the blocks' first events
  virtual void erase_from(std::uint64_t event_id) = 0;
  virtual void sync() = 0;  // what was changed before the call is not undone by a crash
  virtual std::optional<BlockEntry> last() = 0;
  // Blocks that hold any event of [from, to], in order; until the visitor returns false.
  virtual void visit(std::uint64_t from_event, std::uint64_t to_event, bool newest_first,
                     const std::function<bool(const BlockEntry&)>& visitor) = 0;
};

// For stores that are read only, or whose files are not the machine's own.
std::shared_ptr<BlockIndex> make_memory_index();
// Opens or creates. Uses little memory and no write-ahead log.
std::shared_ptr<BlockIndex> open_rocksdb_index(const storage::Path& directory);
void delete_rocksdb_index(const storage::Path& directory);

}  // namespace weir::provenance
