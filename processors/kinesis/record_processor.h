#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/api/component.h"
#include "processors/kinesis/protocol.h"
#include "processors/kinesis/record_buffer.h"

namespace weir::processors::kinesis {

struct CheckpointRules {
  std::chrono::nanoseconds interval{0};  // at most one checkpoint a shard in this time
  // How long the answer to a call is held back, where a checkpoint is due, for its records to be
  // committed: so their checkpoint need not wait for the shard's next call. Held back in vain, no
  // further answer is until there was something to checkpoint.
  std::chrono::nanoseconds hold_back = std::chrono::milliseconds(250);
  // How long shutdownRequested is held back for the rest to be committed.
  std::chrono::nanoseconds shutdown_grace = std::chrono::seconds(5);
  std::chrono::nanoseconds retry_after = std::chrono::seconds(1);  // of a checkpoint that failed
};

// The adapter between the KCL's events of one shard and the RecordBuffer (NIFI-14727). Knows the
// protocol's rules: one call at a time, a checkpoint only within processRecords, shardEnded or
// shutdownRequested, a checkpoint's result before anything else, every call answered once. Does no
// input or output and starts no thread: who drives it reads lines, looks at the deadline, and
// writes what it sends. One a connection; not thread safe.
//
// Checkpoints are sent
//  - in processRecords: where something committed waits and the interval is over, or where the
//    call is empty and all is committed (an idle shard);
//  - in shardEnded: once everything of the shard is committed, then the shard's end; tried again
//    until it is written or the lease is lost, since the KCL never starts the children otherwise;
//  - in shutdownRequested: once everything is committed or the grace time is over.
class ConsumeKinesisRecordProcessor {
 public:
  using Send = std::function<void(std::string line)>;

  ConsumeKinesisRecordProcessor(RecordBuffer& buffer, CheckpointRules rules, Clock& clock,
                                ComponentLog& log, Send send);
  ~ConsumeKinesisRecordProcessor();  // as `closed`

  // The next message of the daemon. False where it breaks the protocol: close the connection.
  bool message(protocol::Message message);
  // The buffer of this shard changed, or the deadline is over.
  void progress();
  // When `progress` is wanted at the latest; steady clock.
  std::optional<std::int64_t> deadline_ns() const;
  // The processor stops: nothing more will be committed, so no call waits for it any longer.
  // What is committed is checkpointed in the call that is open or comes next. A shardEnded whose
  // records are not all committed stays unanswered: answering it would lose them.
  void stop();
  // The other side is gone: the buffer is invalid from now on.
  void closed();

  const std::optional<ShardBufferId>& buffer_id() const { return id_; }
  // True between a call and its answer.
  bool call_open() const;

 private:
  enum class Call { none, process_records, shard_ended, shutdown_requested };
  enum class Wait { none, commit, checkpoint, retry };

  bool take(const protocol::Initialize& message);
  bool take(const protocol::ProcessRecords& message);
  bool take(const protocol::LeaseLost& message);
  bool take(const protocol::ShardEnded& message);
  bool take(const protocol::ShutdownRequested& message);
  bool take(const protocol::CheckpointResult& message);
  bool breach(std::string_view what);
  // False, and a breach, where a call cannot begin now.
  bool may_begin(std::string_view what);
  void begin(Call call);

  void step();
  void step_process_records();
  void step_shard_ended();
  void step_shutdown_requested();
  void wait(Wait what, std::optional<std::int64_t> deadline_ns);
  void send_checkpoint(std::optional<Position> position);
  void answer();

  void checkpoint_written();
  void checkpoint_failed(const std::string& error);
  std::optional<Position> to_checkpoint() const;

  RecordBuffer& buffer_;
  const CheckpointRules rules_;
  Clock& clock_;
  ComponentLog& log_;
  const Send send_;
  std::optional<ShardBufferId> id_;

  Call call_ = Call::none;
  Wait wait_ = Wait::none;  // what keeps the open call from its answer
  std::optional<std::int64_t> deadline_ns_;
  bool empty_call_ = false;               // it brought no records
  std::int64_t grace_end_ns_ = 0;         // of shutdownRequested
  std::optional<Position> asked_;         // the position on its way; none: the shard's end
  std::optional<std::int64_t> due_ns_;    // of the next checkpoint; none: the first, due at once
  std::optional<std::int64_t> retry_ns_;  // none is tried before this time
  std::optional<Position> hopeless_;      // the KCL will never take this one
  // A hold in vain is not repeated before there was something to checkpoint: a processor that is
  // slow must not make the KCL slow as well.
  bool may_hold_ = true;
  bool lease_gone_ = false;     // a checkpoint said so
  bool refused_ = false;        // records came that were not added
  bool ended_ = false;          // shardEnded came
  bool lost_ = false;           // leaseLost came
  bool end_postponed_ = false;  // said so
  bool stopped_ = false;
  bool closed_ = false;
};

}  // namespace weir::processors::kinesis
