#include "processors/kafka/mirror/group_offsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace weir::processors::kafka {
namespace {

// A broker forgets positions that are not written for long (offsets.retention.minutes), also those
// of topics where nothing happens. So they are written again.
constexpr std::int64_t kRefreshNs = 30'000'000'000;
// How long a commit waits for an answer to a heartbeat.
constexpr std::chrono::milliseconds kQuietLook{10};
constexpr int kQuietLooks = 40;

bool is_own_position(const MirrorPartition& partition, std::int64_t position) {
  return (position < 0 && partition.in_group < 0) || position == partition.in_group ||
         position == partition.tried;
}

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
  const std::string what =
      fmt::format("The positions of group '{}' cannot be read", settings_.group_id);
  check(patience_.committed(consumer_, &partitions), what);
  for (int i = 0; i < partitions.cnt; ++i) check(partitions.elems[i].err, what);
}

GroupOffsets::Due GroupOffsets::take_due(const std::vector<MirrorPartitionPtr>& partitions,
                                         std::int64_t now_ns) const {
  Due due;
  for (const MirrorPartitionPtr& partition : partitions) {
    if (partition->released || partition->doubts != 0) continue;
    const std::int64_t position = partition->unacked.advance();
    if (position < 0) continue;
    if (position != partition->committed || now_ns - partition->committed_ns >= kRefreshNs) {
      due.partitions.push_back(partition);
      due.positions.push_back(position);
    }
  }
  return due;
}

// A broker forgets a group's positions of a topic that is deleted, and a position that is committed
// behind that would count for another topic of the name. So what was committed last must be there
// still.
void GroupOffsets::leave_out_doubtful(Due& due) {
  const Owned<rd_kafka_topic_partition_list_t> list = list_of(due.partitions);
  const rd_kafka_resp_err_t code = patience_.committed(consumer_, list.get());
  Due sure;
  std::string failed;
  for (std::size_t i = 0; i < due.partitions.size(); ++i) {
    MirrorPartition& partition = *due.partitions[i];
    const rd_kafka_topic_partition_t& there = list->elems[i];
    const rd_kafka_resp_err_t own = code != RD_KAFKA_RESP_ERR_NO_ERROR ? code : there.err;
    if (own == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) ++partition.doubts;
    if (own != RD_KAFKA_RESP_ERR_NO_ERROR) {
      failed = fmt::format("the position of partition {} of '{}': {}", partition.partition,
                           partition.topic, rd_kafka_err2str(own));
    } else if (!is_own_position(partition, there.offset)) {
      ++partition.doubts;
    } else {
      sure.partitions.push_back(due.partitions[i]);
      sure.positions.push_back(due.positions[i]);
    }
  }
  if (!failed.empty()) listener_.noted(MirrorNote::commit_failed, failed);
  due = std::move(sure);
}

// A heartbeat is soon answered; a join takes its time.
void GroupOffsets::await_quiet() const {
  if (watch_ == nullptr) return;
  for (int i = 0; i < kQuietLooks && !watch_->is_quiet() && !watch_->is_joining(); ++i) {
    std::this_thread::sleep_for(kQuietLook);
  }
}

std::optional<GroupOffsets::Answer> GroupOffsets::send(const Due& due) {
  const Owned<rd_kafka_topic_partition_list_t> list = list_of(due.partitions);
  for (int i = 0; i < list->cnt; ++i) {
    const std::int64_t position = due.positions[static_cast<std::size_t>(i)];
    list->elems[i].offset = position;
    due.partitions[static_cast<std::size_t>(i)]->tried = position;
  }
  const Owned<rd_kafka_queue_t> answers(rd_kafka_queue_new(consumer_));
  const auto hand_over = [&] {
    check(rd_kafka_commit_queue(consumer_, list.get(), answers.get(), nullptr, nullptr),
          "Positions cannot be committed");
  };
  if (watch_ == nullptr) {
    hand_over();
  } else if (!watch_->commit(hand_over)) {
    return std::nullopt;
  }
  return patience_.answer(answers.get());
}

bool GroupOffsets::commit(const std::vector<MirrorPartitionPtr>& partitions) {
  await_quiet();
  const std::lock_guard lock(mutex_);
  const std::int64_t now_ns = clock_.steady_ns();
  Due due = take_due(partitions, now_ns);
  if (!due.partitions.empty()) leave_out_doubtful(due);
  if (due.partitions.empty()) return true;
  const std::optional<Answer> sent = send(due);
  if (!sent) return false;
  rd_kafka_event_t* const answer = sent->get();
  const rd_kafka_resp_err_t code =
      answer == nullptr ? RD_KAFKA_RESP_ERR__TIMED_OUT : rd_kafka_event_error(answer);
  const rd_kafka_topic_partition_list_t* const each =
      answer == nullptr ? nullptr : rd_kafka_event_topic_partition_list(answer);
  std::string failed;
  bool is_forming = false;
  for (std::size_t i = 0; i < due.partitions.size(); ++i) {
    MirrorPartition& partition = *due.partitions[i];
    const std::int64_t position = due.positions[i];
    const bool is_told = each != nullptr && i < static_cast<std::size_t>(each->cnt);
    const rd_kafka_resp_err_t own =
        code != RD_KAFKA_RESP_ERR_NO_ERROR || !is_told ? code : each->elems[i].err;
    if (own != RD_KAFKA_RESP_ERR_NO_ERROR) {
      is_forming |= own == RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS;
      if (own == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) ++partition.doubts;
      failed = fmt::format("offset {} of partition {} of '{}': {}", position, partition.partition,
                           partition.topic, rd_kafka_err2str(own));
      continue;
    }
    const bool moved = position != partition.reported;
    partition.committed = position;
    partition.in_group = position;
    partition.committed_ns = now_ns;
    if (moved) listener_.mirrored(take_range(partition, position, consumer_));
  }
  if (!failed.empty()) listener_.noted(MirrorNote::commit_failed, failed);
  return !is_forming;
}

std::int64_t GroupOffsets::position(MirrorPartition& partition) {
  const std::lock_guard lock(mutex_);
  return partition.unacked.advance();
}

bool GroupOffsets::is_own(const MirrorPartition& partition, std::int64_t position) {
  const std::lock_guard lock(mutex_);
  return is_own_position(partition, position);
}

void GroupOffsets::release(const std::vector<MirrorPartitionPtr>& partitions) {
  const std::lock_guard lock(mutex_);
  for (const MirrorPartitionPtr& partition : partitions) partition->released = true;
}

}  // namespace weir::processors::kafka
