#include "tests/processors/kafka/mock_cluster.h"

#include <stdexcept>

#include "processors/kafka/record_headers.h"

namespace weir::processors::kafka::testing {
namespace {

constexpr int kTimeout_ms = 10'000;

struct Silent : ComponentLog {
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};
Silent silent;

std::optional<std::string> text(const void* data, std::size_t size) {
  if (data == nullptr) return std::nullopt;
  return std::string(static_cast<const char*>(data), size);
}

}  // namespace

MockCluster::MockCluster(int partitions) {
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "log_level", "0", nullptr, 0);
  owner_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  cluster_ = rd_kafka_mock_cluster_new(owner_, 1);
  rd_kafka_mock_topic_create(cluster_, "t", partitions, 1);
}

MockCluster::~MockCluster() {
  rd_kafka_mock_cluster_destroy(cluster_);
  rd_kafka_destroy(owner_);
}

std::string MockCluster::address() const {
  return rd_kafka_mock_cluster_bootstraps(cluster_);
}

std::shared_ptr<Connection> MockCluster::connection(
    std::map<std::string, std::string> settings) const {
  settings.emplace("fetch.wait.max.ms", "50");
  settings.emplace("log_level", "0");  // the bench's log is no friend of threads
  ConnectionValues values{.bootstrap_servers = address(), .dynamic = std::move(settings)};
  values.api_timeout = std::chrono::milliseconds(5'000);
  values.ack_wait = std::chrono::milliseconds(1'000);
  return std::make_shared<ConfiguredConnection>(values, nullptr);
}

void MockCluster::produce(const std::string& topic, const std::vector<MockRecord>& records) const {
  const Client producer(RD_KAFKA_PRODUCER, configuration({{"bootstrap.servers", address()}}),
                        silent);
  for (const MockRecord& record : records) {
    rd_kafka_headers_t* const headers = rd_kafka_headers_new(record.headers.size());
    for (const auto& [name, value] : record.headers) {
      rd_kafka_header_add(headers, name.c_str(), -1, value.data(),
                          static_cast<ssize_t>(value.size()));
    }
    void* const value = record.value ? const_cast<char*>(record.value->data()) : nullptr;
    void* const key = record.key ? const_cast<char*>(record.key->data()) : nullptr;
    const std::size_t value_size = record.value ? record.value->size() : 0;
    const std::size_t key_size = record.key ? record.key->size() : 0;
    check(rd_kafka_producev(producer.get(), RD_KAFKA_V_TOPIC(topic.c_str()),
                            RD_KAFKA_V_PARTITION(record.partition),
                            RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                            RD_KAFKA_V_VALUE(value, value_size), RD_KAFKA_V_KEY(key, key_size),
                            RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END),
          "produce");
  }
  check(rd_kafka_flush(producer.get(), kTimeout_ms), "flush");
}

std::vector<MockRecord> MockCluster::consume(const std::string& topic, std::size_t count) const {
  const Client consumer(RD_KAFKA_CONSUMER,
                        configuration({{"bootstrap.servers", address()},
                                       {"group.id", "reader of the tests"},
                                       {"auto.offset.reset", "earliest"},
                                       {"fetch.wait.max.ms", "50"},
                                       {"enable.auto.commit", "false"}}),
                        silent);
  const Owned<rd_kafka_topic_partition_list_t> all(rd_kafka_topic_partition_list_new(1));
  for (int partition = 0; partition < 8; ++partition) {
    const rd_kafka_metadata_t* metadata = nullptr;
    rd_kafka_topic_t* const handle = rd_kafka_topic_new(consumer.get(), topic.c_str(), nullptr);
    check(rd_kafka_metadata(consumer.get(), 0, handle, &metadata, kTimeout_ms), "metadata");
    const int partitions = metadata->topics[0].partition_cnt;
    rd_kafka_metadata_destroy(metadata);
    rd_kafka_topic_destroy(handle);
    if (partition >= partitions) break;
    rd_kafka_topic_partition_list_add(all.get(), topic.c_str(), partition)->offset =
        RD_KAFKA_OFFSET_BEGINNING;
  }
  check(rd_kafka_assign(consumer.get(), all.get()), "assign");
  std::vector<MockRecord> records;
  for (int polls = 0; records.size() < count && polls < 100; ++polls) {
    const Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(consumer.get(), 100));
    if (!message || message->err != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    MockRecord record{.key = text(message->key, message->key_len),
                      .value = text(message->payload, message->len),
                      .headers = {},
                      .partition = message->partition,
                      .offset = message->offset};
    for_each_header(*message, [&](const char* name, const void* value, std::size_t size) {
      record.headers.emplace_back(name, text(value, size).value_or(""));
    });
    records.push_back(std::move(record));
  }
  return records;
}

std::int64_t MockCluster::committed(const std::string& group, const std::string& topic,
                                    int partition) {
  const Client consumer(RD_KAFKA_CONSUMER,
                        configuration({{"bootstrap.servers", address()}, {"group.id", group}}),
                        silent);
  const Owned<rd_kafka_topic_partition_list_t> one(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(one.get(), topic.c_str(), partition);
  check(rd_kafka_committed(consumer.get(), one.get(), kTimeout_ms), "committed");
  return one->elems[0].offset;
}

void MockCluster::fail_requests(std::int16_t api_key,
                                const std::vector<rd_kafka_resp_err_t>& errors) {
  rd_kafka_mock_clear_request_errors(cluster_, api_key);
  rd_kafka_mock_push_request_errors_array(cluster_, api_key, errors.size(),
                                          const_cast<rd_kafka_resp_err_t*>(errors.data()));
}

}  // namespace weir::processors::kafka::testing
