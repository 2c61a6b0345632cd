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

void catch_up(BlockIndex& index, storage::FileSystem& files, const EventFiles& event_files,
              std::uint64_t before_event, storage::FindingReporter* reporter) {
  index.erase_before(event_files.empty() ? before_event
                                         : event_files.begin()->first.first_event_id);
  index.erase_from(before_event);
  auto last = index.last();
  if (last && !event_files.contains(last->file)) {
    // An index of other files than these.
    index.erase_before(UINT64_MAX);
    last.reset();
  }
  for (auto at = last ? event_files.find(last->file) : event_files.begin(); at != event_files.end();
       ++at) {
    const auto& [name, file] = *at;
    const auto limit = std::min(before_event, valid_before(event_files, name));
    const bool resumed = last && last->file == name;
    try {
      BlockScanner scanner(files, file.path, name,
                           resumed ? last->end_offset() : storage::kRecordLogHeaderBytes);
      while (const auto entry = scanner.next()) {
        if (entry->summary.first_event_id >= limit) break;
        const auto frame = scanner.frame_offset(*entry);
        if (scanner.expected_at() != frame && reporter != nullptr) {
          reporter->report({file.path, scanner.expected_at(), frame - scanner.expected_at(),
                            "events of a provenance file cannot be read"});
        }
        index.put(*entry);
      }
    } catch (const storage::IoError& error) {
      if (reporter != nullptr) reporter->report({file.path, 0, 0, error.what()});
    }
  }
}

}  // namespace weir::provenance
