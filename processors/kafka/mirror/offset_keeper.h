#pragma once

#include <string>
#include <vector>

#include "processors/kafka/client.h"
#include "processors/kafka/mirror/mirror_partition.h"

namespace weir::processors::kafka {

// A new list of `partitions`, without offsets.
Owned<rd_kafka_topic_partition_list_t> list_of(const std::vector<MirrorPartitionPtr>& partitions);

// Where the positions of the source's partitions are kept: the group of the source cluster, or the
// target cluster where they are part of its transactions.
class OffsetKeeper {
 public:
  virtual ~OffsetKeeper() = default;
  // Fills in the offsets; RD_KAFKA_OFFSET_INVALID where there is none. Throws KafkaError.
  virtual void fetch(rd_kafka_topic_partition_list_t& partitions) = 0;
  // Commits what the target has acknowledged of them. What fails is told and tried again with the
  // next call; false where that may be of use soon, as the group is only just forming.
  virtual bool commit(const std::vector<MirrorPartitionPtr>& partitions) = 0;
  // Up to where the target has acknowledged; negative where no record has come yet.
  virtual std::int64_t position(MirrorPartition& partition) = 0;
  // Where the broker forgets the positions of a topic with the topic: whether the position that is
  // there is what this mirror committed last, or found. True where that tells nothing.
  virtual bool is_own(const MirrorPartition&, std::int64_t) { return true; }
  // From here on nothing of them is committed. Waits for a commit that is under way.
  virtual void release(const std::vector<MirrorPartitionPtr>& partitions) = 0;
};

}  // namespace weir::processors::kafka
