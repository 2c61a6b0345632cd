#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "processors/kafka/client.h"

namespace weir::kafka_testing {

using TopicConfig = std::map<std::string, std::string>;

struct Record {
  std::string topic = {};
  std::int32_t partition = -1;  // to be produced: -1 leaves the choice to the key
  std::int64_t offset = -1;
  std::optional<std::string> key = {};
  std::optional<std::string> value = {};
  std::vector<std::pair<std::string, std::optional<std::string>>> headers = {};
  std::int64_t timestamp_ms = 0;  // to be produced: 0 is now
  rd_kafka_timestamp_type_t timestamp_type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
};

// What tests do to a cluster and see of it, apart from the clients under test. Every call is
// complete when it returns, and throws KafkaError where it fails.
class ClusterClient {
 public:
  explicit ClusterClient(std::string bootstrap_servers);

  void create_topic(const std::string& topic, int partitions, const TopicConfig& config = {});
  void delete_topic(const std::string& topic);
  void grow_topic(const std::string& topic, int partitions);
  void alter_config(const std::string& topic, const TopicConfig& config);
  TopicConfig config(const std::string& topic);
  // 0: there is no such topic.
  int partitions(const std::string& topic);
  std::vector<std::string> topics();
  // What is before `offset` is gone.
  void delete_records(const std::string& topic, int partition, std::int64_t offset);

  // Acknowledged by all. `settings` are librdkafka's, besides.
  void produce(const std::vector<Record>& records,
               const processors::kafka::Settings& settings = {});

  // Everything up to the end as it is now, in the order of partitions, then offsets.
  std::vector<Record> consume(const std::string& topic, bool read_committed = true);
  std::size_t count(const std::string& topic) { return consume(topic).size(); }

  // First and next offset.
  std::pair<std::int64_t, std::int64_t> range(const std::string& topic, int partition);
  // Per partition; RD_KAFKA_OFFSET_INVALID (-1001) where the group has none.
  std::vector<std::int64_t> committed(const std::string& group, const std::string& topic);
  void commit(const std::string& group, const std::string& topic, int partition,
              std::int64_t offset);
  std::size_t members(const std::string& group);

  // A rule for a topic or group: `user` may do everything with it, who has none nothing.
  void allow(const std::string& user, rd_kafka_ResourceType_t kind, const std::string& name);

 private:
  std::unique_ptr<processors::kafka::Client> client(
      rd_kafka_type_t type, processors::kafka::Settings settings = {}) const;

  const std::string bootstrap_servers_;
  std::unique_ptr<processors::kafka::Client> admin_;
};

}  // namespace weir::kafka_testing
