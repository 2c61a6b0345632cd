#include "processors/kafka/mirror/mirror_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <thread>

#include "processors/kafka/mirror/first_offsets.h"

namespace weir::processors::kafka {
namespace {

using std::chrono::milliseconds;

// A commit that comes while the group is forming is refused, and soon is not.
constexpr int kCommitTries = 50;
constexpr milliseconds kCommitAgain{100};

ConsumerRebalanceListener::Partitions names_of(const rd_kafka_topic_partition_list_t& list) {
  ConsumerRebalanceListener::Partitions names;
  for (int i = 0; i < list.cnt; ++i) {
    names.emplace_back(list.elems[i].topic, list.elems[i].partition);
  }
  return names;
}

bool is_cooperative(rd_kafka_t* consumer) {
  const char* const protocol = rd_kafka_rebalance_protocol(consumer);
  return protocol != nullptr && std::string_view(protocol) == "COOPERATIVE";
}

}  // namespace

DataChannel& MirrorAssignment::channel(const std::string& topic, std::int32_t partition) const {
  const std::size_t hash = std::hash<std::string>()(topic) + static_cast<std::size_t>(partition);
  return *channels_[hash % channels_.size()];
}

void MirrorAssignment::rebalance(rd_kafka_resp_err_t what,
                                 rd_kafka_topic_partition_list_t& list) noexcept {
  try {
    if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
      assign(list);
    } else {
      revoke(list);
    }
  } catch (const std::exception&) {
    error_ = std::current_exception();
    rd_kafka_assign(consumer_, nullptr);
  }
}

void MirrorAssignment::check() {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void MirrorAssignment::assign(rd_kafka_topic_partition_list_t& list) {
  if (list.cnt > 0) take_up(list);
  if (is_cooperative(consumer_)) {
    kafka::check(rd_kafka_incremental_assign(consumer_, &list), "Partitions cannot be taken up");
  } else {
    kafka::check(rd_kafka_assign(consumer_, &list), "Partitions cannot be taken up");
  }
  set_paused(list, all_paused_);
  listener_.noted(MirrorNote::rebalanced, fmt::format("{} partitions taken up", list.cnt));
  if (settings_.rebalance_listener) {
    settings_.rebalance_listener->before_starting_fetchers(names_of(list));
  }
}

// Either way: librdkafka has partitions come back paused that were so when they went (R120).
void MirrorAssignment::set_paused(rd_kafka_topic_partition_list_t& list, bool is_paused) const {
  kafka::check(is_paused ? rd_kafka_pause_partitions(consumer_, &list)
                         : rd_kafka_resume_partitions(consumer_, &list),
               "Partitions cannot be paused or resumed");
}

void MirrorAssignment::revoke(const rd_kafka_topic_partition_list_t& list) {
  const bool lost = rd_kafka_assignment_lost(consumer_) != 0;
  give_up(known(list), lost);
  if (settings_.rebalance_listener) {
    settings_.rebalance_listener->before_releasing_partitions(names_of(list));
  }
  if (is_cooperative(consumer_)) {
    kafka::check(rd_kafka_incremental_unassign(consumer_, &list), "Partitions cannot be given up");
  } else {
    kafka::check(rd_kafka_assign(consumer_, nullptr), "Partitions cannot be given up");
  }
  listener_.noted(MirrorNote::rebalanced,
                  fmt::format("{} partitions {}", list.cnt, lost ? "lost" : "given up"));
}

std::vector<MirrorPartitionPtr> MirrorAssignment::known(
    const rd_kafka_topic_partition_list_t& list) const {
  std::vector<MirrorPartitionPtr> partitions;
  for (int i = 0; i < list.cnt; ++i) {
    MirrorPartitionPtr found = partitions_.find(list.elems[i].topic, list.elems[i].partition);
    if (found) partitions.push_back(std::move(found));
  }
  return partitions;
}

void MirrorAssignment::take_up(rd_kafka_topic_partition_list_t& list) {
  offsets_.fetch(list);
  std::vector<bool> has_position;
  for (int i = 0; i < list.cnt; ++i) {
    rd_kafka_topic_partition_t& one = list.elems[i];
    has_position.push_back(one.offset >= 0);
    if (!has_position.back()) one.offset = first_position(one.topic, one.partition);
  }
  find_beginnings(consumer_, list);
  for (int i = 0; i < list.cnt; ++i) {
    const rd_kafka_topic_partition_t& one = list.elems[i];
    auto partition = std::make_shared<MirrorPartition>(
        one.topic, one.partition, one.offset >= 0 ? one.offset : RD_KAFKA_OFFSET_INVALID);
    if (!has_position[static_cast<std::size_t>(i)]) {
      partition->committed = partition->in_group = partition->tried = -1;
    }
    partitions_.put(std::move(partition));
  }
}

// Where the group has no position yet.
std::int64_t MirrorAssignment::first_position(const std::string& topic, std::int32_t partition) {
  if (settings_.initial_position == InitialPosition::earliest ||
      !memory_.was_there_first(topic, partition)) {
    return RD_KAFKA_OFFSET_BEGINNING;
  }
  if (settings_.initial_position == InitialPosition::none) {
    throw ProcessException(
        fmt::format("group '{}' has no position for partition {} of '{}', and none is to be chosen",
                    settings_.group_id, partition, topic));
  }
  // The end as a number, so that it is committed even where no record comes.
  return bounds_of(topic, partition).second;
}

// The first offset that is there, and the one behind the last.
std::pair<std::int64_t, std::int64_t> MirrorAssignment::bounds_of(const std::string& topic,
                                                                  std::int32_t partition) {
  std::int64_t low = 0, high = 0;
  kafka::check(patience_.ask([&](int timeout_ms) {
    return rd_kafka_query_watermark_offsets(consumer_, topic.c_str(), partition, &low, &high,
                                            timeout_ms);
  }),
               fmt::format("The bounds of partition {} of '{}' cannot be found", partition, topic));
  return {low, high};
}

void MirrorAssignment::drain(const std::vector<MirrorPartitionPtr>& partitions) {
  for (const MirrorPartitionPtr& partition : partitions) {
    patience_.wait(settings_.drain_timeout, [&](milliseconds piece) {
      return channel(partition->topic, partition->partition).wait_empty(*partition, piece);
    });
  }
  patience_.wait(settings_.drain_timeout, [&](milliseconds piece) {
    return producer_.await_acknowledged(partitions, piece);
  });
}

void MirrorAssignment::give_up(const std::vector<MirrorPartitionPtr>& partitions, bool lost) {
  if (lost) offsets_.release(partitions);
  for (const MirrorPartitionPtr& partition : partitions) {
    partition->stopped = true;
    channel(partition->topic, partition->partition).clear(*partition);
  }
  if (!lost) {
    drain(partitions);
    for (int i = 0; i < kCommitTries && !offsets_.commit(partitions); ++i) {
      std::this_thread::sleep_for(kCommitAgain);
    }
    offsets_.release(partitions);
  }
  for (const MirrorPartitionPtr& partition : partitions) partitions_.remove(partition);
}

void MirrorAssignment::add(const std::vector<std::pair<std::string, std::int32_t>>& partitions) {
  const Owned<rd_kafka_topic_partition_list_t> list(
      rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const auto& [topic, partition] : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
  }
  take_up(*list);
  kafka::check(rd_kafka_incremental_assign(consumer_, list.get()), "Partitions cannot be taken up");
  set_paused(*list, all_paused_);
}

void MirrorAssignment::release_all() {
  give_up(partitions_.all(), false);
}

void MirrorAssignment::failed(const rd_kafka_message_t& message) {
  const char* const topic = message.rkt == nullptr ? "" : rd_kafka_topic_name(message.rkt);
  const MirrorPartitionPtr partition = partitions_.find(topic, message.partition);
  switch (message.err) {
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR__NO_OFFSET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
      if (partition) position_gone(partition);
      return;
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
    case RD_KAFKA_RESP_ERR__PARTIAL:
    case RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED:  // of a batch whose format means nothing
      if (partition) unreadable(partition, message);
      return;
    case RD_KAFKA_RESP_ERR__FATAL:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      throw KafkaError(message.err, rd_kafka_message_errstr(&message));
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
      doubt(topic);
      [[fallthrough]];
    default:
      listener_.noted(MirrorNote::unavailable,
                      fmt::format("{} {}", topic, rd_kafka_message_errstr(&message)));
  }
}

// How far a batch that cannot be read reaches is not known, so the partition stands still.
void MirrorAssignment::unreadable(const MirrorPartitionPtr& partition,
                                  const rd_kafka_message_t& message) {
  if (partition->stopped || partition->halted) return;
  halt(partition);
  listener_.lost({.topic = partition->topic,
                  .partition = partition->partition,
                  .first_offset = partition->next_offset,
                  .last_offset = partition->next_offset,
                  .stopped = true,
                  .reason = rd_kafka_message_errstr(&message)});
}

void MirrorAssignment::position_gone(const MirrorPartitionPtr& partition) {
  if (partition->halted) return;
  partition->looked_into = ++partition->doubts;
  const auto [low, high] = bounds_of(partition->topic, partition->partition);
  const std::int64_t position = partition->next_offset;
  if (position > high) {
    tell_made_anew(partition, low,
                   fmt::format("the position is {}, and the partition ends at {}: the topic was "
                               "made anew, or its end was cut off",
                               position, high));
  } else if (position >= low) {
    settle_by_group(partition);
  } else {
    // An early position is of no harm to whichever topic this is.
    partition->looked_into = partition->doubts = 0;
    const bool stops = settings_.on_loss == LossRule::stop;
    listener_.lost(
        {.topic = partition->topic,
         .partition = partition->partition,
         .first_offset = position,
         .last_offset = low - 1,
         .stopped = stops,
         .reason = fmt::format("the position is {}, and the first record there is, is {}", position,
                               low)});
    if (stops) {
      halt(partition);
    } else {
      restart(partition, low);
    }
  }
}

void MirrorAssignment::tell_made_anew(const MirrorPartitionPtr& partition, std::int64_t low,
                                      std::string reason) {
  const bool stops = settings_.on_recreated_topic == LossRule::stop;
  listener_.lost({.topic = partition->topic,
                  .partition = partition->partition,
                  .first_offset = low,
                  .last_offset = partition->next_offset - 1,
                  .recreated = true,
                  .stopped = stops,
                  .reason = std::move(reason)});
  if (stops) {
    halt(partition);
  } else if (settings_.delivery == Delivery::at_least_once) {
    restart(partition, low, group_position(*partition));
  } else {
    restart(partition, low);
  }
}

// Of a group that keeps its positions in the target, only a topic that was seen to be gone is
// doubted: its brokers do not tell whether it is the same.
void MirrorAssignment::doubt(std::string_view topic) {
  if (settings_.delivery == Delivery::exactly_once) return;
  partitions_.doubt(topic);
}

// What comes of it now may be another topic's.
void MirrorAssignment::hold(const MirrorPartitionPtr& partition) {
  if (!partition->paused) pause({partition});
}

std::int64_t MirrorAssignment::group_position(const MirrorPartition& partition) {
  const Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), partition.topic.c_str(), partition.partition);
  offsets_.fetch(*list);
  return list->elems[0].offset;
}

// A broker forgets a group's positions of a topic that is deleted. So the position that this mirror
// committed is there still, or the topic is another one.
void MirrorAssignment::settle_by_group(const MirrorPartitionPtr& partition) {
  const std::int64_t there = group_position(*partition);
  if (offsets_.is_own(*partition, there)) {
    // A group that never had a position tells nothing.
    const std::int64_t next = there >= 0 ? partition->next_offset : partition->began;
    int doubts = std::exchange(partition->looked_into, 0);
    if (!partition->doubts.compare_exchange_strong(doubts, 0)) return;  // there is another by now
    restart(partition, next >= 0 ? next : RD_KAFKA_OFFSET_BEGINNING);
    return;
  }
  listener_.noted(MirrorNote::topic_recreated,
                  fmt::format("partition {} of '{}' is read from {} on: its group's position was "
                              "gone, or moved by others, so the topic may be another one",
                              partition->partition, partition->topic,
                              there >= 0 ? std::to_string(there) : "its beginning"));
  restart(partition, there >= 0 ? there : RD_KAFKA_OFFSET_BEGINNING, there);
}

void MirrorAssignment::settle_doubt(const MirrorPartitionPtr& partition) {
  partition->looked_into = partition->doubts;
  if (settings_.delivery == Delivery::at_least_once) {
    settle_by_group(partition);
    return;
  }
  tell_made_anew(partition, bounds_of(partition->topic, partition->partition).first,
                 "the topic was deleted and made anew");
}

void MirrorAssignment::settle_doubts(const TopicKeeper& topics) {
  for (const MirrorPartitionPtr& partition : partitions_.all()) {
    if (partition->doubts == 0 || partition->halted) continue;
    const auto topic = topics.source_topic(partition->topic);
    if (topic && partition->partition < topic->partitions) settle_doubt(partition);
  }
}

// Begins another stay at `position`, which may lie before what was committed. `in_group`: what the
// group is known to have, where that is news.
void MirrorAssignment::restart(const MirrorPartitionPtr& partition, std::int64_t position,
                               std::optional<std::int64_t> in_group) {
  partition->stopped = true;
  channel(partition->topic, partition->partition).clear(*partition);
  drain({partition});
  offsets_.commit({partition});
  offsets_.release({partition});
  auto next = std::make_shared<MirrorPartition>(partition->topic, partition->partition, position);
  next->committed = -1;
  next->in_group = in_group.value_or(partition->in_group);
  next->tried = in_group.value_or(partition->tried);
  const Owned<rd_kafka_topic_partition_list_t> list = list_of({next});
  list->elems[0].offset = position;
  partitions_.put(next);
  if (partition->doubts != partition->looked_into) ++next->doubts;
  if (!all_paused_) rd_kafka_resume_partitions(consumer_, list.get());
  kafka::check(rd_kafka_seek_partitions(consumer_, list.get(),
                                        static_cast<int>(settings_.api_timeout.count())),
               "A position cannot be set");
  kafka::check(list->elems[0].err, "A position cannot be set");
}

void MirrorAssignment::pause(const std::vector<MirrorPartitionPtr>& partitions) {
  if (partitions.empty()) return;
  const Owned<rd_kafka_topic_partition_list_t> list = list_of(partitions);
  rd_kafka_pause_partitions(consumer_, list.get());
  for (const MirrorPartitionPtr& partition : partitions) partition->paused = true;
}

void MirrorAssignment::halt(const MirrorPartitionPtr& partition) {
  partition->halted = true;
  pause({partition});
}

void MirrorAssignment::pause_stopped() {
  std::vector<MirrorPartitionPtr> stopped;
  for (const MirrorPartitionPtr& partition : partitions_.all()) {
    if (!partition->stopped || partition->paused) continue;
    channel(partition->topic, partition->partition).clear(*partition);
    stopped.push_back(partition);
  }
  pause(stopped);
}

void MirrorAssignment::retry_suspended() {
  for (const MirrorPartitionPtr& partition : partitions_.all()) {
    if (!partition->suspended || partition->unacked.in_flight() != 0) continue;
    // What was read and not sent is read again.
    const std::int64_t position = offsets_.position(*partition);
    restart(partition, position >= 0 ? position : RD_KAFKA_OFFSET_BEGINNING);
  }
}

void MirrorAssignment::pause_all() {
  if (std::exchange(all_paused_, true)) return;
  const Owned<rd_kafka_topic_partition_list_t> list = list_of(partitions_.all());
  rd_kafka_pause_partitions(consumer_, list.get());
}

void MirrorAssignment::resume_all() {
  if (!std::exchange(all_paused_, false)) return;
  std::vector<MirrorPartitionPtr> going;
  for (const MirrorPartitionPtr& partition : partitions_.all()) {
    if (!partition->paused) going.push_back(partition);
  }
  const Owned<rd_kafka_topic_partition_list_t> list = list_of(going);
  rd_kafka_resume_partitions(consumer_, list.get());
}

}  // namespace weir::processors::kafka
