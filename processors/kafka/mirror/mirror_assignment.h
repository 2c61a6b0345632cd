#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "processors/kafka/mirror/data_channel.h"
#include "processors/kafka/mirror/mirror_events.h"
#include "processors/kafka/mirror/mirror_failures.h"
#include "processors/kafka/mirror/mirror_memory.h"
#include "processors/kafka/mirror/mirror_producer.h"
#include "processors/kafka/mirror/mirror_settings.h"
#include "processors/kafka/mirror/offset_keeper.h"
#include "processors/kafka/mirror/partition_table.h"
#include "processors/kafka/mirror/patience.h"
#include "processors/kafka/mirror/topic_keeper.h"

namespace weir::processors::kafka {

using Channels = std::vector<std::unique_ptr<DataChannel>>;

// Takes partitions up and gives them up. All on the consumer's thread.
//
// Before a partition is given up: what of it waits in its channel is cleared, the target's
// acknowledgements of what was sent are awaited (bounded), what is acknowledged is committed. So
// the next owner begins where this one ended. A partition that was lost commits nothing: somebody
// else may have it already.
class MirrorAssignment {
 public:
  MirrorAssignment(const MirrorSettings& settings, rd_kafka_t* consumer, OffsetKeeper& offsets,
                   PartitionTable& partitions, MirrorProducer& producer, Channels& channels,
                   MirrorListener& listener, const MirrorMemory& memory, const Patience& patience)
      : settings_(settings),
        consumer_(consumer),
        offsets_(offsets),
        partitions_(partitions),
        producer_(producer),
        channels_(channels),
        listener_(listener),
        memory_(memory),
        patience_(patience) {}

  DataChannel& channel(const std::string& topic, std::int32_t partition) const;

  // librdkafka's callback. What it throws is kept for `check`, as there is C in between.
  void rebalance(rd_kafka_resp_err_t what, rd_kafka_topic_partition_list_t& list) noexcept;
  void check();

  // Without a group: takes these up as well.
  void add(const std::vector<std::pair<std::string, std::int32_t>>& partitions);
  // Gives everything up, in order.
  void release_all();

  // An error that librdkafka tells of one partition, which reads no further by itself.
  void failed(const rd_kafka_message_t& message);
  // Stops the fetching of partitions that other threads stopped.
  void pause_stopped();
  // Passes nothing of a partition in doubt on.
  void hold(const MirrorPartitionPtr& partition);
  // Finds out of partitions in doubt whose topics are there whether these are the same.
  void settle_doubts(const TopicKeeper& topics);
  // Takes suspended partitions up again.
  void retry_suspended();
  // All fetching, where records cannot be passed on.
  void pause_all();
  void resume_all();

 private:
  void assign(rd_kafka_topic_partition_list_t& list);
  void revoke(const rd_kafka_topic_partition_list_t& list);
  void take_up(rd_kafka_topic_partition_list_t& list);
  void give_up(const std::vector<MirrorPartitionPtr>& partitions, bool lost);
  void drain(const std::vector<MirrorPartitionPtr>& partitions);
  std::int64_t first_position(const std::string& topic, std::int32_t partition);
  std::pair<std::int64_t, std::int64_t> bounds_of(const std::string& topic, std::int32_t partition);
  void position_gone(const MirrorPartitionPtr& partition);
  void doubt(std::string_view topic);
  void settle_doubt(const MirrorPartitionPtr& partition);
  void settle_by_group(const MirrorPartitionPtr& partition);
  void tell_made_anew(const MirrorPartitionPtr& partition, std::int64_t low, std::string reason);
  std::int64_t group_position(const MirrorPartition& partition);
  void unreadable(const MirrorPartitionPtr& partition, const rd_kafka_message_t& message);
  void restart(const MirrorPartitionPtr& partition, std::int64_t position,
               std::optional<std::int64_t> in_group = std::nullopt);
  void halt(const MirrorPartitionPtr& partition);
  void pause(const std::vector<MirrorPartitionPtr>& partitions);
  void set_paused(rd_kafka_topic_partition_list_t& list, bool is_paused) const;
  std::vector<MirrorPartitionPtr> known(const rd_kafka_topic_partition_list_t& list) const;

  const MirrorSettings& settings_;
  rd_kafka_t* const consumer_;
  OffsetKeeper& offsets_;
  PartitionTable& partitions_;
  MirrorProducer& producer_;
  Channels& channels_;
  MirrorListener& listener_;
  const MirrorMemory& memory_;
  const Patience& patience_;
  bool all_paused_ = false;
  std::exception_ptr error_;
};

}  // namespace weir::processors::kafka
