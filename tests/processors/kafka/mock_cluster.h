#pragma once

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/component.h"
#include "processors/kafka/connection_settings.h"

namespace weir::processors::kafka::testing {

struct MockRecord {
  std::optional<std::string> key = {};
  std::optional<std::string> value = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::int32_t partition = 0;
  std::int64_t offset = -1;
};

class NoLog : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};

// librdkafka's own cluster, within this process: topics come to be when they are first named.
class MockCluster {
 public:
  explicit MockCluster(int partitions = 1);
  ~MockCluster();
  MockCluster(const MockCluster&) = delete;
  MockCluster& operator=(const MockCluster&) = delete;

  std::string address() const;
  rd_kafka_mock_cluster_t* get() const { return cluster_; }
  // With short waits.
  std::shared_ptr<Connection> connection(std::map<std::string, std::string> settings = {}) const;

  void produce(const std::string& topic, const std::vector<MockRecord>& records) const;
  std::vector<MockRecord> consume(const std::string& topic, std::size_t count) const;
  std::int64_t committed(const std::string& group, const std::string& topic, int partition = 0);
  // The next requests of the kind get this answer.
  void fail_requests(std::int16_t api_key, const std::vector<rd_kafka_resp_err_t>& errors);

 private:
  rd_kafka_t* owner_ = nullptr;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
};

inline constexpr std::int16_t kProduce = 0;
inline constexpr std::int16_t kFetch = 1;
inline constexpr std::int16_t kOffsetCommit = 8;

}  // namespace weir::processors::kafka::testing
