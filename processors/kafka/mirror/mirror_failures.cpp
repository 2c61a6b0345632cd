#include "processors/kafka/mirror/mirror_failures.h"

#include <fmt/format.h>

#include <algorithm>

#include "processors/kafka/record_headers.h"

namespace weir::processors::kafka {
namespace {

std::optional<std::string> bytes(const void* data, std::size_t size) {
  if (data == nullptr) return std::nullopt;
  return std::string(static_cast<const char*>(data), size);
}

// Why and whence, for who reads the dead letters.
std::vector<MirrorHeader> dead_letter_headers(const MirrorPartition& partition, std::int64_t offset,
                                              const std::string& reason) {
  return {{"weir.mirror.source.topic", partition.topic},
          {"weir.mirror.source.partition", std::to_string(partition.partition)},
          {"weir.mirror.source.offset", std::to_string(offset)},
          {"weir.mirror.error", reason}};
}

// Errors that the record itself is to blame for, whenever it is sent.
bool is_of_record(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
      return true;
    default:
      return false;
  }
}

// The topic is not in the target any more, or has fewer partitions. Records whose answer comes
// after librdkafka has let go of their partition fail as destroyed.
bool is_of_topic(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION ||
         code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || code == RD_KAFKA_RESP_ERR__DESTROY;
}

}  // namespace

MirrorRecord unpack(rd_kafka_message_t& message) {
  MirrorRecord record;
  record.topic = rd_kafka_topic_name(message.rkt);
  record.partition = message.partition;
  record.offset = message.offset;
  rd_kafka_timestamp_type_t type{};
  record.timestamp_ms = rd_kafka_message_timestamp(&message, &type);
  record.log_append_time = type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME;
  record.key = bytes(message.key, message.key_len);
  record.value = bytes(message.payload, message.len);
  for_each_header(message, [&](const char* name, const void* value, std::size_t size) {
    record.headers.push_back({name, bytes(value, size)});
  });
  return record;
}

void MirrorFailures::stop(MirrorPartition& partition) {
  partition.stopped = true;
  partitions_.want_attention();
}

void MirrorFailures::restart(const std::string& reason) {
  if (restarting_.exchange(true)) return;
  // A transaction that a record was refused in cannot be committed.
  if (is_transactional()) producer_->give_up();
  restart_(reason);
}

void MirrorFailures::suspend(const MirrorPartitionPtr& partition, const std::string& reason) {
  if (partition->stopped) return;
  partition->suspended = true;
  stop(*partition);
  listener_.noted(MirrorNote::suspended,
                  fmt::format("partition {} of '{}' waits: {}", partition->partition,
                              partition->topic, reason));
}

void MirrorFailures::fail_and_stop(const MirrorPartitionPtr& partition,
                                   UnackedOffsetList::Entry& entry, MirrorRecord record,
                                   const std::string& reason) {
  const std::int64_t offset = entry.offset();
  const bool is_first = !partition->stopped;
  stop(*partition);
  partition->unacked.fail();
  // Records behind the first one share its fate; one report is enough.
  if (!is_first) return;
  listener_.failed({.record = std::move(record),
                    .source_topic = partition->topic,
                    .source_partition = partition->partition,
                    .source_offset = offset,
                    .reason = reason,
                    .stopped = true});
}

void MirrorFailures::send_dead_letter(MirrorRecord letter, UnackedOffsetList::Entry& entry) {
  // Within a transaction only the thread that sends knows that it is open; else it may not wait.
  if (is_transactional()) {
    producer_->send_dead_letter_now(settings_.dead_letter_topic, std::move(letter), entry);
  } else {
    producer_->send_dead_letter(settings_.dead_letter_topic, std::move(letter), entry);
  }
}

void MirrorFailures::fail(const MirrorPartitionPtr& partition, UnackedOffsetList::Entry& entry,
                          MirrorRecord record, const std::string& reason) {
  const std::int64_t offset = entry.offset();
  switch (settings_.on_failure) {
    case FailureRule::stop:
      fail_and_stop(partition, entry, std::move(record), reason);
      return;
    case FailureRule::dead_letter_topic: {
      MirrorRecord letter = record;
      std::ranges::move(dead_letter_headers(*partition, offset, reason),
                        std::back_inserter(letter.headers));
      send_dead_letter(std::move(letter), entry);
      break;
    }
    case FailureRule::dead_letter:
      partition->unacked.fail();
      // What is behind it must not be in a transaction that it is not part of.
      if (is_transactional()) stop(*partition);
      break;
  }
  MirrorFailure failure{.record = std::move(record),
                        .source_topic = partition->topic,
                        .source_partition = partition->partition,
                        .source_offset = offset,
                        .reason = reason};
  if (settings_.on_failure == FailureRule::dead_letter) {
    failure.kept = [partition, &entry, transactional = is_transactional()] {
      partition->unacked.settle(entry);
      if (transactional) partition->suspended = true;
    };
  }
  listener_.failed(std::move(failure));
}

// What was known of it is looked up anew, and it is made again where the rules say so.
void MirrorFailures::wait_for_topic(const MirrorPartitionPtr& partition, TargetTopic& target,
                                    const std::string& reason) {
  target.partitions = 0;
  is_transactional() ? restart(reason) : suspend(partition, reason);
}

void MirrorFailures::refused_at_once(const MirrorPartitionPtr& partition,
                                     UnackedOffsetList::Entry& entry, MirrorRecord record,
                                     TargetTopic& target, rd_kafka_resp_err_t code) {
  if (!is_of_topic(code)) {
    fail(partition, entry, std::move(record), rd_kafka_err2str(code));
    return;
  }
  entry.list().fail();
  wait_for_topic(partition, target, rd_kafka_err2str(code));
}

void MirrorFailures::refused(UnackedOffsetList::Entry& entry, const rd_kafka_message_t& message,
                             bool dead_letter) {
  const MirrorPartitionPtr partition = partitions_.find(entry.list());
  if (!partition) {
    entry.list().fail();
    return;
  }
  const std::string text = rd_kafka_err2str(message.err);
  // The records of a batch are refused together, whichever is too large: each is sent alone then.
  const bool is_of_batch =
      memory_.batch_bytes() > 1 && message.err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE &&
      static_cast<std::int64_t>(message.len + message.key_len) < memory_.batch_bytes();
  if (restarting_ || is_of_batch) {
    entry.list().fail();
    if (is_of_batch) memory_.lower_batch_bytes(1);
    if (is_of_batch) restart(text);
  } else if (is_of_topic(message.err)) {
    entry.list().fail();
    wait_for_topic(partition, producer_->topic(rd_kafka_topic_name(message.rkt)), text);
  } else if (!is_of_record(message.err)) {
    entry.list().fail();
    is_transactional() ? restart(text) : suspend(partition, text);
  } else if (is_transactional()) {
    entry.list().fail();
    memory_.refuse(partition->topic, partition->partition, entry.offset(), text);
    restart(text);
  } else {
    // `unpack` only reads, but librdkafka unpacks headers where it is first asked for them.
    MirrorRecord record = unpack(const_cast<rd_kafka_message_t&>(message));
    if (dead_letter) {
      fail_and_stop(partition, entry, std::move(record), "the dead letter was refused: " + text);
    } else {
      fail(partition, entry, std::move(record), text);
    }
  }
}

}  // namespace weir::processors::kafka
