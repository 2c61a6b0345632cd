#include <algorithm>

#include "repositories/provenance/store.h"

namespace weir::provenance {

namespace {

constexpr std::uint64_t kBlockRawBytes = 192 << 10;
constexpr std::uint64_t kMostUnsyncedBytes = 16 << 20;
constexpr std::uint64_t kMostWaitingBytes = 64 << 20;
constexpr std::chrono::seconds kRetryAfter{1};

}  // namespace

void Store::take(std::uint64_t sequence, std::uint64_t first_event_id, std::uint32_t event_count,
                 std::vector<std::byte> events) noexcept {
  auto batch =
      std::make_shared<const Batch>(sequence, first_event_id, event_count, std::move(events));
  std::optional<storage::Finding> gap;
  bool full = false;
  {
    std::unique_lock lock(mutex_);
    if (thread_.joinable()) {
      room_.wait(lock, [&] {
        return stop_ || failed_ || taken_bytes_ + blocks_bytes_ < kMostWaitingBytes;
      });
    }
    if (sequence <= taken_sequence_ || failed_) return;
    taken_sequence_ = sequence;
    if (event_count == 0) return;
    if (next_event_id_ != 0 && first_event_id > next_event_id_) {
      gap = storage::Finding{folders_.front(), 0, 0,
                             "provenance events " + std::to_string(next_event_id_) + " to " +
                                 std::to_string(first_event_id - 1) + " are missing"};
    }
    next_event_id_ = first_event_id + event_count;
    taken_bytes_ += batch->bytes.size();
    taken_.push_back(std::move(batch));
    full = taken_bytes_ >= kBlockRawBytes && !waiting_for_disk_;
  }
  if (gap) reporter_.report(*gap);
  if (!full) return;
  if (thread_.joinable()) {
    wake_.notify_one();
    return;
  }
  try {
    const std::lock_guard work_lock(work_mutex_);
    work(false);
  } catch (const storage::StorageError& error) {
    reporter_.report({folders_.front(), 0, 0, error.what()});
    const std::lock_guard lock(mutex_);
    waiting_for_disk_ = true;
  } catch (const std::exception&) {
    const std::lock_guard lock(mutex_);
    failed_ = std::current_exception();
  }
}

void Store::flush() {
  std::unique_lock lock(mutex_);
  if (failed_) std::rethrow_exception(failed_);
  if (taken_.empty() && blocks_.empty()) return;
  if (!thread_.joinable()) {
    waiting_for_disk_ = true;
    lock.unlock();
    const std::lock_guard work_lock(work_mutex_);
    work(true);
    lock.lock();
    waiting_for_disk_ = false;
    return;
  }
  const std::uint64_t ticket = ++flush_wanted_;
  wake_.notify_one();
  done_.wait(lock, [&] { return stop_ || failed_ || flush_done_ >= ticket; });
  if (failed_) std::rethrow_exception(failed_);
  if (flush_error_) std::rethrow_exception(flush_error_);
}

void Store::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto due = [&] {
      return stop_ || flush_wanted_ > flush_done_ ||
             (taken_bytes_ >= kBlockRawBytes && !waiting_for_disk_);
    };
    // Only while the disk refuses does time count: whoever would flush may be waiting in `take`.
    if (waiting_for_disk_) {
      wake_.wait_for(lock, kRetryAfter, due);
    } else {
      wake_.wait(lock, due);
    }
    if (stop_) break;
    const std::uint64_t ticket = flush_wanted_;
    const bool flush = ticket > flush_done_;
    const bool was_waiting = waiting_for_disk_;
    lock.unlock();
    std::exception_ptr error;
    try {
      const std::lock_guard work_lock(work_mutex_);
      work(flush);
    } catch (const storage::StorageError& refused) {
      error = std::current_exception();
      if (!was_waiting) reporter_.report({folders_.front(), 0, 0, refused.what()});
    } catch (const std::exception&) {
      lock.lock();
      failed_ = std::current_exception();
      break;
    }
    lock.lock();
    waiting_for_disk_ = error != nullptr;
    if (flush) {
      flush_done_ = ticket;
      flush_error_ = error;
      done_.notify_all();
    }
  }
  lock.unlock();
  done_.notify_all();
  room_.notify_all();
}

void Store::work(bool flush) {
  do {
    while (build_block(flush)) {
      std::uint64_t waiting = 0;
      {
        const std::lock_guard lock(mutex_);
        waiting = blocks_bytes_;
      }
      if (waiting >= kMostUnsyncedBytes) break;
    }
    write_blocks();
    std::unique_lock lock(mutex_);
    const bool sync = flush || blocks_bytes_ >= kMostUnsyncedBytes;
    const bool more = flush ? !taken_.empty() : taken_bytes_ >= kBlockRawBytes;
    lock.unlock();
    if (sync) {
      sync_blocks();
      index_blocks();
    }
    if (!more) return;
  } while (true);
}

// Makes one block of the oldest batches taken. False where there are too few.
bool Store::build_block(bool flush) {
  std::vector<BatchPtr> batches;
  {
    const std::lock_guard lock(mutex_);
    if (taken_.empty() || (!flush && taken_bytes_ < kBlockRawBytes)) return false;
    std::uint64_t bytes = 0;
    std::uint64_t next_id = taken_.front()->first_event_id;
    for (const auto& batch : taken_) {
      // Ids within a block have no gap.
      if (bytes >= kBlockRawBytes || batch->first_event_id != next_id) break;
      next_id += batch->count;
      bytes += batch->bytes.size();
      batches.push_back(batch);
    }
  }
  for (const auto& batch : batches) {
    if (!builder_.add(*batch)) {
      reporter_.report({folders_.front(), 0, batch->bytes.size(),
                        "the provenance events from " + std::to_string(batch->first_event_id) +
                            " on are not readable; they are kept as they are"});
    }
  }
  Unindexed built{builder_.finish(), std::nullopt, false};
  const std::lock_guard lock(mutex_);
  for (const auto& batch : batches) taken_bytes_ -= batch->bytes.size();
  taken_.erase(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(batches.size()));
  blocks_bytes_ += built.bytes();
  blocks_.push_back(std::move(built));
  room_.notify_all();
  return true;
}

// Only this thread changes blocks_ (under work_mutex_): others read it, so only changes lock.
void Store::write_blocks() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].written) continue;
    const Block& block = *blocks_[i].block;
    if (writer_ && (writer_->size() >= config_.rollover_bytes ||
                    now_ms_() - file_opened_ms_ >= config_.rollover_time.count())) {
      close_file();
    }
    if (!writer_) open_file(block.summary);
    BlockEntry entry{block.summary, file_, writer_->size() + storage::kRecordFrameBytes, 0};
    entry.summary.durable_before = durable_before_;
    const auto payload = block_payload(block, file_, durable_before_, entry.summary_bytes);
    try {
      writer_->append(records_ + 1, payload);
    } catch (const storage::IoError& error) {
      // A full disk: the file goes on when there is room. Anything else: with another file.
      if (!error.disk_full()) give_file_up();
      throw;
    }
    ++records_;
    const std::lock_guard lock(mutex_);
    blocks_[i].written = std::move(entry);
    event_files_.at(file_).size_bytes = writer_->size();
  }
}

// Files are begun only for a block that is there to be written, so none is ever empty for long.
void Store::open_file(const BlockSummary& first) {
  EventFileName name{first.first_event_id, 0};
  {
    const std::lock_guard lock(mutex_);
    while (event_files_.contains(name)) ++name.generation;
  }
  const auto path = folders_[next_folder_++ % folders_.size()] / to_string(name);
  // Left behind by an attempt that failed.
  if (files_.status(path)) files_.remove(path);
  writer_ = std::make_unique<storage::RecordLogWriter>(
      files_, path,
      storage::RecordLogHeader{kEventFileFormat, kEventFileVersion,
                               name.first_event_id * 31 + name.generation});
  file_ = name;
  folder_synced_ = false;
  durable_before_ = storage::kRecordLogHeaderBytes;
  records_ = 0;
  file_opened_ms_ = now_ms_();
  const std::lock_guard lock(mutex_);
  event_files_[name] = {path, writer_->size()};
}

void Store::close_file() {
  sync_blocks();
  writer_.reset();
}

// What the kernel kept of the unsynced blocks cannot be known: they are written anew elsewhere.
void Store::give_file_up() {
  const auto path = writer_->path();
  writer_.reset();
  const bool nothing_durable = durable_before_ <= storage::kRecordLogHeaderBytes;
  {
    const std::lock_guard lock(mutex_);
    for (auto& unindexed : blocks_) {
      if (!unindexed.synced) unindexed.written.reset();
    }
    if (nothing_durable) {
      event_files_.erase(file_);
    } else {
      event_files_.at(file_).size_bytes = durable_before_;
    }
  }
  try {
    if (nothing_durable) {
      files_.remove(path);
    } else {
      files_.open_append(path, storage::FileSystem::Create::keep)->truncate(durable_before_);
    }
  } catch (const storage::IoError&) {
    // The blocks behind are void anyway as soon as the next file is begun: see valid_before.
  }
}

// With those above it, once: a process that died may have made them and not synced.
void Store::sync_folder(const storage::Path& folder) {
  files_.sync_directory(folder);
  if (durable_folders_.contains(folder)) return;
  files_.sync_directory(folder.parent_path());
  files_.sync_directory(folder.parent_path().parent_path());
  durable_folders_.insert(folder);
}

void Store::sync_blocks() {
  if (!writer_ || std::ranges::none_of(blocks_, [](const Unindexed& unindexed) {
        return unindexed.written && !unindexed.synced;
      })) {
    return;
  }
  try {
    writer_->sync();
    if (!folder_synced_) sync_folder(writer_->path().parent_path());
  } catch (const storage::IoError&) {
    give_file_up();
    throw;
  }
  folder_synced_ = true;
  durable_before_ = writer_->size();
  std::uint64_t sequence = durable_sequence_;
  {
    const std::lock_guard lock(mutex_);
    for (auto& unindexed : blocks_) {
      if (!unindexed.written) continue;
      unindexed.synced = true;
      sequence = std::max(sequence, unindexed.block->summary.last_sequence);
    }
  }
  durable_sequence_ = sequence;
}

// Blocks leave the memory when they can be found without it.
void Store::index_blocks() {
  const auto index = ensure_index();
  try {
    for (const auto& unindexed : blocks_) {
      if (!unindexed.synced) break;
      index->put(*unindexed.written);
    }
  } catch (const IndexError& error) {
    // They are in the event files: the next index finds them there.
    reporter_.report({folders_.front(), 0, 0, error.what()});
    drop_index();
  }
  const std::lock_guard lock(mutex_);
  while (!blocks_.empty() && blocks_.front().synced) {
    blocks_bytes_ -= blocks_.front().bytes();
    blocks_.pop_front();
  }
  room_.notify_all();
}

}  // namespace weir::provenance
