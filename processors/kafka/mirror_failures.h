#pragma once

#include <string>

#include "processors/kafka/mirror_events.h"
#include "processors/kafka/mirror_producer.h"
#include "processors/kafka/mirror_settings.h"
#include "processors/kafka/partition_table.h"

namespace weir::processors::kafka {

MirrorRecord unpack(rd_kafka_message_t& message);

// Does with a record that cannot be mirrored what the rule says. Thread safe.
class MirrorFailures {
 public:
  MirrorFailures(const MirrorSettings& settings, MirrorListener& listener,
                 PartitionTable& partitions)
      : settings_(settings), listener_(listener), partitions_(partitions) {}
  // Where dead letters go; before any record fails.
  void set_producer(MirrorProducer& producer) { producer_ = &producer; }

  // `entry` is published, and one part of it counts as in flight.
  void fail(const MirrorPartitionPtr& partition, UnackedOffsetList::Entry& entry,
            MirrorRecord record, const std::string& reason);
  // As a producer's listener tells it.
  void refused(UnackedOffsetList::Entry& entry, const rd_kafka_message_t& message,
               bool dead_letter);
  // Nothing of the partition is sent any more.
  void stop(MirrorPartition& partition);
  // Likewise, until the consumer's thread tries it again from where the target is.
  void suspend(const MirrorPartitionPtr& partition, const std::string& reason);

 private:
  void fail_and_stop(const MirrorPartitionPtr& partition, UnackedOffsetList::Entry& entry,
                     MirrorRecord record, const std::string& reason);

  const MirrorSettings& settings_;
  MirrorListener& listener_;
  PartitionTable& partitions_;
  MirrorProducer* producer_ = nullptr;
};

}  // namespace weir::processors::kafka
