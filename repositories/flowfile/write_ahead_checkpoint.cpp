#include <algorithm>

#include "repositories/flowfile/queue_builder.h"
#include "repositories/flowfile/swap_file.h"
#include "repositories/flowfile/write_ahead_repository.h"

namespace weir::flowfile {
namespace {

// A snapshot is due when the journal has grown by its size, and never for less than this: the
// cost of writing it is then at most that of the journal itself.
constexpr std::uint64_t kLeastJournalBytes = 16u << 20;

// Writes the merged state to a snapshot, and picks the ranges of the claims that the content
// repository asked about on the way.
class SnapshotBuilder : public JournalState::Visitor {
 public:
  SnapshotBuilder(SnapshotWriter& writer, const Names& names,
                  std::span<const content::ResourceClaimPtr> candidates, content::LiveRanges& live)
      : writer_(writer), names_(names), live_(live) {
    for (const content::ResourceClaimPtr& candidate : candidates) {
      candidates_[{candidate->container, candidate->section, candidate->identifier}] =
          candidate.get();
      live_[candidate.get()];
    }
  }

  void flow_file(const PlainFlowFile& file, std::uint32_t connection) override {
    writer_.add(file, connection, names_.encoded(connection));
    collect(file.claim);
  }
  void swap_file(SwapSummary&& summary) override {
    writer_.add(summary);
    for (const content::ClaimLocation& claim : summary.claims) {
      if (candidates_.empty()) break;
      const auto it = candidates_.find({claim.container, claim.section, claim.identifier});
      if (it == candidates_.end()) continue;
      // A lost swap file cannot tell which ranges it holds: all of the claim stays.
      if (summary.lost) {
        live_.erase(it->second);
        candidates_.erase(it);
      } else if (to_read_.empty() || to_read_.back() != summary.name) {
        to_read_.push_back(summary.name);
      }
    }
  }
  void unknown(std::uint64_t id) override { unknown_.push_back(id); }

  void collect(const PlainClaim& claim) {
    if (candidates_.empty() || claim.length == 0) return;
    const auto it =
        candidates_.find({std::string(claim.container), claim.section, claim.identifier});
    if (it != candidates_.end()) live_[it->second].emplace_back(claim.offset, claim.length);
  }
  // Swap files that hold content of candidates.
  const std::vector<std::string>& to_read() const { return to_read_; }
  const std::vector<std::uint64_t>& unknown_ids() const { return unknown_; }

 private:
  SnapshotWriter& writer_;
  const Names& names_;
  content::LiveRanges& live_;
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, const content::ResourceClaim*>
      candidates_;
  std::vector<std::string> to_read_;
  std::vector<std::uint64_t> unknown_;
};

}  // namespace

void WriteAheadRepository::flush() {
  const std::lock_guard lock(flush_mutex_);
  flush_locked(false);
}

void WriteAheadRepository::flush_locked(bool sync_mark) {
  const std::uint64_t sequence = last_change_.load(std::memory_order_acquire);
  if (sequence <= durable_sequence_ && (!sync_mark || marked_sequence_ >= durable_sequence_))
    return;
  require_usable();
  sync_everything();
  if (sequence > durable_sequence_ && (sync_mark || !config_.always_sync)) {
    std::vector<std::byte> payload;
    encode_mark(sequence, payload);
    Pending mark;
    mark.payload = &payload;
    mark.is_mark = true;
    write(mark);
    if (sync_mark) sync_everything();
  }
  durable_sequence_ = std::max(durable_sequence_, sequence);
  if (sync_mark) marked_sequence_ = durable_sequence_;
}

void WriteAheadRepository::sync_everything() {
  std::vector<std::unique_ptr<storage::RecordLogWriter>> swap_files;
  {
    const std::lock_guard lock(swap_mutex_);
    swap_files.swap(unsynced_swap_files_);
  }
  try {
    contents_->sync_all();
    for (const auto& swap_file : swap_files) swap_file->sync();
    if (!swap_files.empty()) files_.sync_directory(layout_.swap());
    journal_.sync_all();
  } catch (const storage::IoError&) {
    sync_failed_ = true;
    throw;
  }
}

std::uint64_t WriteAheadRepository::seal_journal() {
  std::uint64_t position = 0;
  run_alone([&] {
    journal_.seal();
    position = last_sequence_.load(std::memory_order_relaxed);
  });
  return position;
}

void WriteAheadRepository::checkpoint(std::uint64_t durable_events, bool force) {
  const std::lock_guard lock(checkpoint_mutex_);
  contents_->begin_checkpoint();
  promote_partial();  // of a checkpoint that could not rename it
  const bool grown = last_change_.load(std::memory_order_acquire) > snapshot_position_;
  const bool due =
      grown && (force || journal_bytes_.load() > std::max(kLeastJournalBytes, snapshot_bytes_));
  content::LiveRanges live;
  if (due) {
    const std::uint64_t journal_bytes = journal_bytes_.load();
    const std::uint64_t position = seal_journal();
    {
      const std::lock_guard flush_lock(flush_mutex_);
      require_usable();
      sync_everything();
    }
    write_partial(position, live, partial_finished_swap_files_);
    journal_bytes_ -= std::min(journal_bytes, journal_bytes_.load());
  } else {
    // The commits that let go of content must be durable before it goes.
    const std::lock_guard flush_lock(flush_mutex_);
    flush_locked(!config_.always_sync);
  }
  promote_partial();
  journal_.remove_finished(snapshot_position_, durable_events);
  contents_->finish_checkpoint(live);
  ++checkpoints_;
}

void WriteAheadRepository::write_partial(std::uint64_t position, content::LiveRanges& live,
                                         std::vector<std::string>& finished_swap_files) {
  const storage::Path path = layout_.partial(position);
  std::vector<Segment> segments = journal_.sealed();
  std::erase_if(segments, [&](const Segment& segment) { return segment.first > position; });
  std::optional<SnapshotReader> base;
  if (files_.status(layout_.snapshot())) base.emplace(files_, layout_.snapshot());
  JournalState journal(base ? base->header().counters : Counters{},
                       [this](const std::string& name, const BatchVisitor& visit) {
                         read_swap_file(files_, layout_.swap(name), visit);
                         return true;
                       });
  const JournalEnd end =
      walk_journal(files_, segments, snapshot_position_ + 1,
                   [&](const storage::RecordView& record, std::size_t, std::string&) {
                     // Behind the position stand at most records of commits that failed.
                     if (record.sequence <= position) journal.apply(record.payload);
                     return true;
                   });
  if (end.last_sequence < position) {
    // The live state is whole; only the files are not. They stay as they are for a repair.
    throw storage::DamagedError(end.cut || end.torn ? end.finding.file : layout_.journal(),
                                end.finding.offset,
                                "record " + std::to_string(end.last_sequence + 1) +
                                    " cannot be read back: " + end.finding.what);
  }
  if (files_.status(path)) files_.remove(path);
  try {
    std::uint64_t salt;
    {
      const std::lock_guard swap_lock(swap_mutex_);
      salt = swap_random_();
    }
    SnapshotWriter writer(files_, path, salt,
                          {.position = position, .counters = journal.counters()});
    const auto candidates = contents_->sparse_candidates();
    SnapshotBuilder builder(writer, journal.names(), candidates, live);
    journal.merge(base ? &*base : nullptr, builder);
    if (!builder.unknown_ids().empty()) {
      throw storage::DamagedError(
          layout_.snapshot(), 0,
          describe_ids(builder.unknown_ids()) + " of the journal are in no snapshot");
    }
    for (const std::string& name : builder.to_read()) {
      read_swap_file(files_, layout_.swap(name), [&](const PlainFlowFile& file, storage::Bytes) {
        builder.collect(file.claim);
      });
    }
    writer.finish();
    snapshot_bytes_ = writer.size();
    bytes_written_.fetch_add(writer.size(), std::memory_order_relaxed);
  } catch (const storage::StorageError&) {
    if (files_.status(path)) files_.remove(path);
    throw;
  }
  finished_swap_files = journal.finished_swap_files();
  partial_ = position;
  ++snapshots_;
}

// The checkpoint itself: from here on the snapshot counts.
void WriteAheadRepository::promote_partial() {
  if (!partial_) return;
  files_.rename(layout_.partial(*partial_), layout_.snapshot());
  files_.sync_directory(layout_.root);
  snapshot_position_ = *partial_;
  {
    // All up to the position was durable before the snapshot was written.
    const std::lock_guard lock(flush_mutex_);
    durable_sequence_ = std::max(durable_sequence_, snapshot_position_);
    marked_sequence_ = std::max(marked_sequence_, snapshot_position_);
  }
  partial_.reset();
  for (const std::string& name : partial_finished_swap_files_) {
    if (files_.status(layout_.swap(name))) files_.remove(layout_.swap(name));
  }
  partial_finished_swap_files_.clear();
}

}  // namespace weir::flowfile
