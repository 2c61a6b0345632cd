#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "processors/kafka/mirror/data_channel.h"
#include "processors/kafka/mirror/mirror_failures.h"
#include "processors/kafka/mirror/mirror_message_handler.h"
#include "processors/kafka/mirror/mirror_producer.h"
#include "processors/kafka/mirror/send_gate.h"
#include "processors/kafka/mirror/topic_keeper.h"

namespace weir::processors::kafka {

// What a channel's thread does with a batch: handles its records and sends them. One a channel.
class MirrorForwarder {
 public:
  // Records go out while the gate is open.
  MirrorForwarder(MirrorMessageHandler* handler, MirrorProducer& producer, TopicKeeper& topics,
                  MirrorFailures& failures, MirrorMemory& memory, SendGate& gate)
      : handler_(handler),
        producer_(producer),
        topics_(topics),
        failures_(failures),
        memory_(memory),
        gate_(gate) {}

  // Returns early where the partition is stopped.
  void forward(DataBatch& batch);

 private:
  void forward(const MirrorPartitionPtr& partition, rd_kafka_message_t& message);
  void fail(const MirrorPartitionPtr& partition, rd_kafka_message_t& message,
            const std::string& reason);
  bool refused_before(const MirrorPartitionPtr& partition, rd_kafka_message_t& message);
  void handle(const MirrorPartitionPtr& partition, rd_kafka_message_t& message);
  TargetTopic* target(const MirrorPartitionPtr& partition, const std::string& topic,
                      std::int32_t target_partition);
  template <typename Send>
  bool send(const MirrorPartition& partition, Send send, rd_kafka_resp_err_t& code);

  MirrorMessageHandler* const handler_;  // null: identity
  MirrorProducer& producer_;
  TopicKeeper& topics_;
  MirrorFailures& failures_;
  MirrorMemory& memory_;
  SendGate& gate_;
  std::vector<MirrorRecord> records_;
};

}  // namespace weir::processors::kafka
