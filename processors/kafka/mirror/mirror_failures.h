#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "processors/kafka/mirror/mirror_events.h"
#include "processors/kafka/mirror/mirror_memory.h"
#include "processors/kafka/mirror/mirror_producer.h"
#include "processors/kafka/mirror/mirror_settings.h"
#include "processors/kafka/mirror/partition_table.h"

namespace weir::processors::kafka {

MirrorRecord unpack(rd_kafka_message_t& message);

// Does with a record that cannot be mirrored what the rule says. Thread safe.
class MirrorFailures {
 public:
  // `restart` is asked to begin anew, with what `memory` then knows.
  MirrorFailures(const MirrorSettings& settings, MirrorListener& listener,
                 PartitionTable& partitions, MirrorMemory& memory,
                 std::function<void(const std::string&)> restart)
      : settings_(settings),
        listener_(listener),
        partitions_(partitions),
        memory_(memory),
        restart_(std::move(restart)) {}
  // Where dead letters go; before any record fails.
  void set_producer(MirrorProducer& producer) { producer_ = &producer; }

  // `entry` is published, and one part of it counts as in flight. On the thread that sends the
  // partition's records, or on that of the producer's answers.
  void fail(const MirrorPartitionPtr& partition, UnackedOffsetList::Entry& entry,
            MirrorRecord record, const std::string& reason);
  // Likewise, where the client takes the record for this topic not at all.
  void refused_at_once(const MirrorPartitionPtr& partition, UnackedOffsetList::Entry& entry,
                       MirrorRecord record, TargetTopic& target, rd_kafka_resp_err_t code);
  // As a producer's listener tells it.
  void refused(UnackedOffsetList::Entry& entry, const rd_kafka_message_t& message,
               bool dead_letter);
  // Everything is to begin anew; refusals that come meanwhile mean nothing.
  void restart(const std::string& reason);
  // Nothing of the partition is sent any more.
  void stop(MirrorPartition& partition);
  // Likewise, until the consumer's thread tries it again from where the target is.
  void suspend(const MirrorPartitionPtr& partition, const std::string& reason);

 private:
  bool is_transactional() const { return settings_.delivery == Delivery::exactly_once; }
  void wait_for_topic(const MirrorPartitionPtr& partition, TargetTopic& target,
                      const std::string& reason);
  void send_dead_letter(MirrorRecord letter, UnackedOffsetList::Entry& entry);
  void fail_and_stop(const MirrorPartitionPtr& partition, UnackedOffsetList::Entry& entry,
                     MirrorRecord record, const std::string& reason);

  const MirrorSettings& settings_;
  MirrorListener& listener_;
  PartitionTable& partitions_;
  MirrorMemory& memory_;
  const std::function<void(const std::string&)> restart_;
  std::atomic<bool> restarting_{false};
  MirrorProducer* producer_ = nullptr;
};

}  // namespace weir::processors::kafka
