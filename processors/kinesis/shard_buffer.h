#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "processors/kinesis/record.h"

namespace weir::processors::kinesis {

// How a shard's stay here comes to its end.
enum class ShardEnd {
  none,
  shard_ended,         // closed by a split or merge: everything is committed, then checkpointed
  shutdown_requested,  // the lease goes: what can be committed in time is checkpointed
  lease_lost,          // it is gone: nothing is checkpointed any more
};

// The records of one shard between the KCL and the processor (NIFI-14727). Two queues: what came
// in waits in PENDING; what a processor was given is IN_PROGRESS until it is committed. Not thread
// safe: RecordBuffer guards it, and is the only one to touch it.
class ShardBuffer {
 public:
  ShardBuffer(std::uint64_t id, std::string shard_id) : id_(id), shard_id_(std::move(shard_id)) {}

  std::uint64_t id() const { return id_; }  // never used again, not for the same shard either
  const std::string& shard_id() const { return shard_id_; }

  // A batch without records leaves only its millis_behind_latest.
  void add(RecordBatchPtr batch, std::int64_t now_ns);
  // Moves all of PENDING to the end of IN_PROGRESS and gives all of IN_PROGRESS, in order.
  const std::vector<RecordBatchPtr>& consume();
  // What the last `consume` gave was processed: its last position may be checkpointed. Gives the
  // batches that are dropped, so that they are freed where it holds nobody up. Nothing happens
  // where nothing was consumed since the last commit or rollback.
  std::vector<RecordBatchPtr> commit();
  // IN_PROGRESS may not have been processed: kept for the next `consume`.
  void roll_back() { given_ = false; }
  // Drops everything that is not committed.
  void clear();

  // The last position of what was committed, and where the checkpoint known to be written stands.
  const std::optional<Position>& committed() const { return committed_; }
  const std::optional<Position>& checkpointed() const { return checkpointed_; }
  // Never moves backwards; false where it would.
  bool set_checkpointed(const Position& position);
  // What is to be checkpointed next, where something is.
  const Position* to_checkpoint() const;

  ShardEnd end() const { return end_; }
  void set_end(ShardEnd end) { end_ = end; }

  bool empty() const { return pending_.empty() && in_progress_.empty(); }
  bool retrying() const { return !given_ && !in_progress_.empty(); }  // after a rollback
  std::size_t bytes() const { return pending_bytes_ + in_progress_bytes_; }
  std::size_t records() const { return pending_records_ + in_progress_records_; }
  // When the oldest record that is not committed came in; steady clock. Only where not empty.
  std::int64_t oldest_ns() const;
  std::int64_t millis_behind_latest() const { return millis_behind_latest_; }
  void set_millis_behind_latest(std::int64_t millis) { millis_behind_latest_ = millis; }

 private:
  struct Pending {
    RecordBatchPtr batch;
    std::int64_t arrived_ns = 0;
  };

  const std::uint64_t id_;
  const std::string shard_id_;
  std::deque<Pending> pending_;
  std::vector<RecordBatchPtr> in_progress_;
  std::int64_t in_progress_oldest_ns_ = 0;
  bool given_ = false;  // IN_PROGRESS, whole, to somebody who may commit it
  std::size_t pending_bytes_ = 0, in_progress_bytes_ = 0;
  std::size_t pending_records_ = 0, in_progress_records_ = 0;
  std::int64_t millis_behind_latest_ = 0;
  std::optional<Position> committed_;
  std::optional<Position> checkpointed_;
  ShardEnd end_ = ShardEnd::none;
};

}  // namespace weir::processors::kinesis
