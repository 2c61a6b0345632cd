#include "processors/kafka/records/topic_selection.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors::kafka {
namespace {

constexpr std::int64_t kLookInterval_ns = 10'000'000'000;
constexpr std::int64_t kFirstLookInterval_ns = 1'000'000'000;  // while none is there
constexpr std::int64_t kLookBackInterval_ns = 1'000'000'000;
constexpr int kAnswerTimeout_ms = 1'000;

}  // namespace

std::optional<std::vector<std::string>> TopicWatch::all(rd_kafka_t* consumer) const {
  const rd_kafka_metadata_t* metadata = nullptr;
  const rd_kafka_resp_err_t error =
      rd_kafka_metadata(consumer, 1, nullptr, &metadata, kAnswerTimeout_ms);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    log_.debug("The topics cannot be listed: {}", rd_kafka_err2str(error));
    return std::nullopt;
  }
  const std::unique_ptr<const rd_kafka_metadata_t, void (*)(const rd_kafka_metadata_t*)> held(
      metadata, rd_kafka_metadata_destroy);
  std::vector<std::string> names;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const rd_kafka_metadata_topic& topic = metadata->topics[i];
    if (topic.err == RD_KAFKA_RESP_ERR_NO_ERROR) names.emplace_back(topic.topic);
  }
  std::ranges::sort(names);
  return names;
}

void TopicWatch::subscribe(rd_kafka_t* consumer, GroupWatch* watch,
                           std::vector<std::string> names) {
  const Owned<rd_kafka_topic_partition_list_t> topics(
      rd_kafka_topic_partition_list_new(static_cast<int>(names.size())));
  for (const std::string& name : names) {
    rd_kafka_topic_partition_list_add(topics.get(), name.c_str(), RD_KAFKA_PARTITION_UA);
  }
  if (watch != nullptr) watch->subscribing();
  if (names.empty()) {
    check(rd_kafka_unsubscribe(consumer), "unsubscribe");
  } else {
    check(rd_kafka_subscribe(consumer, topics.get()), "subscribe");
  }
  subscribed_ = std::move(names);
}

void TopicWatch::refresh(rd_kafka_t* consumer, GroupWatch* watch) {
  if (!selection_.pattern) {
    if (subscribed_.empty()) subscribe(consumer, watch, selection_.names);
    return;
  }
  const std::int64_t now_ns = clock_.steady_ns();
  if (now_ns < next_look_ns_) return;
  auto names = all(consumer);
  if (names) {
    std::erase_if(*names, [this](const std::string& name) {
      // As Kafka's own consumers leave internal ones out.
      return name.starts_with("__") || !selection_.pattern->matches(name);
    });
  }
  if (names && *names != subscribed_) {
    log_.info("Topics that match {}: {}", selection_.pattern->expression(),
              names->empty() ? "none" : fmt::format("{}", fmt::join(*names, ", ")));
    subscribe(consumer, watch, *std::move(names));
  }
  next_look_ns_ = now_ns + (subscribed_.empty() ? kFirstLookInterval_ns : kLookInterval_ns);
}

std::vector<std::string> TopicWatch::back_of(const TopicNames& gone, rd_kafka_t* consumer) {
  const std::int64_t now_ns = clock_.steady_ns();
  if (now_ns < next_look_back_ns_) return {};
  std::vector<std::string> names = all(consumer).value_or(std::vector<std::string>());
  std::erase_if(names, [&gone](const std::string& name) { return !gone.contains(name); });
  next_look_back_ns_ = now_ns + kLookBackInterval_ns;
  return names;
}

}  // namespace weir::processors::kafka
