#include <algorithm>

#include "repositories/provenance/continuity.h"

namespace weir::provenance {

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
