#include "processors/kafka/mirror/topic_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace weir::processors::kafka {
namespace {

using std::chrono::milliseconds;

// How often a change is looked for that the target has accepted but not yet spread.
constexpr milliseconds kLookAgain{50};
// How long; then its partitions wait, and it is tried again.
constexpr milliseconds kMostWait{5'000};

struct DestroyMetadata {
  void operator()(const rd_kafka_metadata_t* metadata) const {
    rd_kafka_metadata_destroy(metadata);
  }
};
using Metadata = std::unique_ptr<const rd_kafka_metadata_t, DestroyMetadata>;

// Of all topics: asking for one that is missing could make a broker create it by itself.
Metadata metadata_of(rd_kafka_t* client, const Patience& patience, const std::string& what) {
  const rd_kafka_metadata_t* metadata = nullptr;
  check(patience.ask([&](int timeout_ms) {
    return rd_kafka_metadata(client, 1, nullptr, &metadata, timeout_ms);
  }),
        what);
  return Metadata(metadata);
}

}  // namespace

bool TopicKeeper::selects(const std::string& name) const {
  const TopicSelection& selection = settings_.topics;
  if (!selection.pattern) return std::ranges::find(selection.names, name) != selection.names.end();
  // Internal topics and the mirror's own are never what a pattern means.
  if (name.starts_with("__") || name == settings_.dead_letter_topic) return false;
  return selection.pattern->matches(name);
}

TopicKeeper::Look TopicKeeper::refresh() {
  const Metadata metadata =
      metadata_of(source_, patience_, "The topics of the source cannot be looked up");
  Topics found;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const rd_kafka_metadata_topic& topic = metadata->topics[i];
    if (topic.err != RD_KAFKA_RESP_ERR_NO_ERROR || !selects(topic.topic)) continue;
    int replicas = 1;
    if (topic.partition_cnt > 0) replicas = topic.partitions[0].replica_cnt;
    SourceTopic& made = found[topic.topic];
    made = {.name = topic.topic, .partitions = topic.partition_cnt, .replication_factor = replicas};
    made.leaders.assign(static_cast<std::size_t>(topic.partition_cnt), -1);
    for (int k = 0; k < topic.partition_cnt; ++k) {
      const rd_kafka_metadata_partition& partition = topic.partitions[k];
      if (partition.id >= 0 && partition.id < topic.partition_cnt) {
        made.leaders[static_cast<std::size_t>(partition.id)] = partition.leader;
      }
    }
  }
  return remember(std::move(found));
}

TopicKeeper::Look TopicKeeper::remember(Topics found) {
  const std::lock_guard lock(mutex_);
  Look look;
  for (const auto& [name, topic] : found) {
    if (vanished_.erase(name) > 0) look.again.push_back(name);
    look.topics.push_back(topic);
  }
  for (const auto& [name, topic] : topics_) {
    if (found.contains(name)) continue;
    vanished_.insert(name);
    look.gone.push_back(name);
  }
  topics_ = std::move(found);
  return look;
}

std::optional<SourceTopic> TopicKeeper::source_topic(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(name);
  if (found == topics_.end()) return std::nullopt;
  return found->second;
}

TargetTopic& TopicKeeper::ensure(const std::string& target, const std::string& source,
                                 int partitions) {
  SourceTopic like = source_topic(source).value_or(SourceTopic{.name = source});
  like.partitions = std::max(like.partitions, partitions);
  TargetTopic& topic = producer_.topic(target);
  if (topic.partitions >= like.partitions) return topic;

  const std::lock_guard lock(admin_mutex_);
  int there = look_up(topic);
  if (there == 0) {
    if (!settings_.topic_rules.create) {
      throw TopicRefused(
          fmt::format("topic '{}' is not in the target, and the mirror may not "
                      "create it",
                      target));
    }
    // Somebody else may have been faster, with partitions as he likes.
    there = create(target, like) ? like.partitions : await(topic, 1);
  }
  if (there < like.partitions) {
    if (!settings_.topic_rules.grow) {
      throw TopicRefused(fmt::format(
          "topic '{}' has {} partitions in the target where {} are needed, and the mirror may not "
          "add any",
          target, there, like.partitions));
    }
    grow(target, there, like.partitions);
  }
  respect_batch_limit(target);
  await(topic, like.partitions);
  return topic;
}

// The count of partitions; 0: the topic is not there.
int TopicKeeper::look_up(const TargetTopic& topic) {
  const Metadata metadata =
      metadata_of(producer_.get(), patience_,
                  fmt::format("Topic '{}' of the target cannot be looked up", topic.name));
  const std::span all(metadata->topics, static_cast<std::size_t>(metadata->topic_cnt));
  const auto found = std::ranges::find(all, topic.name, &rd_kafka_metadata_topic::topic);
  if (found == all.end()) return 0;
  switch (found->err) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
      return found->partition_cnt;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
      return 0;
    default:
      throw TopicRefused(
          fmt::format("topic '{}' of the target: {}", topic.name, rd_kafka_err2str(found->err)));
  }
}

// Brokers answer from what they know, which lags behind what the controller did.
int TopicKeeper::await(TargetTopic& topic, int partitions) {
  const auto tries = std::min(settings_.api_timeout, kMostWait) / kLookAgain;
  for (auto i = tries; i >= 0 && !patience_.is_ending(); --i) {
    const int there = look_up(topic);
    if (there >= partitions) {
      topic.partitions = there;
      return there;
    }
    std::this_thread::sleep_for(kLookAgain);
  }
  throw TopicRefused(
      fmt::format("topic '{}' of the target did not get {} partitions", topic.name, partitions));
}

}  // namespace weir::processors::kafka
