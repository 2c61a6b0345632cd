#pragma once

#include <mutex>

#include "engine/api/environment.h"
#include "processors/kafka/mirror/mirror_events.h"
#include "processors/kafka/mirror/mirror_settings.h"
#include "processors/kafka/mirror/offset_keeper.h"

namespace weir::processors::kafka {

// Positions in the consumer's own group. Thread safe.
class GroupOffsets : public OffsetKeeper {
 public:
  GroupOffsets(const MirrorSettings& settings, rd_kafka_t* consumer, MirrorListener& listener,
               Clock& clock)
      : settings_(settings), consumer_(consumer), listener_(listener), clock_(clock) {}

  void fetch(rd_kafka_topic_partition_list_t& partitions) override;
  bool commit(const std::vector<MirrorPartitionPtr>& partitions) override;
  std::int64_t position(MirrorPartition& partition) override;
  void release(const std::vector<MirrorPartitionPtr>& partitions) override;

 private:
  const MirrorSettings& settings_;
  rd_kafka_t* const consumer_;
  MirrorListener& listener_;
  Clock& clock_;
  std::mutex mutex_;  // the committing side of all partitions
};

// What `partition` has newly committed up to `position`. The committing side.
MirroredRange take_range(MirrorPartition& partition, std::int64_t position, rd_kafka_t* consumer);

}  // namespace weir::processors::kafka
