#include <algorithm>

#include "repositories/provenance/search.h"

namespace weir::provenance {

namespace {

// Follows the ids from block to block; where some are missing, the bytes between are damage. Bytes
// that hold no block while no id is missing were void already when the next block was written.
class Continuity {
 public:
  Continuity(DamageReporter& damage, std::uint64_t expected_id)
      : damage_(damage), expected_id_(expected_id) {}

  void enter(const storage::Path& path, std::uint64_t offset) {
    if (path_.empty()) good_ = {path, offset};
    path_ = path;
  }
  void block(const BlockEntry& entry) {
    const auto& summary = entry.summary;
    if (summary.first_event_id > expected_id_) {
      const std::uint64_t frame = entry.offset - storage::kRecordFrameBytes;
      const std::uint64_t bytes = good_.first == path_ ? frame - good_.second : 0;
      damage_.report(good_.first, good_.second, bytes,
                     "events " + std::to_string(expected_id_) + " to " +
                         std::to_string(summary.first_event_id - 1) +
                         " of the provenance files cannot be read");
    }
    expected_id_ = std::max(expected_id_, summary.last_event_id() + 1);
    good_ = {path_, entry.end_offset()};
  }

 private:
  DamageReporter& damage_;
  std::uint64_t expected_id_;
  storage::Path path_;
  std::pair<storage::Path, std::uint64_t> good_;  // up to where nothing is missing
};

}  // namespace

void catch_up(BlockIndex& index, storage::FileSystem& files, const EventFiles& event_files,
              std::uint64_t before_event, DamageReporter& damage) {
  index.erase_from(before_event);
  if (event_files.empty()) return index.erase_before(before_event);
  const std::uint64_t first_id = event_files.begin()->first.first_event_id;
  index.erase_before(first_id);
  auto last = index.last();
  if (last && !event_files.contains(last->file)) {
    // An index of other files than these.
    index.erase_before(UINT64_MAX);
    last.reset();
  }
  Continuity continuity(damage, last ? last->summary.last_event_id() + 1 : first_id);
  for (auto at = last ? event_files.find(last->file) : event_files.begin(); at != event_files.end();
       ++at) {
    const auto& [name, file] = *at;
    const auto limit = std::min(before_event, valid_before(event_files, name));
    const auto from =
        last && last->file == name ? last->end_offset() : storage::kRecordLogHeaderBytes;
    continuity.enter(file.path, from);
    try {
      BlockScanner scanner(files, file.path, name, from);
      while (const auto entry = scanner.next()) {
        if (entry->summary.first_event_id >= limit) break;
        continuity.block(*entry);
        index.put(*entry);
      }
    } catch (const storage::IoError& error) {
      // Retention of a running engine may pass a reader.
      if (files.status(file.path)) damage.report(file.path, 0, 0, error.what());
    }
  }
}

}  // namespace weir::provenance
