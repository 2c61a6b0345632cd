#include <mutex>

#include "repositories/provenance/block_index.h"

namespace weir::provenance {

namespace {

class MemoryIndex : public BlockIndex {
 public:
  void put(const BlockEntry& entry) override {
    const std::lock_guard lock(mutex_);
    entries_.insert_or_assign(entry.summary.first_event_id, entry);
  }
  void erase_before(std::uint64_t event_id) override {
    const std::lock_guard lock(mutex_);
    entries_.erase(entries_.begin(), entries_.lower_bound(event_id));
  }
  void erase_from(std::uint64_t event_id) override {
    const std::lock_guard lock(mutex_);
    entries_.erase(entries_.lower_bound(event_id), entries_.end());
  }
  void sync() override {}
  std::optional<BlockEntry> last() override {
    const std::lock_guard lock(mutex_);
    return entries_.empty() ? std::nullopt : std::optional(entries_.rbegin()->second);
  }

  // Visitors work without the lock: they read files.
  void visit(std::uint64_t from_event, std::uint64_t to_event, bool newest_first,
             const std::function<bool(const BlockEntry&)>& visitor) override {
    std::optional<std::uint64_t> seen;
    while (const auto entry = next(from_event, to_event, newest_first, seen)) {
      seen = entry->summary.first_event_id;
      if (!visitor(*entry)) return;
    }
  }

 private:
  std::optional<BlockEntry> next(std::uint64_t from, std::uint64_t to, bool newest_first,
                                 std::optional<std::uint64_t> seen) {
    const std::lock_guard lock(mutex_);
    auto at = entries_.begin();
    if (newest_first) {
      at = seen ? entries_.lower_bound(*seen) : entries_.upper_bound(to);
      if (at == entries_.begin()) return std::nullopt;
      --at;
    } else if (seen) {
      at = entries_.upper_bound(*seen);
    } else {
      at = entries_.upper_bound(from);
      if (at != entries_.begin()) --at;
      while (at != entries_.end() && at->second.summary.last_event_id() < from) ++at;
    }
    if (at == entries_.end() || at->first > to || at->second.summary.last_event_id() < from) {
      return std::nullopt;
    }
    return at->second;
  }

  std::mutex mutex_;
  std::map<std::uint64_t, BlockEntry> entries_;
};

}  // namespace

std::shared_ptr<BlockIndex> make_memory_index() {
  return std::make_shared<MemoryIndex>();
}

}  // namespace weir::provenance
