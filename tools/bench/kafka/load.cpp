#include "tools/bench/kafka/load.h"

#include <fmt/format.h>

#include <stdexcept>

#include "processors/kafka/client.h"
#include "tests/integration/kafka/cluster_client.h"

namespace weir::bench {
namespace {

using processors::kafka::Client;
using processors::kafka::configuration;

constexpr int kFlushTimeoutMs = 300'000;

// Values that compress about as log lines do.
void write_value(std::uint64_t number, std::size_t bytes, std::string& value) {
  value.clear();
  fmt::format_to(std::back_inserter(value), "{:020} ", number);
  while (value.size() < bytes) {
    fmt::format_to(std::back_inserter(value), "field{}={} ", value.size() % 7, number * 31);
  }
  value.resize(bytes);
}

}  // namespace

SilentLog silent_log;

void fill(const std::string& brokers, const KafkaLoad& load, const std::string& topic) {
  kafka_testing::ClusterClient(brokers).create_topic(topic, load.partitions);
  const Client client(RD_KAFKA_PRODUCER,
                      configuration({{"bootstrap.servers", brokers},
                                     {"linger.ms", "20"},
                                     {"queue.buffering.max.kbytes", "262144"},
                                     {"compression.type", load.compression}}),
                      silent_log);
  rd_kafka_topic_t* const handle = rd_kafka_topic_new(client.get(), topic.c_str(), nullptr);
  std::string value;
  for (std::uint64_t i = 0; i < load.records; ++i) {
    write_value(i, load.record_bytes, value);
    const auto partition =
        static_cast<std::int32_t>(i % static_cast<std::uint64_t>(load.partitions));
    while (rd_kafka_produce(handle, partition, RD_KAFKA_MSG_F_COPY, value.data(), value.size(),
                            nullptr, 0, nullptr) != 0) {
      rd_kafka_poll(client.get(), 10);
    }
  }
  const rd_kafka_resp_err_t code = rd_kafka_flush(client.get(), kFlushTimeoutMs);
  rd_kafka_topic_destroy(handle);
  processors::kafka::check(code, "The source topic cannot be filled");
}

}  // namespace weir::bench
