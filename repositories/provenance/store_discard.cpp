#include <algorithm>

#include "repositories/provenance/store.h"

namespace weir::provenance {

// Any moment may be the last: a start that ends early leaves newer files gone and older ones whole,
// or the kept part of a block in two files of which the newer one counts. Ids are given again only
// afterwards, so that the next start discards the rest.
void Store::discard_after(std::uint64_t last_event_id, std::uint64_t last_sequence) {
  const std::lock_guard work_lock(work_mutex_);
  const std::uint64_t from_event = last_event_id + 1;
  if (next_event_id_ <= from_event) return;
  reporter_.report({folders_.front(), 0, 0,
                    "provenance events " + std::to_string(from_event) + " to " +
                        std::to_string(next_event_id_ - 1) +
                        " are of commits that a loss of power took; they are dropped"});
  discard_files(from_event);
  TailScan tail;
  EventFileName name;
  while (!event_files_.empty()) {
    const auto newest = std::prev(event_files_.end());
    name = newest->first;
    tail = scan_tail(files_, newest->second.path, name);
    if (!tail.blocks.empty()) break;
    event_files_.erase(newest);
  }
  const auto cut = std::ranges::find_if(tail.blocks, [&](const BlockEntry& entry) {
    return entry.summary.last_event_id() >= from_event;
  });
  discard_from_index(cut == tail.blocks.end() ? from_event : cut->summary.first_event_id);
  std::vector<BatchPtr> kept;
  if (cut != tail.blocks.end()) {
    const auto path = event_files_.at(name).path;
    kept = batches_before(from_event, *cut, path, last_sequence);
    // What is behind in the old file is void as soon as the new one is there.
    if (!kept.empty()) write_kept(kept);
    const std::uint64_t size = cut->offset - storage::kRecordFrameBytes;
    if (cut != tail.blocks.begin()) {
      const auto file = files_.open_append(path, storage::FileSystem::Create::keep);
      file->truncate(size);
      file->sync();
      event_files_.at(name).size_bytes = size;
    } else {
      files_.remove(path);
      files_.sync_directory(path.parent_path());
      event_files_.erase(name);
    }
  }
  drop_index();
  const std::lock_guard lock(mutex_);
  next_event_id_ = from_event;
  if (!kept.empty()) {
    durable_sequence_ = last_sequence;
  } else if (cut != tail.blocks.begin()) {
    durable_sequence_ = std::prev(cut)->summary.last_sequence;
  } else {
    durable_sequence_ = std::min(durable_sequence_.load(), last_sequence);
  }
  taken_sequence_ = durable_sequence_;
}

// The newest first, each durably: without the rule the next start could find a hole.
void Store::discard_files(std::uint64_t from_event) {
  discard_from_index(from_event);
  while (!event_files_.empty()) {
    const auto newest = std::prev(event_files_.end());
    if (newest->first.first_event_id < from_event) return;
    const auto path = newest->second.path;
    files_.remove(path);
    files_.sync_directory(path.parent_path());
    const std::lock_guard lock(mutex_);
    event_files_.erase(newest);
  }
}

// Before the files change: of an entry that outlived its block nobody would know.
void Store::discard_from_index(std::uint64_t from_event) {
  try {
    const auto index = ensure_index();
    index->erase_from(from_event);
    index->sync();
  } catch (const IndexError& error) {
    reporter_.report({folders_.front(), 0, 0, error.what()});
    drop_index();
    delete_rocksdb_index(config_.directories.begin()->second / kIndexFolder);
  }
}

// The batches of a block that are kept; none where it cannot be read. Their sequence is one that no
// later commit has.
std::vector<BatchPtr> Store::batches_before(std::uint64_t event_id, const BlockEntry& entry,
                                            const storage::Path& path,
                                            std::uint64_t last_sequence) {
  std::vector<BatchPtr> kept;
  try {
    const auto raw = read_block(*files_.open_read(path), entry);
    for_each_batch(entry.summary, raw, [&](const BatchView& batch) {
      if (batch.first_event_id >= event_id) return;
      kept.push_back(std::make_shared<const Batch>(
          last_sequence, batch.first_event_id, batch.count,
          std::vector<std::byte>(batch.bytes.begin(), batch.bytes.end())));
    });
  } catch (const storage::DecodeError& error) {
    damage_.report(path, entry.offset, entry.end_offset() - entry.offset, error.what());
  }
  return kept;
}

void Store::write_kept(const std::vector<BatchPtr>& batches) {
  for (const auto& batch : batches) builder_.add(*batch);
  Unindexed built{builder_.finish(), std::nullopt, false};
  {
    const std::lock_guard lock(mutex_);
    blocks_bytes_ += built.bytes();
    blocks_.push_back(std::move(built));
  }
  write_blocks();
  close_file();
  const std::lock_guard lock(mutex_);
  blocks_bytes_ -= blocks_.front().bytes();
  blocks_.pop_front();
}

}  // namespace weir::provenance
