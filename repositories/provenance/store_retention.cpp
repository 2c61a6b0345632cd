#include <algorithm>

#include "repositories/provenance/store.h"

namespace weir::provenance {

// Whole files go, the oldest first; the one being written never.
void Store::maintain() {
  {
    const std::lock_guard work_lock(work_mutex_);
    if (writer_ && now_ms_() - file_opened_ms_ >= config_.rollover_time.count()) close_file();
  }
  while (true) {
    EventFileName oldest;
    std::uint64_t bytes = 0;
    std::uint64_t next = UINT64_MAX;
    {
      const std::lock_guard work_lock(work_mutex_);
      const std::lock_guard lock(mutex_);
      if (event_files_.empty()) return;
      oldest = event_files_.begin()->first;
      // Blocks in memory may belong to it yet.
      if ((writer_ && oldest == file_) ||
          std::ranges::any_of(blocks_, [&](const Unindexed& unindexed) {
            return unindexed.written && unindexed.written->file == oldest;
          })) {
        return;
      }
      for (const auto& [name, file] : event_files_) bytes += file.size_bytes;
      next = valid_before(event_files_, oldest);
    }
    const bool too_large = bytes > config_.max_storage_bytes;
    if (!too_large && newest_time(oldest, next) >= now_ms_() - config_.max_storage_time.count()) {
      return;
    }
    if (!delete_oldest(oldest)) return;
  }
}

std::int64_t Store::newest_time(const EventFileName& name, std::uint64_t before_event) {
  std::int64_t newest = INT64_MIN;
  try {
    ensure_index()->visit(name.first_event_id, before_event - 1, true,
                          [&](const BlockEntry& entry) {
                            if (entry.file == name) newest = std::max(newest, entry.summary.to_ms);
                            return true;
                          });
  } catch (const IndexError& error) {
    reporter_.report({folders_.front(), 0, 0, error.what()});
    drop_index();
    return INT64_MAX;  // not known: later
  }
  if (newest != INT64_MIN) return newest;
  // Nothing of it can be read.
  storage::Path path;
  {
    const std::lock_guard lock(mutex_);
    path = event_files_.at(name).path;
  }
  const auto status = files_.status(path);
  return status ? status->modified_ns / 1'000'000 : newest;
}

bool Store::delete_oldest(const EventFileName& name) {
  storage::Path path;
  std::uint64_t next = UINT64_MAX;
  {
    const std::lock_guard lock(mutex_);
    path = event_files_.at(name).path;
    next = valid_before(event_files_, name);
  }
  try {
    files_.remove(path);
  } catch (const storage::IoError& error) {
    if (files_.status(path)) {
      reporter_.report({path, 0, 0, error.what()});
      return false;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    event_files_.erase(name);
  }
  try {
    ensure_index()->erase_before(next);
  } catch (const IndexError& error) {
    reporter_.report({folders_.front(), 0, 0, error.what()});
    drop_index();
  }
  return true;
}

}  // namespace weir::provenance
