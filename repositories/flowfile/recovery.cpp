#include "repositories/flowfile/recovery.h"

#include <algorithm>

#include "repositories/flowfile/content_check.h"
#include "repositories/flowfile/queue_builder.h"
#include "repositories/flowfile/swap_file.h"

namespace weir::flowfile {
namespace {

class Recovery {
 public:
  Recovery(storage::FileSystem& files, const Layout& layout, content::ContentRepository& contents,
           RecoveryMode mode)
      : files_(files), layout_(layout), contents_(contents), mode_(mode) {}

  RecoveryResult run() {
    choose_snapshot();
    list_journal();
    replay();
    return std::move(result_);
  }

 private:
  bool repair() const { return mode_ == RecoveryMode::repair; }

  void find(storage::Finding finding) { result_.state.findings.push_back(std::move(finding)); }

  bool complete(const storage::Path& path) const {
    try {
      SnapshotReader(files_, path)
          .read([](const PlainFlowFile&, storage::Bytes) {}, [](SwapSummary&&) {});
      return true;
    } catch (const storage::DamagedError&) {
      return false;
    }
  }

  void choose_snapshot();
  void list_journal();
  void finish_repairs(const std::vector<std::string>& repairs);
  bool other_boot();
  void replay();
  bool replay_swap_in(const std::string& name, const BatchVisitor& visit);
  void settle(const JournalEnd& end);
  void set_aside_cut(const JournalEnd& end);
  void check_swap_folder(const QueueBuilder& queues, const JournalState& journal);

  storage::FileSystem& files_;
  const Layout& layout_;
  content::ContentRepository& contents_;
  const RecoveryMode mode_;
  RecoveryResult result_;
  std::optional<storage::Path> snapshot_;
  std::vector<storage::Path> superseded_;  // partial snapshots to remove when all went well
  bool power_lost_ = false;
};

void Recovery::choose_snapshot() {
  std::vector<std::uint64_t> partials;
  for (const storage::DirectoryEntry& entry : files_.list(layout_.root)) {
    if (const auto position = parse_position(entry.name, kPartialSuffix)) {
      partials.push_back(*position);
    }
  }
  std::sort(partials.rbegin(), partials.rend());
  if (files_.status(layout_.snapshot())) {
    snapshot_ = layout_.snapshot();
  } else {
    for (const std::uint64_t position : partials) {
      if (!complete(layout_.partial(position))) continue;
      snapshot_ = layout_.partial(position);
      break;
    }
  }
  for (const std::uint64_t position : partials) {
    if (snapshot_ != layout_.partial(position)) superseded_.push_back(layout_.partial(position));
  }
  if (snapshot_ && repair() && *snapshot_ != layout_.snapshot()) {
    files_.rename(*snapshot_, layout_.snapshot());
    files_.sync_directory(layout_.root);
    snapshot_ = layout_.snapshot();
  }
}

void Recovery::list_journal() {
  if (!files_.status(layout_.journal())) return;
  std::vector<std::string> repairs;
  const auto other = [&](const std::string& name) {
    if (parse_position(name, kRepairSuffix)) {
      repairs.push_back(name);
    } else {
      find({.file = layout_.journal() / name, .what = "not a file of the journal; left alone"});
    }
  };
  result_.segments = list_segments(files_, layout_.journal(), other);
  if (repair() && !repairs.empty()) {
    finish_repairs(repairs);
    result_.segments = list_segments(files_, layout_.journal(), [](const std::string&) {});
  }
}

// A start that ended while it set a damaged segment aside: the good part replaces the segment
// once that is in `damaged/`, and is made again where it is not.
void Recovery::finish_repairs(const std::vector<std::string>& repairs) {
  for (const std::string& name : repairs) {
    const storage::Path repaired = layout_.journal() / name;
    const storage::Path segment = layout_.journal() / name.substr(0, 20);
    if (files_.status(segment)) {
      files_.remove(repaired);
    } else {
      files_.rename(repaired, segment);
    }
  }
  files_.sync_directory(layout_.journal());
}

// Whether the machine was started again since the journal was last written.
bool Recovery::other_boot() {
  for (auto segment = result_.segments.rbegin(); segment != result_.segments.rend(); ++segment) {
    try {
      storage::RecordLogReader log(files_, segment->path, format::kJournal, format::kVersion);
      if (log.next() != storage::RecordLogReader::Status::record) continue;
      storage::Decoder in(log.record().payload);
      if (in.u8() != static_cast<std::uint8_t>(format::RecordKind::open)) continue;
      return decode_open(in).boot_id != files_.boot_id();
    } catch (const storage::DamagedError&) {
      continue;  // the walk reports it
    } catch (const storage::DecodeError&) {
      continue;
    }
  }
  return !result_.segments.empty();
}

bool Recovery::replay_swap_in(const std::string& name, const BatchVisitor& visit) {
  const storage::Path path = layout_.swap(name);
  try {
    if (!files_.status(path)) throw storage::DamagedError(path, 0, "the swap file is missing");
    read_swap_file(files_, path, [](const PlainFlowFile&, storage::Bytes) {});
    read_swap_file(files_, path, visit);
    return true;
  } catch (const storage::DamagedError& error) {
    find({.file = path, .offset = error.offset(), .what = error.what()});
    result_.state.unreadable_records = true;
    return false;
  }
}

void Recovery::replay() {
  std::optional<SnapshotReader> snapshot;
  const auto refuse = [this](const storage::DamagedError& error) {
    return storage::RefusedError(
        "The snapshot of the FlowFile repository is damaged, and starting without it would lose "
        "FlowFiles: " +
        std::string(error.what()) +
        ". Restore the directory from a copy, or move it away to start empty.");
  };
  try {
    if (snapshot_) {
      snapshot.emplace(files_, *snapshot_);
      result_.snapshot_position = snapshot->header().position;
      result_.snapshot_bytes = files_.status(*snapshot_)->size_bytes;
    } else if (!result_.segments.empty() && result_.segments.front().first > 1) {
      throw storage::RefusedError("The snapshot " + layout_.snapshot().string() +
                                  " is missing, though the journal goes on from record " +
                                  std::to_string(result_.segments.front().first) +
                                  ": starting would lose FlowFiles.");
    }
    ContentCheck check(files_, layout_, contents_);
    power_lost_ = repair() && other_boot();
    check.prepare(result_.segments, result_.snapshot_position, snapshot_ ? &*snapshot_ : nullptr,
                  power_lost_);
    result_.durable_sequence = check.durable_sequence();

    JournalState journal(snapshot ? snapshot->header().counters : Counters{},
                         [this](const std::string& name, const BatchVisitor& visit) {
                           return replay_swap_in(name, visit);
                         });
    const JournalEnd end =
        walk_journal(files_, result_.segments, result_.snapshot_position + 1,
                     [&](const storage::RecordView& record, std::size_t segment, std::string& why) {
                       if (power_lost_ && !check.passes(record, why)) return false;
                       journal.apply(record.payload);
                       const auto kind = static_cast<format::RecordKind>(record.payload[0]);
                       if (kind == format::RecordKind::commit) {
                         result_.segments[segment].last_with_events = record.sequence;
                       }
                       if (kind != format::RecordKind::open && kind != format::RecordKind::mark) {
                         result_.last_change = record.sequence;
                       }
                       result_.journal_bytes += record.payload.size() + storage::kRecordFrameBytes;
                       return true;
                     });
    QueueBuilder queues(contents_, journal.names());
    journal.merge(snapshot ? &*snapshot : nullptr, queues);
    result_.counters = journal.counters();
    result_.last_sequence = end.last_sequence;
    result_.last_change = std::max(result_.last_change, result_.snapshot_position);
    result_.state.journal_records = end.records;
    settle(end);
    check_swap_folder(queues, journal);
    queues.finish(layout_, result_.state, result_.kept_claims);
  } catch (const storage::DamagedError& error) {
    throw refuse(error);
  }
}

// Puts the directory in order behind what was used.
void Recovery::settle(const JournalEnd& end) {
  std::vector<Segment>& segments = result_.segments;
  if (end.cut) {
    set_aside_cut(end);
  } else if (end.torn) {
    storage::Finding finding = end.finding;
    finding.what += "; it was never finished and is left out";
    find(std::move(finding));
  }
  // A segment without any record would take the name of the next one.
  while (!segments.empty() && end.last_sequence < segments.back().first) {
    if (repair()) files_.remove(segments.back().path);
    segments.pop_back();
  }
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segments[i].last = i + 1 < segments.size() ? segments[i + 1].first - 1 : end.last_sequence;
    if (segments[i].last_with_events == 0 && segments[i].first <= result_.snapshot_position) {
      segments[i].last_with_events = std::min(segments[i].last, result_.snapshot_position);
    }
  }
  if (!repair()) return;
  for (const storage::Path& path : superseded_) files_.remove(path);
}

void Recovery::set_aside_cut(const JournalEnd& end) {
  std::vector<Segment>& segments = result_.segments;
  storage::Finding finding = end.finding;
  // What a loss of power took behind the last mark is an expected loss; anything else may still
  // be repaired by hand, and the content that goes with it must stay.
  const bool expected = power_lost_ && end.last_sequence >= result_.durable_sequence;
  if (!expected) result_.state.unreadable_records = true;
  finding.what += expected ? "; the loss of power took this record and those behind it"
                           : "; this record and those behind it are not used";
  finding.bytes = segments[end.segment].bytes - std::min(end.offset, segments[end.segment].bytes);
  for (std::size_t i = end.segment + 1; i < segments.size(); ++i) {
    finding.bytes += segments[i].bytes;
  }
  if (repair()) {
    // From the last to the first: whatever is still there when this start ends early has no
    // hole that a later start could overlook.
    for (std::size_t i = segments.size(); --i > end.segment;) {
      set_aside(files_, layout_, segments[i].path);
    }
    const Segment& cut = segments[end.segment];
    const bool keeps_records = end.offset > storage::kRecordLogHeaderBytes;
    storage::Path repaired = cut.path;
    repaired += kRepairSuffix;
    if (keeps_records) copy_prefix(files_, cut.path, end.offset, repaired);
    const storage::Path aside = set_aside(files_, layout_, cut.path);
    if (keeps_records) {
      files_.rename(repaired, cut.path);
      files_.sync_directory(layout_.journal());
    }
    finding.what += "; set aside as " + aside.string();
  }
  segments.resize(end.segment + (end.offset > storage::kRecordLogHeaderBytes ? 1 : 0));
  find(std::move(finding));
}

void Recovery::check_swap_folder(const QueueBuilder& queues, const JournalState& journal) {
  if (!files_.status(layout_.swap())) return;
  std::set<std::string> present;
  const auto& finished = journal.finished_swap_files();
  for (const storage::DirectoryEntry& entry : files_.list(layout_.swap())) {
    present.insert(entry.name);
    if (queues.knows_swap_file(entry.name)) continue;
    // Kept until the checkpoint whose snapshot is behind the swap in.
    if (std::find(finished.begin(), finished.end(), entry.name) != finished.end()) continue;
    const storage::Path path = layout_.swap(entry.name);
    std::string why = "a swap file that no FlowFile was committed to";
    bool ours = false;
    try {
      ours = read_swap_summary(files_, path).name == entry.name;
      if (!ours) why = "a swap file under another name than its own; ignored";
    } catch (const storage::DamagedError&) {
      why = "not a readable swap file, and nothing refers to it; ignored";
    } catch (const storage::RefusedError&) {
      why = "a swap file of another version, and nothing refers to it; ignored";
    }
    const bool remove = ours && repair() && !result_.state.unreadable_records &&
                        (snapshot_ || !result_.segments.empty());
    find({.file = path, .what = why + (remove ? "; removed" : "")});
    if (remove) files_.remove(path);
  }
  for (const std::string& name : queues.swap_files()) {
    if (!present.contains(name)) {
      find({.file = layout_.swap(name), .what = "the swap file is missing"});
    }
  }
}

}  // namespace

RecoveryResult recover_directory(storage::FileSystem& files, const Layout& layout,
                                 content::ContentRepository& contents, RecoveryMode mode) {
  return Recovery(files, layout, contents, mode).run();
}

}  // namespace weir::flowfile
