#pragma once

#include <set>

#include "repositories/provenance/block_index.h"

namespace weir::provenance {

// Tells of each unreadable block once, however many questions meet it. Thread safe.
class DamageReporter {
 public:
  explicit DamageReporter(storage::FindingReporter* reporter) : reporter_(reporter) {}
  void report(const storage::Path& path, std::uint64_t offset, std::uint64_t bytes,
              const std::string& what);

 private:
  storage::FindingReporter* const reporter_;
  std::mutex mutex_;
  std::set<std::pair<storage::Path, std::uint64_t>> known_;
};

// Puts into the index what the files hold behind its last entry and below `before_event`, and
// takes out what they do not hold. Tells where events are missing in between.
void catch_up(BlockIndex& index, storage::FileSystem& files, const EventFiles& event_files,
              std::uint64_t before_event, DamageReporter& damage);

// All events at one moment: those in files, found by the index; behind them those in blocks that
// are still in memory; behind them those in no block yet.
struct Snapshot {
  std::shared_ptr<BlockIndex> index;  // null: nothing in files
  std::uint64_t files_before = 0;     // events from this id on are in memory
  EventFiles event_files;
  std::vector<BlockPtr> blocks;
  std::vector<BatchPtr> batches;
};

// Answers one question (a lineage is one) from one snapshot. One thread at a time.
class Search {
 public:
  Search(storage::FileSystem& files, DamageReporter& damage, Snapshot snapshot);

  // Visits all matching events in the query's order. Unreadable blocks are told and left out.
  void scan(const Selection& selection, const EventVisitor& visit);

 private:
  bool scan_files(const Selection& selection, const EventVisitor& visit);
  bool scan_blocks(const Selection& selection, const EventVisitor& visit);
  bool scan_batches(const Selection& selection, const EventVisitor& visit);
  bool visit_entry(const BlockEntry& entry, const Selection& selection, const EventVisitor& visit);
  bool visit_raw(const BlockSummary& summary, std::span<const std::byte> raw,
                 std::uint64_t before_event, const Selection& selection, const EventVisitor& visit);
  const storage::ReadableFile* open(const EventFileName& name);

  storage::FileSystem& files_;
  DamageReporter& damage_;
  const Snapshot snapshot_;
  std::map<EventFileName, std::unique_ptr<storage::ReadableFile>> open_;
  // Decompressed blocks of the last generations of a lineage.
  std::map<std::uint64_t, std::vector<std::byte>> raw_;
};

}  // namespace weir::provenance
