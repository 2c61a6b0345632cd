#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "processors/kinesis/record.h"

namespace weir::processors::kinesis::testing {

// The lines of the KCL's daemon.
struct FakeRecord {
  std::string data;
  Position position;
  std::string partition_key = "key";
};
std::string initialize_line(std::string_view shard_id, const Position& position);
std::string process_records_line(const std::vector<FakeRecord>& records,
                                 std::int64_t millis_behind_latest = 0);
std::string call_line(std::string_view action);            // leaseLost, shardEnded, ...
std::string checkpoint_line(std::string_view error = {});  // the result; empty: it is written

// A model of the KCL for one shard, with its lease and its store of checkpoints: it writes the
// daemon's lines, reads the child's, and keeps account of what was committed. It speaks in whole
// lines and knows nothing of who carries them. From its seed follow what it calls, which
// checkpoints fail, and when the lease goes.
//
// The shard holds `records` records, numbered in their data from 0, some of them in aggregates.
// Each stay begins with `begin_stay` and ends with `stay_over`.
//
// It watches that
//  - each call is answered once, and a checkpoint is asked for within an open call only, and no
//    further one before the result of the last;
//  - no checkpoint is of a record that was not delivered, or goes back, or leaves a record behind
//    that is not committed; a checkpoint without a position is for the shard's end only;
//  - the commits of one stay go record by record from the stored checkpoint on: so nothing is left
//    out, first occurrences are in order, and duplicates come from behind the checkpoint only;
//  - the shard's end is answered only when it is written, or the lease is gone.
class FakeKcl {
 public:
  struct Settings {
    std::string shard_id = "shardId-000000000000";
    std::size_t records = 60;
    unsigned fail_percent = 15;    // of checkpoints
    unsigned disturb_percent = 4;  // of calls: the lease goes, asked for or not
    std::size_t most_a_call = 6;   // records
  };
  FakeKcl(Settings settings, std::uint64_t seed);

  void begin_stay();
  // What the daemon writes next; nothing while it waits for the child, or once the stay is over.
  std::optional<std::string> line_out();
  void line_in(std::string_view line);
  // Either side died: the stay is over at once.
  void connection_lost();
  // Asks for the lease in the next call, as the daemon does when it is told to end.
  void ask_for_shutdown() { shutdown_wanted_ = true; }

  bool stay_over() const { return stay_over_; }
  bool call_open() const { return !open_call_.empty(); }
  std::uint64_t stay() const { return stay_; }  // from 1
  bool shard_end_written() const { return shard_end_written_; }
  std::size_t stored() const { return stored_; }  // this many records are checkpointed
  std::size_t committed() const { return committed_; }
  std::size_t commits() const { return commits_; }  // duplicates count
  std::size_t delivered() const { return delivered_; }

  // A record as it was delivered is committed for good.
  void commit(const Record& record);
  // The first thing that went wrong; empty: none.
  const std::string& problem() const { return problem_; }

 private:
  std::string call(std::string_view action);
  std::string deliver(std::size_t count);
  void status(std::string_view response_for);
  void checkpoint(std::optional<Position> position);
  std::optional<std::size_t> index_of(const Position& position) const;
  void fail(std::string what);
  bool chance(unsigned percent) { return random_() % 100 < percent; }

  const Settings settings_;
  std::mt19937_64 random_;
  std::vector<Position> shard_;

  std::size_t stored_ = 0, committed_ = 0, commits_ = 0;
  bool shard_end_written_ = false;

  std::uint64_t stay_ = 0;
  bool stay_over_ = true, lease_gone_ = false, lost_called_ = false, shutdown_wanted_ = false,
       shutdown_called_ = false, initialized_ = false;
  std::size_t delivered_ = 0;
  std::string open_call_;                 // its action
  std::optional<std::string> result_;     // a checkpoint's, not yet written
  std::vector<std::size_t> next_commit_;  // by stay
  std::string problem_;
};

}  // namespace weir::processors::kinesis::testing
