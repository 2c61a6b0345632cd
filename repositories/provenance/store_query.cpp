#include <algorithm>

#include "repositories/provenance/store.h"

namespace weir::provenance {

namespace {

constexpr int kAttempts = 3;

}  // namespace

// Opened when first needed, so that a start does not wait for it.
std::shared_ptr<BlockIndex> Store::ensure_index() {
  const std::lock_guard index_lock(index_mutex_);
  if (index_) return index_;
  EventFiles event_files;
  std::uint64_t before_event = UINT64_MAX;
  {
    const std::lock_guard lock(mutex_);
    event_files = event_files_;
    // Never what is not durable, it may be written anew elsewhere; and nothing of an index that
    // knows more than the files.
    if (!blocks_.empty()) {
      before_event = blocks_.front().block->summary.first_event_id;
    } else if (!taken_.empty()) {
      before_event = taken_.front()->first_event_id;
    } else if (next_event_id_ != 0) {
      before_event = next_event_id_;
    }
  }
  if (&files_ == &storage::real_file_system()) {
    const auto directory = config_.directories.begin()->second / kIndexFolder;
    for (const bool anew : {false, true}) {
      try {
        if (anew) delete_rocksdb_index(directory);
        auto index = open_rocksdb_index(directory);
        catch_up(*index, files_, event_files, before_event, damage_);
        return index_ = std::move(index);
      } catch (const IndexError& error) {
        reporter_.report({directory, 0, 0, error.what()});
      }
    }
  }
  // An index can be done without a disk; it costs memory until the next start.
  auto index = make_memory_index();
  catch_up(*index, files_, event_files, before_event, damage_);
  return index_ = std::move(index);
}

void Store::drop_index() {
  const std::lock_guard index_lock(index_mutex_);
  index_.reset();
}

Snapshot Store::snapshot() {
  Snapshot snapshot;
  snapshot.index = ensure_index();
  const std::lock_guard lock(mutex_);
  snapshot.event_files = event_files_;
  for (const auto& unindexed : blocks_) snapshot.blocks.push_back(unindexed.block);
  snapshot.batches.assign(taken_.begin(), taken_.end());
  snapshot.files_before = !snapshot.blocks.empty() ? snapshot.blocks.front()->summary.first_event_id
                          : !snapshot.batches.empty() ? snapshot.batches.front()->first_event_id
                                                      : UINT64_MAX;
  return snapshot;
}

void Store::ask(const std::function<void(Search&)>& question) {
  for (int attempt = 1;; ++attempt) {
    try {
      Search search(files_, damage_, snapshot());
      return question(search);
    } catch (const IndexError& error) {
      if (attempt == kAttempts) throw;
      reporter_.report({folders_.front(), 0, 0, error.what()});
      const std::lock_guard index_lock(index_mutex_);
      index_.reset();
      delete_rocksdb_index(config_.directories.begin()->second / kIndexFolder);
    }
  }
}

QueryResult Store::query(const Query& query) {
  QueryResult result;
  ask([&](Search& search) {
    result = gather(Selection(query), [&](const Selection& selection, const EventVisitor& visit) {
      search.scan(selection, visit);
    });
  });
  return result;
}

std::optional<StoredEvent> Store::find(std::uint64_t event_id) {
  Query one;
  if (event_id > 0) one.after_event = event_id - 1;
  if (event_id < UINT64_MAX) one.before_event = event_id + 1;
  one.limit = 1;
  auto result = query(one);
  if (result.events.empty()) return std::nullopt;
  return std::move(result.events.front());
}

Lineage Store::lineage(const flowfile::Uuid& flow_file, std::size_t max_events) {
  Lineage result;
  ask([&](Search& search) {
    result = build_lineage(flow_file, max_events,
                           [&](const Selection& selection, const EventVisitor& visit) {
                             search.scan(selection, visit);
                           });
  });
  return result;
}

ProvenanceRepository::Statistics Store::statistics() {
  Statistics statistics;
  Query oldest;
  oldest.newest_first = false;
  oldest.limit = 1;
  const auto first = query(oldest).events;
  const std::lock_guard lock(mutex_);
  if (!first.empty()) {
    statistics.first_event_id = first.front().id;
    statistics.oldest_ms = first.front().time_ms;
    statistics.last_event_id = next_event_id_ - 1;
    statistics.events = statistics.last_event_id - statistics.first_event_id + 1;
  }
  for (const auto& [name, file] : event_files_) statistics.bytes += file.size_bytes;
  statistics.waiting_bytes = taken_bytes_ + blocks_bytes_;
  return statistics;
}

}  // namespace weir::provenance
