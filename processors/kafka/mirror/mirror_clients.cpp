#include "processors/kafka/mirror/mirror_clients.h"

#include <algorithm>

#include "processors/kafka/mirror/transaction_offsets.h"

namespace weir::processors::kafka {
namespace {

constexpr std::uint64_t kKiB = 1024;

std::string number(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return std::to_string(std::clamp(value, least, most));
}

}  // namespace

Settings consumer_settings(const MirrorSettings& settings) {
  Settings made = settings.source;
  // What is fetched comes on top of a queue that was not quite full. Of fetched records the bounds
  // count the bytes alone; librdkafka keeps some hundred bytes more for each.
  const std::uint64_t queue = settings.max_bytes / 8, fetch = settings.max_bytes / 16;
  made.try_emplace("queued.min.messages", "20000");
  made.try_emplace("queued.max.messages.kbytes", number(queue / kKiB, 64, 2'000'000));
  made.try_emplace("fetch.max.bytes", number(fetch, 64 * kKiB, 50'000'000));
  made.try_emplace("fetch.message.max.bytes",
                   number(std::min<std::uint64_t>(fetch, 1024 * kKiB), 64 * kKiB, 50'000'000));
  // librdkafka wants no less than this in a fetch; it means nothing else to a consumer.
  made.try_emplace("message.max.bytes", std::to_string(64 * kKiB));
  made.try_emplace("partition.assignment.strategy", "range");
  made.try_emplace(
      "topic.metadata.refresh.interval.ms",
      number(static_cast<std::uint64_t>(settings.topic_refresh_interval.count()), 10, 3'600'000));
  made.try_emplace("isolation.level", "read_committed");
  made["group.id"] = settings.group_id;
  made["enable.auto.commit"] = "false";
  made["enable.auto.offset.store"] = "false";
  // A position that is gone is the mirror's business.
  made["auto.offset.reset"] = "error";
  made["check.crcs"] = "true";
  made["enable.partition.eof"] = "false";
  made["allow.auto.create.topics"] = "false";
  return made;
}

Settings producer_settings(const MirrorSettings& settings, std::int64_t batch_bytes) {
  Settings made = settings.target;
  made.try_emplace("queue.buffering.max.kbytes",
                   number(settings.max_bytes * 3 / 8 / kKiB, 64, 2'000'000));
  made.try_emplace("queue.buffering.max.messages", "100000");
  made.try_emplace("linger.ms", "5");
  // The target decides what is too large.
  made.try_emplace("message.max.bytes", "100000000");
  std::string& batch_size = made.try_emplace("batch.size", "1000000").first->second;
  batch_size = std::to_string(std::min<std::int64_t>(std::stoll(batch_size), batch_bytes));
  // Else looking at a topic makes brokers create it, with partitions as they like.
  made["allow.auto.create.topics"] = "false";
  made["enable.idempotence"] = "true";
  made["acks"] = "all";
  if (settings.delivery == Delivery::exactly_once) {
    const std::string timeout_ms = std::to_string(transaction_timeout(settings).count());
    made["transactional.id"] = transactional_id(settings);
    made["transaction.timeout.ms"] = timeout_ms;
    made["message.timeout.ms"] = timeout_ms;
  } else {
    // A record waits for the target as long as it takes.
    made["message.timeout.ms"] = "0";
  }
  made["delivery.report.only.error"] = "false";
  return made;
}

}  // namespace weir::processors::kafka
