#include "repositories/flowfile/write_ahead_repository.h"

#include <algorithm>
#include <cerrno>

#include "repositories/flowfile/commit_codec.h"

namespace weir::flowfile {
namespace {

// Grown by one large commit, a buffer is not kept for ever.
constexpr std::size_t kKeptBufferBytes = 1024 * 1024;

void reuse(std::vector<std::byte>& buffer) {
  buffer.clear();
  if (buffer.capacity() > kKeptBufferBytes) buffer.shrink_to_fit();
}

}  // namespace

WriteAheadRepository::WriteAheadRepository(storage::FileSystem& files,
                                           FlowFileRepositoryConfig config,
                                           std::function<std::int64_t()> now_ms,
                                           std::uint64_t random_seed,
                                           storage::FindingReporter& reporter)
    : files_(files),
      config_(std::move(config)),
      now_ms_(std::move(now_ms)),
      layout_(config_.directory),
      reporter_(reporter),
      journal_(files, layout_.journal(), random_seed),
      swap_random_(random_seed ^ 0x5357415046494C45ull) {
  files_.create_directories(layout_.root);
  lock_ = files_.lock(layout_.lock());
  const auto version = files_.read_small(layout_.version());
  if (!version) {
    if (files_.status(layout_.snapshot()) || files_.status(layout_.journal())) {
      throw storage::RefusedError(layout_.root.string() +
                                  " holds a FlowFile repository without its version file.");
    }
    files_.replace_small(layout_.version(), format::kVersionText);
  } else if (*version != format::kVersionText) {
    throw storage::RefusedError(layout_.root.string() +
                                " holds a FlowFile repository of another version, or something "
                                "else; this program reads \"weir flowfile repository 1\".");
  }
  files_.create_directories(layout_.journal());
  files_.create_directories(layout_.swap());
}

Recovered WriteAheadRepository::recover(content::ContentRepository& contents) {
  contents_ = &contents;
  RecoveryResult result = recover_directory(files_, layout_, contents, RecoveryMode::repair);
  next_id_ = result.counters.next_id;
  next_order_ = result.counters.next_order;
  next_event_id_ = result.counters.next_event_id;
  last_sequence_ = result.last_sequence;
  last_change_ = result.last_change;
  durable_sequence_ = result.durable_sequence;
  snapshot_position_ = result.snapshot_position;
  snapshot_bytes_ = result.snapshot_bytes;
  journal_bytes_ = result.journal_bytes;
  kept_claims_ = std::move(result.kept_claims);
  // What was recovered may not be durable yet, neither the records nor the marks, and is about to
  // be built upon: content that nothing refers to any more goes after this.
  bool unsynced = false;
  for (Segment& segment : result.segments) {
    if (segment.last <= result.snapshot_position) continue;
    segment.unsynced = files_.open_append(segment.path, storage::FileSystem::Create::keep);
    unsynced = true;
  }
  journal_.adopt(std::move(result.segments));
  if (unsynced) {
    const std::lock_guard lock(flush_mutex_);
    flush_locked(true);
  }
  marked_sequence_ = durable_sequence_;
  for (const storage::Finding& finding : result.state.findings) reporter_.report(finding);
  return std::move(result.state);
}

void WriteAheadRepository::set_event_sink(EventSink* sink) {
  sink_ = sink;
}

void WriteAheadRepository::replay_events(std::uint64_t after, EventSink& sink) {
  const std::vector<Segment> segments = journal_.sealed();
  if (segments.empty()) return;
  std::uint64_t from = std::max(after + 1, segments.front().first);
  const auto visit = [&](const storage::RecordView& record, std::size_t, std::string&) {
    take_events(record.sequence, record.payload, sink);
    return true;
  };
  const JournalEnd end = walk_journal(files_, segments, from, visit);
  if (!end.cut) return;
  // Older than the snapshot, or recovery would have cut it: FlowFiles are whole, events are not.
  reporter_.report(end.finding);
  for (std::size_t i = end.segment + 1; i < segments.size(); ++i) {
    const std::vector<Segment> rest(segments.begin() + static_cast<std::ptrdiff_t>(i),
                                    segments.end());
    if (!walk_journal(files_, rest, rest.front().first, visit).cut) return;
  }
}

void WriteAheadRepository::require_usable() const {
  if (sync_failed_.load(std::memory_order_relaxed)) {
    throw storage::IoError(
        "commit to the journal after a sync failed (what is on disk is not known any more: "
        "restart the engine)",
        layout_.journal(), EIO);
  }
}

void WriteAheadRepository::commit(Commit&& commit) {
  static thread_local std::vector<std::byte> payload;
  reuse(payload);
  encode_commit(commit, payload);
  Pending pending;
  pending.payload = &payload;
  pending.event_count = commit.event_count;
  pending.events = &commit.events;
  for (const FlowFileUpdate& update : commit.updates) {
    if (update.kind != FlowFileUpdate::Kind::drop) ++pending.entered;
  }
  write(pending);
  std::uint64_t order = pending.first_order;
  for (const FlowFileUpdate& update : commit.updates) {
    if (update.kind != FlowFileUpdate::Kind::drop) update.record->set_arrival(order++);
  }
}

void WriteAheadRepository::write(Pending& pending) {
  if (pending.payload->size() > storage::kMaximumRecordBytes) {
    // Alone, so that it does not fail with others in its group.
    throw storage::IoError(
        "commit a transaction of " + std::to_string(pending.payload->size()) + " bytes to",
        layout_.journal(), EFBIG);
  }
  group_commit_.submit(pending,
                       [this](std::span<GroupCommit::Item* const> group) { write_group(group); });
}

void WriteAheadRepository::run_alone(const std::function<void()>& work) {
  GroupCommit::Item item;
  item.alone = true;
  group_commit_.submit(item, [&work](std::span<GroupCommit::Item* const>) { work(); });
}

void WriteAheadRepository::open_segment() {
  journal_.open_segment(last_sequence_.load(std::memory_order_relaxed) + 1);
  open_record_due_ = true;
}

void WriteAheadRepository::write_group(std::span<GroupCommit::Item* const> group) {
  require_usable();
  if (journal_.wants_segment(config_.segment_bytes)) open_segment();
  reuse(frames_);
  std::uint64_t sequence = last_sequence_.load(std::memory_order_relaxed);
  std::uint64_t order = next_order_;
  std::uint64_t event_id = next_event_id_;
  std::uint64_t last_with_events = 0;
  std::uint64_t last_change = 0;
  if (open_record_due_) {
    open_payload_.clear();
    encode_open({.boot_id = files_.boot_id(),
                 .always_sync = config_.always_sync,
                 .next_order = next_order_,
                 .next_id = next_id_.load(std::memory_order_relaxed),
                 .next_event_id = next_event_id_},
                open_payload_);
    journal_.frame(++sequence, open_payload_, frames_);
  }
  for (GroupCommit::Item* item : group) {
    auto& pending = static_cast<Pending&>(*item);
    pending.sequence = ++sequence;
    if (!pending.is_mark) last_change = sequence;
    pending.first_order = order;
    order += pending.entered;
    if (pending.event_count > 0) {
      pending.first_event_id = event_id;
      patch_first_event_id(*pending.payload, event_id);
      event_id += pending.event_count;
      last_with_events = sequence;
    }
    journal_.frame(sequence, *pending.payload, frames_);
  }
  const std::uint64_t good_size = journal_.open_size();
  journal_.append(frames_);
  if (config_.always_sync) {
    try {
      journal_.sync_open(good_size);
    } catch (const storage::IoError&) {
      sync_failed_ = true;
      throw;
    }
  }
  journal_.appended(sequence, last_with_events);
  open_record_due_ = false;
  next_order_ = order;
  next_event_id_ = event_id;
  if (last_change != 0) last_change_.store(last_change, std::memory_order_release);
  last_sequence_.store(sequence, std::memory_order_release);
  commits_.fetch_add(group.size(), std::memory_order_relaxed);
  groups_.fetch_add(1, std::memory_order_relaxed);
  bytes_written_.fetch_add(frames_.size(), std::memory_order_relaxed);
  journal_bytes_.fetch_add(frames_.size(), std::memory_order_relaxed);
  EventSink* const sink = sink_.load(std::memory_order_relaxed);
  if (sink == nullptr) return;
  for (GroupCommit::Item* item : group) {
    auto& pending = static_cast<Pending&>(*item);
    if (pending.event_count == 0) continue;
    sink->take(pending.sequence, pending.first_event_id, pending.event_count,
               std::move(*pending.events));
  }
}

FlowFileRepository::Statistics WriteAheadRepository::statistics() const {
  return {.commits = commits_,
          .groups = groups_,
          .bytes_written = bytes_written_,
          .journal_bytes = journal_bytes_,
          .snapshots = snapshots_,
          .checkpoints = checkpoints_};
}

std::unique_ptr<FlowFileRepository> open_write_ahead_repository(
    storage::FileSystem& files, FlowFileRepositoryConfig config,
    std::function<std::int64_t()> now_ms, std::uint64_t random_seed,
    storage::FindingReporter& reporter) {
  return std::make_unique<WriteAheadRepository>(files, std::move(config), std::move(now_ms),
                                                random_seed, reporter);
}

}  // namespace weir::flowfile
