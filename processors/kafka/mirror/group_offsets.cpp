#include "processors/kafka/mirror/group_offsets.h"

#include <fmt/format.h>

namespace weir::processors::kafka {
namespace {

// A broker forgets positions that are not written for long (offsets.retention.minutes), also those
// of topics where nothing happens. So they are written again.
constexpr std::int64_t kRefreshNs = 30'000'000'000;

}  // namespace

Owned<rd_kafka_topic_partition_list_t> list_of(const std::vector<MirrorPartitionPtr>& partitions) {
  Owned<rd_kafka_topic_partition_list_t> list(
      rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const MirrorPartitionPtr& partition : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), partition->topic.c_str(), partition->partition);
  }
  return list;
}

MirroredRange take_range(MirrorPartition& partition, std::int64_t position, rd_kafka_t* consumer) {
  const std::uint64_t passed = partition.unacked.passed();
  MirroredRange range{.topic = partition.topic,
                      .partition = partition.partition,
                      .first_offset = std::max<std::int64_t>(partition.reported, 0),
                      .last_offset = position - 1,
                      .records = passed - partition.reported_records};
  partition.reported = position;
  partition.reported_records = passed;
  std::int64_t low = 0, high = 0;
  const bool known =
      rd_kafka_get_watermark_offsets(consumer, partition.topic.c_str(), partition.partition, &low,
                                     &high) == RD_KAFKA_RESP_ERR_NO_ERROR &&
      high >= 0;
  range.lag = known ? std::max<std::int64_t>(high - position, 0) : -1;
  return range;
}

void GroupOffsets::fetch(rd_kafka_topic_partition_list_t& partitions) {
  const auto timeout_ms = static_cast<int>(settings_.api_timeout.count());
  const std::string what =
      fmt::format("The positions of group '{}' cannot be read", settings_.group_id);
  check(rd_kafka_committed(consumer_, &partitions, timeout_ms), what);
  for (int i = 0; i < partitions.cnt; ++i) check(partitions.elems[i].err, what);
}

bool GroupOffsets::commit(const std::vector<MirrorPartitionPtr>& partitions) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now_ns = clock_.steady_ns();
  std::vector<MirrorPartitionPtr> due;
  std::vector<std::int64_t> positions;
  for (const MirrorPartitionPtr& partition : partitions) {
    if (partition->released) continue;
    const std::int64_t position = partition->unacked.advance();
    if (position < 0) continue;
    if (position != partition->committed || now_ns - partition->committed_ns >= kRefreshNs) {
      due.push_back(partition);
      positions.push_back(position);
    }
  }
  if (due.empty()) return true;
  const Owned<rd_kafka_topic_partition_list_t> list = list_of(due);
  for (int i = 0; i < list->cnt; ++i) {
    list->elems[i].offset = positions[static_cast<std::size_t>(i)];
  }
  const rd_kafka_resp_err_t code = rd_kafka_commit(consumer_, list.get(), 0);
  std::string failed;
  bool is_forming = false;
  for (std::size_t i = 0; i < due.size(); ++i) {
    const rd_kafka_topic_partition_t& done = list->elems[i];
    const rd_kafka_resp_err_t own = code != RD_KAFKA_RESP_ERR_NO_ERROR ? code : done.err;
    if (own != RD_KAFKA_RESP_ERR_NO_ERROR) {
      is_forming |= own == RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS;
      failed = fmt::format("offset {} of partition {} of '{}': {}", positions[i], due[i]->partition,
                           due[i]->topic, rd_kafka_err2str(own));
      continue;
    }
    const bool moved = positions[i] != due[i]->reported;
    due[i]->committed = positions[i];
    due[i]->committed_ns = now_ns;
    if (moved) listener_.mirrored(take_range(*due[i], positions[i], consumer_));
  }
  if (!failed.empty()) listener_.noted(MirrorNote::commit_failed, failed);
  return !is_forming;
}

std::int64_t GroupOffsets::position(MirrorPartition& partition) {
  const std::lock_guard lock(mutex_);
  return partition.unacked.advance();
}

void GroupOffsets::release(const std::vector<MirrorPartitionPtr>& partitions) {
  const std::lock_guard lock(mutex_);
  for (const MirrorPartitionPtr& partition : partitions) partition->released = true;
}

}  // namespace weir::processors::kafka
