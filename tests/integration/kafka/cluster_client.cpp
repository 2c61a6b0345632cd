#include "tests/integration/kafka/cluster_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>

#include "processors/kafka/record_headers.h"

namespace weir::kafka_testing {
namespace {

using processors::kafka::check;
using processors::kafka::Client;
using processors::kafka::configuration;
using processors::kafka::KafkaError;
using processors::kafka::Owned;
using processors::kafka::Settings;

constexpr int kTimeout_ms = 30'000;

struct Silent : ComponentLog {
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};
Silent silent;

template <typename Array, void (*destroy)(Array*, std::size_t)>
struct OneOf {
  explicit OneOf(Array one) : object(one) {}
  ~OneOf() { destroy(&object, 1); }
  OneOf(const OneOf&) = delete;
  OneOf& operator=(const OneOf&) = delete;
  Array object;
};

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Asks the cluster by librdkafka's admin interface, whose answers come as events.
Owned<rd_kafka_event_t> ask(const Client& client, std::string_view what,
                            const std::function<void(rd_kafka_queue_t*)>& request) {
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(client.get()));
  request(queue.get());
  Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), kTimeout_ms));
  if (!event) throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT, std::string(what) + ": no answer");
  check(rd_kafka_event_error(event.get()), what);
  return event;
}

void check_topics(const rd_kafka_topic_result_t** results, std::size_t count,
                  std::string_view what) {
  for (std::size_t i = 0; i < count; ++i) check(rd_kafka_topic_result_error(results[i]), what);
}

// Newly made or deleted: everybody hears of it a moment later.
void wait_until(std::string_view what, const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kTimeout_ms);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT, std::string(what));
    }
  }
}

// Again while the answer is one of `not_yet`; throws any other error.
void ask_until_ready(std::string_view what, const std::vector<rd_kafka_resp_err_t>& not_yet,
                     const std::function<rd_kafka_resp_err_t()>& request) {
  wait_until(what, [&] {
    const rd_kafka_resp_err_t error = request();
    if (std::ranges::find(not_yet, error) != not_yet.end()) return false;
    check(error, what);
    return true;
  });
}

Record record_of(const rd_kafka_message_t& message) {
  Record record;
  record.topic = rd_kafka_topic_name(message.rkt);
  record.partition = message.partition;
  record.offset = message.offset;
  const auto text = [](const void* data, std::size_t size) -> std::optional<std::string> {
    if (data == nullptr) return std::nullopt;
    return std::string(static_cast<const char*>(data), size);
  };
  record.key = text(message.key, message.key_len);
  record.value = text(message.payload, message.len);
  record.timestamp_ms = rd_kafka_message_timestamp(&message, &record.timestamp_type);
  processors::kafka::for_each_header(message,
                                     [&](const char* name, const void* value, std::size_t size) {
                                       record.headers.emplace_back(name, text(value, size));
                                     });
  return record;
}

rd_kafka_headers_t* headers_of(const Record& record) {
  rd_kafka_headers_t* const headers = rd_kafka_headers_new(record.headers.size());
  for (const auto& [name, value] : record.headers) {
    rd_kafka_header_add(headers, name.c_str(), -1, value ? value->data() : nullptr,
                        value ? static_cast<ssize_t>(value->size()) : 0);
  }
  return headers;
}

rd_kafka_resp_err_t enqueue(rd_kafka_t* producer, const Record& record) {
  rd_kafka_headers_t* const headers = headers_of(record);
  const auto data = [](const std::optional<std::string>& text) {
    return text ? const_cast<char*>(text->data()) : nullptr;
  };
  void* const value = data(record.value);
  void* const key = data(record.key);
  const std::size_t value_size = record.value ? record.value->size() : 0;
  const std::size_t key_size = record.key ? record.key->size() : 0;
  const std::int64_t timestamp_ms = record.timestamp_ms == 0 ? now_ms() : record.timestamp_ms;
  const rd_kafka_resp_err_t error = rd_kafka_producev(
      producer, RD_KAFKA_V_TOPIC(record.topic.c_str()), RD_KAFKA_V_PARTITION(record.partition),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_VALUE(value, value_size),
      RD_KAFKA_V_KEY(key, key_size), RD_KAFKA_V_TIMESTAMP(timestamp_ms),
      RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) rd_kafka_headers_destroy(headers);
  return error;
}

}  // namespace

ClusterClient::ClusterClient(std::string bootstrap_servers)
    : bootstrap_servers_(std::move(bootstrap_servers)), admin_(client(RD_KAFKA_PRODUCER)) {}

std::unique_ptr<Client> ClusterClient::client(rd_kafka_type_t type, Settings settings) const {
  settings["bootstrap.servers"] = bootstrap_servers_;
  settings["reconnect.backoff.max.ms"] = "500";
  auto made = configuration(settings);
  return std::make_unique<Client>(type, std::move(made), silent);
}

void ClusterClient::create_topic(const std::string& topic, int partition_count,
                                 const TopicConfig& config) {
  const OneOf<rd_kafka_NewTopic_t*, rd_kafka_NewTopic_destroy_array> wanted(
      rd_kafka_NewTopic_new(topic.c_str(), partition_count, 1, nullptr, 0));
  for (const auto& [name, value] : config) {
    rd_kafka_NewTopic_set_config(wanted.object, name.c_str(), value.c_str());
  }
  const auto event = ask(*admin_, "create topic", [&](rd_kafka_queue_t* queue) {
    auto* one = wanted.object;
    rd_kafka_CreateTopics(admin_->get(), &one, 1, nullptr, queue);
  });
  std::size_t count = 0;
  const auto* const result = rd_kafka_event_CreateTopics_result(event.get());
  check_topics(rd_kafka_CreateTopics_result_topics(result, &count), count, "create topic");
  wait_until("create topic", [&] { return partitions(topic) == partition_count; });
}

void ClusterClient::delete_topic(const std::string& topic) {
  const OneOf<rd_kafka_DeleteTopic_t*, rd_kafka_DeleteTopic_destroy_array> wanted(
      rd_kafka_DeleteTopic_new(topic.c_str()));
  const auto event = ask(*admin_, "delete topic", [&](rd_kafka_queue_t* queue) {
    auto* one = wanted.object;
    rd_kafka_DeleteTopics(admin_->get(), &one, 1, nullptr, queue);
  });
  std::size_t count = 0;
  const auto* const result = rd_kafka_event_DeleteTopics_result(event.get());
  check_topics(rd_kafka_DeleteTopics_result_topics(result, &count), count, "delete topic");
  wait_until("delete topic", [&] { return partitions(topic) == 0; });
}

void ClusterClient::grow_topic(const std::string& topic, int partition_count) {
  char why[256];
  const OneOf<rd_kafka_NewPartitions_t*, rd_kafka_NewPartitions_destroy_array> wanted(
      rd_kafka_NewPartitions_new(topic.c_str(), static_cast<std::size_t>(partition_count), why,
                                 sizeof why));
  const auto event = ask(*admin_, "create partitions", [&](rd_kafka_queue_t* queue) {
    auto* one = wanted.object;
    rd_kafka_CreatePartitions(admin_->get(), &one, 1, nullptr, queue);
  });
  std::size_t count = 0;
  const auto* const result = rd_kafka_event_CreatePartitions_result(event.get());
  check_topics(rd_kafka_CreatePartitions_result_topics(result, &count), count, "create partitions");
  wait_until("create partitions", [&] { return partitions(topic) == partition_count; });
}

void ClusterClient::alter_config(const std::string& topic, const TopicConfig& config) {
  const OneOf<rd_kafka_ConfigResource_t*, rd_kafka_ConfigResource_destroy_array> wanted(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  for (const auto& [name, value] : config) {
    rd_kafka_ConfigResource_set_config(wanted.object, name.c_str(), value.c_str());
  }
  const auto event = ask(*admin_, "alter config", [&](rd_kafka_queue_t* queue) {
    auto* one = wanted.object;
    rd_kafka_AlterConfigs(admin_->get(), &one, 1, nullptr, queue);
  });
  std::size_t count = 0;
  const auto* const result = rd_kafka_event_AlterConfigs_result(event.get());
  const auto** const resources = rd_kafka_AlterConfigs_result_resources(result, &count);
  for (std::size_t i = 0; i < count; ++i) {
    check(rd_kafka_ConfigResource_error(resources[i]), "alter config");
  }
}

TopicConfig ClusterClient::config(const std::string& topic) {
  const OneOf<rd_kafka_ConfigResource_t*, rd_kafka_ConfigResource_destroy_array> wanted(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  const auto event = ask(*admin_, "describe config", [&](rd_kafka_queue_t* queue) {
    auto* one = wanted.object;
    rd_kafka_DescribeConfigs(admin_->get(), &one, 1, nullptr, queue);
  });
  TopicConfig found;
  std::size_t count = 0;
  const auto* const result = rd_kafka_event_DescribeConfigs_result(event.get());
  const auto** const resources = rd_kafka_DescribeConfigs_result_resources(result, &count);
  for (std::size_t i = 0; i < count; ++i) {
    check(rd_kafka_ConfigResource_error(resources[i]), "describe config");
    std::size_t entries = 0;
    const auto** const configs = rd_kafka_ConfigResource_configs(resources[i], &entries);
    for (std::size_t k = 0; k < entries; ++k) {
      const char* const value = rd_kafka_ConfigEntry_value(configs[k]);
      found[rd_kafka_ConfigEntry_name(configs[k])] = value ? value : "";
    }
  }
  return found;
}

int ClusterClient::partitions(const std::string& topic) {
  // All topics: asking for one by name would make librdkafka remember it as missing.
  const rd_kafka_metadata_t* metadata = nullptr;
  check(rd_kafka_metadata(admin_->get(), 1, nullptr, &metadata, kTimeout_ms), "metadata");
  const std::unique_ptr<const rd_kafka_metadata_t, void (*)(const rd_kafka_metadata_t*)> held(
      metadata, rd_kafka_metadata_destroy);
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    if (metadata->topics[i].topic == topic) return metadata->topics[i].partition_cnt;
  }
  return 0;
}

std::vector<std::string> ClusterClient::topics() {
  const rd_kafka_metadata_t* metadata = nullptr;
  check(rd_kafka_metadata(admin_->get(), 1, nullptr, &metadata, kTimeout_ms), "metadata");
  std::vector<std::string> names;
  for (int i = 0; i < metadata->topic_cnt; ++i) names.emplace_back(metadata->topics[i].topic);
  rd_kafka_metadata_destroy(metadata);
  std::ranges::sort(names);
  return names;
}

void ClusterClient::delete_records(const std::string& topic, int partition, std::int64_t offset) {
  const Owned<rd_kafka_topic_partition_list_t> offsets(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(offsets.get(), topic.c_str(), partition)->offset = offset;
  const OneOf<rd_kafka_DeleteRecords_t*, rd_kafka_DeleteRecords_destroy_array> wanted(
      rd_kafka_DeleteRecords_new(offsets.get()));
  const auto event = ask(*admin_, "delete records", [&](rd_kafka_queue_t* queue) {
    auto* one = wanted.object;
    rd_kafka_DeleteRecords(admin_->get(), &one, 1, nullptr, queue);
  });
  const auto* const done =
      rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event.get()));
  for (int i = 0; i < done->cnt; ++i) check(done->elems[i].err, "delete records");
}

void ClusterClient::produce(const std::vector<Record>& records, const Settings& settings) {
  Settings all = {{"linger.ms", "5"}, {"enable.idempotence", "true"}};
  for (const auto& [name, value] : settings) all.insert_or_assign(name, value);
  const auto producer = client(RD_KAFKA_PRODUCER, std::move(all));
  const Owned<rd_kafka_queue_t> events(rd_kafka_queue_get_main(producer->get()));
  for (const Record& record : records) {
    while (true) {
      const rd_kafka_resp_err_t error = enqueue(producer->get(), record);
      if (error != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        check(error, "produce");
        break;
      }
      rd_kafka_poll(producer->get(), 10);
    }
  }
  check(rd_kafka_flush(producer->get(), kTimeout_ms), "flush");
}

std::pair<std::int64_t, std::int64_t> ClusterClient::range(const std::string& topic,
                                                           int partition) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  // Right after its broker's start a partition may have no leader yet.
  ask_until_ready(
      "offsets",
      {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE}, [&] {
        return rd_kafka_query_watermark_offsets(admin_->get(), topic.c_str(), partition, &low,
                                                &high, kTimeout_ms);
      });
  return {low, high};
}

std::vector<Record> ClusterClient::consume(const std::string& topic, bool read_committed) {
  const auto consumer =
      client(RD_KAFKA_CONSUMER,
             {{"group.id", "weir-tests-reader"},
              {"enable.auto.commit", "false"},
              {"enable.partition.eof", "true"},
              {"fetch.wait.max.ms", "50"},
              {"isolation.level", read_committed ? "read_committed" : "read_uncommitted"}});
  const int count = partitions(topic);
  const Owned<rd_kafka_topic_partition_list_t> all(rd_kafka_topic_partition_list_new(count));
  for (int i = 0; i < count; ++i) {
    rd_kafka_topic_partition_list_add(all.get(), topic.c_str(), i)->offset =
        RD_KAFKA_OFFSET_BEGINNING;
  }
  check(rd_kafka_assign(consumer->get(), all.get()), "assign");
  std::vector<Record> records;
  std::set<std::int32_t> ended;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kTimeout_ms);
  while (ended.size() < static_cast<std::size_t>(count)) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT, "consume: the end does not come");
    }
    const Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(consumer->get(), 100));
    if (!message) continue;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      ended.insert(message->partition);
    } else if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      records.push_back(record_of(*message));
    }
  }
  std::ranges::stable_sort(records, {}, &Record::partition);
  return records;
}

std::vector<std::int64_t> ClusterClient::committed(const std::string& group,
                                                   const std::string& topic) {
  const auto consumer = client(RD_KAFKA_CONSUMER, {{"group.id", group}});
  const int count = partitions(topic);
  const Owned<rd_kafka_topic_partition_list_t> all(rd_kafka_topic_partition_list_new(count));
  for (int i = 0; i < count; ++i) {
    rd_kafka_topic_partition_list_add(all.get(), topic.c_str(), i);
  }
  // Right after its broker's start a group may have no coordinator yet.
  ask_until_ready("committed offsets",
                  {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
                   RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS},
                  [&] { return rd_kafka_committed(consumer->get(), all.get(), kTimeout_ms); });
  std::vector<std::int64_t> offsets;
  for (int i = 0; i < all->cnt; ++i) offsets.push_back(all->elems[i].offset);
  return offsets;
}

void ClusterClient::commit(const std::string& group, const std::string& topic, int partition,
                           std::int64_t offset) {
  const auto consumer = client(RD_KAFKA_CONSUMER, {{"group.id", group}});
  const Owned<rd_kafka_topic_partition_list_t> one(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(one.get(), topic.c_str(), partition)->offset = offset;
  check(rd_kafka_commit(consumer->get(), one.get(), 0), "commit");
}

std::size_t ClusterClient::members(const std::string& group) {
  const struct rd_kafka_group_list* groups = nullptr;
  wait_until("list groups", [&] {
    const rd_kafka_resp_err_t error =
        rd_kafka_list_groups(admin_->get(), group.c_str(), &groups, kTimeout_ms);
    if (error == RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS ||
        error == RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE) {
      return false;
    }
    check(error, "list groups");
    return true;
  });
  std::size_t count = 0;
  for (int i = 0; i < groups->group_cnt; ++i) {
    if (groups->groups[i].group == group) {
      count = static_cast<std::size_t>(groups->groups[i].member_cnt);
    }
  }
  rd_kafka_group_list_destroy(groups);
  return count;
}

void ClusterClient::allow(const std::string& user, rd_kafka_ResourceType_t kind,
                          const std::string& name) {
  const std::string principal = "User:" + user;
  char why[256];
  const OneOf<rd_kafka_AclBinding_t*, rd_kafka_AclBinding_destroy_array> rule(
      rd_kafka_AclBinding_new(kind, name.c_str(), RD_KAFKA_RESOURCE_PATTERN_LITERAL,
                              principal.c_str(), "*", RD_KAFKA_ACL_OPERATION_ALL,
                              RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, why, sizeof why));
  const auto event = ask(*admin_, "create a rule", [&](rd_kafka_queue_t* queue) {
    auto* one = rule.object;
    rd_kafka_CreateAcls(admin_->get(), &one, 1, nullptr, queue);
  });
  std::size_t count = 0;
  const auto** const results =
      rd_kafka_CreateAcls_result_acls(rd_kafka_event_CreateAcls_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_error_t* const error = rd_kafka_acl_result_error(results[i]);
    if (error != nullptr) check(rd_kafka_error_code(error), rd_kafka_error_string(error));
  }
}

}  // namespace weir::kafka_testing
