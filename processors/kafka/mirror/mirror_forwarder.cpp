#include "processors/kafka/mirror/mirror_forwarder.h"

namespace weir::processors::kafka {
namespace {

using std::chrono::milliseconds;

// How often a thread that waits for room looks whether its partition is stopped.
constexpr milliseconds kLookForStop{50};

}  // namespace

void MirrorForwarder::forward(DataBatch& batch) {
  const SendGate::Pass pass(gate_);
  const MirrorPartitionPtr& partition = batch.partition();
  for (rd_kafka_message_t* const message : batch.messages()) {
    if (partition->stopped.load(std::memory_order_relaxed)) return;
    if (refused_before(partition, *message)) continue;
    if (handler_ == nullptr) {
      forward(partition, *message);
    } else {
      handle(partition, *message);
    }
  }
}

bool MirrorForwarder::refused_before(const MirrorPartitionPtr& partition,
                                     rd_kafka_message_t& message) {
  const std::optional<std::string> reason =
      memory_.refused(partition->topic, partition->partition, message.offset);
  if (!reason) return false;
  fail(partition, message, *reason);
  return true;
}

// The record as a whole, before any part of it was sent.
void MirrorForwarder::fail(const MirrorPartitionPtr& partition, rd_kafka_message_t& message,
                           const std::string& reason) {
  UnackedOffsetList::Entry& entry = partition->unacked.add(message.offset, 1);
  partition->unacked.sent(1);
  partition->unacked.publish();
  failures_.fail(partition, entry, unpack(message), reason);
}

// Calls `send` until it is no full queue that stands in the way; false where the partition was
// stopped before.
template <typename Send>
bool MirrorForwarder::send(const MirrorPartition& partition, Send send, rd_kafka_resp_err_t& code) {
  while ((code = send()) == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
    if (partition.stopped) return false;
    producer_.wait_for_room(kLookForStop);
  }
  // The producer or its transaction is broken: everything is torn down, and read again.
  return code != RD_KAFKA_RESP_ERR__FATAL && code != RD_KAFKA_RESP_ERR__STATE;
}

// Null where the partition was stopped for it.
TargetTopic* MirrorForwarder::target(const MirrorPartitionPtr& partition, const std::string& topic,
                                     std::int32_t target_partition) {
  TargetTopic* known = partition->target;
  if (known != nullptr && known->name == topic && known->partitions > target_partition) {
    return known;
  }
  try {
    known = &topics_.ensure(topic, partition->topic, target_partition + 1);
    partition->target = known;
    return known;
  } catch (const MirrorRestart& error) {
    failures_.restart(error.what());
    partition->stopped = true;
  } catch (const TopicRefused& error) {
    failures_.suspend(partition, error.what());
  } catch (const KafkaError& error) {
    failures_.suspend(partition, error.what());
  }
  return nullptr;
}

void MirrorForwarder::forward(const MirrorPartitionPtr& partition, rd_kafka_message_t& message) {
  if (partition->target == nullptr &&
      target(partition, partition->topic, partition->partition) == nullptr) {
    return;
  }
  UnackedOffsetList& unacked = partition->unacked;
  UnackedOffsetList::Entry& entry = unacked.add(message.offset, 1);
  rd_kafka_resp_err_t code{};
  if (!send(
          *partition, [&] { return producer_.send(*partition->target, message, entry); }, code)) {
    return;
  }
  unacked.sent(1);
  unacked.publish();
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    failures_.refused_at_once(partition, entry, unpack(message), *partition->target, code);
  }
}

void MirrorForwarder::handle(const MirrorPartitionPtr& partition, rd_kafka_message_t& message) {
  UnackedOffsetList& unacked = partition->unacked;
  records_.clear();
  try {
    handler_->handle(unpack(message), records_);
  } catch (const std::exception& error) {
    fail(partition, message, error.what());
    return;
  }
  std::vector<TargetTopic*> targets;
  targets.reserve(records_.size());
  for (const MirrorRecord& record : records_) {
    targets.push_back(target(partition, record.topic, record.partition));
    if (targets.back() == nullptr) return;
  }
  UnackedOffsetList::Entry& entry =
      unacked.add(message.offset, static_cast<std::uint32_t>(records_.size()));
  for (std::size_t i = 0; i < records_.size(); ++i) {
    rd_kafka_resp_err_t code{};
    if (!send(
            *partition, [&] { return producer_.send(*targets[i], records_[i], entry); }, code)) {
      // What went out stands in the list, so that nothing takes the entry's place; the record as a
      // whole is read again.
      if (i > 0) unacked.publish();
      return;
    }
    unacked.sent(1);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      failures_.refused_at_once(partition, entry, records_[i], *targets[i], code);
    }
  }
  unacked.publish();
}

}  // namespace weir::processors::kafka
