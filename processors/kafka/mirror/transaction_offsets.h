#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "engine/api/environment.h"
#include "processors/kafka/mirror/mirror_events.h"
#include "processors/kafka/mirror/mirror_producer.h"
#include "processors/kafka/mirror/mirror_settings.h"
#include "processors/kafka/mirror/offset_keeper.h"
#include "processors/kafka/mirror/partition_table.h"
#include "processors/kafka/mirror/patience.h"
#include "processors/kafka/mirror/send_gate.h"

namespace weir::processors::kafka {

// Another mirror of the same group has taken this one's place in the target.
class MirrorFenced : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

// Positions in a group of the target cluster, written by the transactions that hold the records
// themselves: both are there or neither. They stand under the names of the source's topics, which
// the target must have too. The group's transactional id lets one mirror at a time commit. Thread
// safe.
class TransactionOffsets : public OffsetKeeper {
 public:
  // Ends what an earlier mirror left open, and begins a transaction. `broken` is told where a
  // transaction cannot be committed: everything is then to be read again from the last positions.
  TransactionOffsets(const MirrorSettings& settings, MirrorProducer& producer, rd_kafka_t* consumer,
                     PartitionTable& partitions, SendGate& gate, MirrorListener& listener,
                     Clock& clock, const Patience& patience, ComponentLog& log,
                     std::function<void(std::exception_ptr)> broken);
  ~TransactionOffsets() override;  // gives up the open transaction

  // Whether the error means that another mirror of the group is at work. Thread safe.
  bool is_taken_over(rd_kafka_resp_err_t code) const;

  void fetch(rd_kafka_topic_partition_list_t& partitions) override;
  // Of all partitions, whichever are asked for: their records are in the same transaction.
  bool commit(const std::vector<MirrorPartitionPtr>& partitions) override;
  std::int64_t position(MirrorPartition& partition) override;
  void release(const std::vector<MirrorPartitionPtr>& partitions) override;

 private:
  struct Due {
    std::vector<MirrorPartitionPtr> partitions;
    std::vector<std::int64_t> positions;
  };

  void begin();
  Due quiesce();
  void commit(const Due& due);
  void try_step(const std::function<rd_kafka_error_t*(int timeout_ms)>& step,
                const std::string& what);
  [[noreturn]] void give_up(rd_kafka_error_t* error, const std::string& what);

  const MirrorSettings& settings_;
  MirrorProducer& producer_;
  rd_kafka_t* const consumer_;
  PartitionTable& partitions_;
  SendGate& gate_;
  MirrorListener& listener_;
  Clock& clock_;
  const Patience& patience_;
  ComponentLog& log_;
  const std::function<void(std::exception_ptr)> broken_;

  std::atomic<std::int64_t> began_ns_{0};

  std::mutex mutex_;  // the committing side of all partitions
  // Guarded by it.
  bool is_open_ = false;
  bool is_doomed_ = false;
};

// How long a transaction may be open before the target gives it up.
std::chrono::milliseconds transaction_timeout(const MirrorSettings& settings);
std::string transactional_id(const MirrorSettings& settings);

}  // namespace weir::processors::kafka
