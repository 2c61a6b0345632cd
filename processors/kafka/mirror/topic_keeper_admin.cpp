#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "processors/kafka/mirror/topic_keeper.h"

// The requests by which topics are looked at and changed.
namespace weir::processors::kafka {
namespace {

using Strings = std::vector<std::pair<std::string, std::string>>;

struct DestroyAdmin {
  void operator()(rd_kafka_AdminOptions_t* object) const { rd_kafka_AdminOptions_destroy(object); }
  void operator()(rd_kafka_NewTopic_t* object) const { rd_kafka_NewTopic_destroy(object); }
  void operator()(rd_kafka_NewPartitions_t* object) const {
    rd_kafka_NewPartitions_destroy(object);
  }
  void operator()(rd_kafka_ConfigResource_t* object) const {
    rd_kafka_ConfigResource_destroy(object);
  }
};
template <typename T>
using Admin = std::unique_ptr<T, DestroyAdmin>;

// One request and its answer.
class Request {
 public:
  Request(rd_kafka_t* client, rd_kafka_admin_op_t what, const Patience& patience)
      : patience_(patience),
        options_(rd_kafka_AdminOptions_new(client, what)),
        queue_(rd_kafka_queue_new(client)) {
    char why[256] = "";
    check(rd_kafka_AdminOptions_set_request_timeout(options_.get(), patience.request_timeout_ms(),
                                                    why, sizeof why),
          why);
  }
  const rd_kafka_AdminOptions_t* options() const { return options_.get(); }
  rd_kafka_queue_t* queue() const { return queue_.get(); }
  // The end of the wait is the time-out of the request, or a stop.
  rd_kafka_event_t* answer(const std::string& what) {
    event_ = patience_.answer(queue_.get());
    if (!event_) throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT, what);
    if (const rd_kafka_resp_err_t code = rd_kafka_event_error(event_.get())) {
      throw KafkaError(code,
                       fmt::format("{}: {}", what, rd_kafka_event_error_string(event_.get())));
    }
    return event_.get();
  }

 private:
  const Patience& patience_;
  Admin<rd_kafka_AdminOptions_t> options_;
  Owned<rd_kafka_queue_t> queue_;
  Owned<rd_kafka_event_t> event_;
};

// Refusals are the target's last word; `fine` is what somebody else has done meanwhile.
void check_results(const rd_kafka_topic_result_t** results, std::size_t count,
                   rd_kafka_resp_err_t fine, const std::string& what) {
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t code = rd_kafka_topic_result_error(results[i]);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == fine) continue;
    const char* const text = rd_kafka_topic_result_error_string(results[i]);
    throw TopicRefused(
        fmt::format("{}: {}", what, text != nullptr ? text : rd_kafka_err2str(code)));
  }
}

struct TopicSetting {
  std::string name;
  std::string value;
  bool is_own;  // set for this topic, not a default
};

std::vector<TopicSetting> describe(rd_kafka_t* client, const std::string& topic,
                                   const Patience& patience) {
  const std::string what = fmt::format("The settings of topic '{}' cannot be read", topic);
  Request request(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, patience);
  const Admin<rd_kafka_ConfigResource_t> resource(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  rd_kafka_ConfigResource_t* resources[] = {resource.get()};
  rd_kafka_DescribeConfigs(client, resources, 1, request.options(), request.queue());
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** const found = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(request.answer(what)), &count);
  std::vector<TopicSetting> settings;
  for (std::size_t i = 0; i < count; ++i) {
    if (rd_kafka_ConfigResource_error(found[i]) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      throw KafkaError(rd_kafka_ConfigResource_error(found[i]), what);
    }
    std::size_t entries = 0;
    const rd_kafka_ConfigEntry_t** const all = rd_kafka_ConfigResource_configs(found[i], &entries);
    for (std::size_t k = 0; k < entries; ++k) {
      const char* const value = rd_kafka_ConfigEntry_value(all[k]);
      if (value == nullptr) continue;
      const bool is_own =
          rd_kafka_ConfigEntry_source(all[k]) == RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG;
      settings.push_back({rd_kafka_ConfigEntry_name(all[k]), value, is_own});
    }
  }
  return settings;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> TopicKeeper::copied_settings(
    const std::string& source) {
  const std::vector<std::string>& names = settings_.topic_rules.copied_settings;
  Strings copied;
  if (names.empty()) return copied;
  for (auto& [name, value, is_own] : describe(source_, source, patience_)) {
    if (is_own && std::ranges::find(names, name) != names.end()) copied.emplace_back(name, value);
  }
  return copied;
}

// A batch larger than the topic takes would be refused as a whole, with all of its records.
void TopicKeeper::respect_batch_limit(const std::string& target) {
  std::vector<TopicSetting> found;
  try {
    found = describe(producer_.get(), target, patience_);
  } catch (const KafkaError&) {
    // Not everybody may read settings. Then a refusal shows it.
    return;
  }
  const auto limit = std::ranges::find(found, "max.message.bytes", &TopicSetting::name);
  std::int64_t bytes = 0;
  if (limit == found.end()) return;
  std::from_chars(limit->value.data(), limit->value.data() + limit->value.size(), bytes);
  if (bytes > 0 && memory_.lower_batch_bytes(bytes)) {
    throw MirrorRestart(fmt::format("topic '{}' takes batches of {} bytes at most", target, bytes));
  }
}

// False where it was there already.
bool TopicKeeper::create(const std::string& target, const SourceTopic& like) {
  const std::string what = fmt::format("Topic '{}' cannot be created in the target", target);
  const int asked = settings_.topic_rules.replication_factor;
  const int replicas = asked != 0                    ? asked
                       : like.replication_factor > 0 ? like.replication_factor
                                                     : -1;
  char why[512] = "";
  const Admin<rd_kafka_NewTopic_t> topic(
      rd_kafka_NewTopic_new(target.c_str(), like.partitions, replicas, why, sizeof why));
  if (!topic) throw TopicRefused(fmt::format("{}: {}", what, why));
  for (const auto& [name, value] : copied_settings(like.name)) {
    check(rd_kafka_NewTopic_set_config(topic.get(), name.c_str(), value.c_str()), what);
  }
  Request request(producer_.get(), RD_KAFKA_ADMIN_OP_CREATETOPICS, patience_);
  rd_kafka_NewTopic_t* topics[] = {topic.get()};
  rd_kafka_CreateTopics(producer_.get(), topics, 1, request.options(), request.queue());
  std::size_t count = 0;
  const rd_kafka_topic_result_t** const results = rd_kafka_CreateTopics_result_topics(
      rd_kafka_event_CreateTopics_result(request.answer(what)), &count);
  check_results(results, count, RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS, what);
  if (count > 0 && rd_kafka_topic_result_error(results[0]) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return false;
  }
  listener_.noted(MirrorNote::topic_created,
                  fmt::format("topic '{}' with {} partitions", target, like.partitions));
  return true;
}

void TopicKeeper::grow(const std::string& target, int from, int to) {
  const std::string what =
      fmt::format("Topic '{}' of the target cannot get {} partitions", target, to);
  char why[512] = "";
  const Admin<rd_kafka_NewPartitions_t> wanted(
      rd_kafka_NewPartitions_new(target.c_str(), static_cast<std::size_t>(to), why, sizeof why));
  if (!wanted) throw TopicRefused(fmt::format("{}: {}", what, why));
  Request request(producer_.get(), RD_KAFKA_ADMIN_OP_CREATEPARTITIONS, patience_);
  rd_kafka_NewPartitions_t* partitions[] = {wanted.get()};
  rd_kafka_CreatePartitions(producer_.get(), partitions, 1, request.options(), request.queue());
  std::size_t count = 0;
  const rd_kafka_topic_result_t** const results = rd_kafka_CreatePartitions_result_topics(
      rd_kafka_event_CreatePartitions_result(request.answer(what)), &count);
  // Another mirror may have added them: the count decides, see `await`.
  check_results(results, count, RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, what);
  listener_.noted(MirrorNote::partitions_added,
                  fmt::format("topic '{}': {} partitions, {} before", target, to, from));
}

}  // namespace weir::processors::kafka
