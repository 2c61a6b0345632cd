#pragma once

#include <librdkafka/rdkafka.h>
// Only behind the one above.
#include <librdkafka/rdkafka_mock.h>

#include <chrono>
#include <string>
#include <vector>

#include "processors/kafka/client.h"
#include "processors/kafka/mirror/mirror_settings.h"
#include "tests/processors/kafka/recording_listener.h"

namespace weir::processors::kafka::test {

// librdkafka's own cluster within this process, reached over 127.0.0.1.
class MockCluster {
 public:
  explicit MockCluster(int brokers = 1);
  ~MockCluster();
  MockCluster(const MockCluster&) = delete;
  MockCluster& operator=(const MockCluster&) = delete;

  std::string brokers() const;
  void create(const std::string& topic, int partitions);
  rd_kafka_mock_cluster_t* get() const { return cluster_; }

  // Writes records and waits until they are there.
  void write(const std::vector<MirrorRecord>& records);
  // Reads whole partitions, until `count` records were seen or the time is over.
  std::vector<MirrorRecord> read(const std::string& topic, int partitions, std::size_t count,
                                 std::chrono::milliseconds most = std::chrono::seconds(20));
  std::int64_t committed(const std::string& group, const std::string& topic, int partition);
  std::int64_t end(const std::string& topic, int partition);

 private:
  SilentLog log_;
  Client client_;  // carries the cluster, and writes
  rd_kafka_mock_cluster_t* cluster_;
};

// Records numbered from `first`, over the partitions in turn: key "k<n>", value "<n>".
std::vector<MirrorRecord> numbered(const std::string& topic, int partitions, int first, int count);

// A mirror of `topics`, in a hurry.
MirrorSettings settings_of(const MockCluster& source, const MockCluster& target,
                           std::vector<std::string> topics);

}  // namespace weir::processors::kafka::test
