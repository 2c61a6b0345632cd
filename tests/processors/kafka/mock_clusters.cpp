#include "tests/processors/kafka/mock_clusters.h"

#include <fmt/format.h>

#include "processors/kafka/mirror/mirror_failures.h"

namespace weir::processors::kafka::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Owned<rd_kafka_topic_partition_list_t> one(const std::string& topic, int partition) {
  Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
  return list;
}

Owned<rd_kafka_headers_t> headers_of(const MirrorRecord& record) {
  if (record.headers.empty()) return nullptr;
  Owned<rd_kafka_headers_t> made(rd_kafka_headers_new(record.headers.size()));
  for (const MirrorHeader& header : record.headers) {
    check(rd_kafka_header_add(made.get(), header.name.c_str(), -1,
                              header.value ? header.value->data() : nullptr,
                              header.value ? static_cast<ssize_t>(header.value->size()) : 0),
          "header");
  }
  return made;
}

void produce(rd_kafka_t* client, const MirrorRecord& record) {
  rd_kafka_vu_t arguments[8];
  std::size_t count = 0;
  const auto next = [&](rd_kafka_vtype_t type) -> rd_kafka_vu_t& {
    arguments[count].vtype = type;
    return arguments[count++];
  };
  next(RD_KAFKA_VTYPE_TOPIC).u.cstr = record.topic.c_str();
  next(RD_KAFKA_VTYPE_PARTITION).u.i32 = record.partition;
  next(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
  if (record.timestamp_ms > 0) next(RD_KAFKA_VTYPE_TIMESTAMP).u.i64 = record.timestamp_ms;
  for (const auto& [type, bytes] : {std::pair(RD_KAFKA_VTYPE_KEY, &record.key),
                                    std::pair(RD_KAFKA_VTYPE_VALUE, &record.value)}) {
    if (!*bytes) continue;
    rd_kafka_vu_t& argument = next(type);
    argument.u.mem.ptr = const_cast<char*>((*bytes)->data());
    argument.u.mem.size = (*bytes)->size();
  }
  Owned<rd_kafka_headers_t> headers = headers_of(record);
  if (headers) next(RD_KAFKA_VTYPE_HEADERS).u.headers = headers.release();
  check(rd_kafka_produceva(client, arguments, count), "produce");
}

}  // namespace

MockCluster::MockCluster(int brokers)
    : client_(
          RD_KAFKA_PRODUCER,
          configuration({{"test.mock.num.brokers", std::to_string(brokers)}, {"linger.ms", "1"}}),
          log_),
      cluster_(rd_kafka_handle_mock_cluster(client_.get())) {}

MockCluster::~MockCluster() = default;

std::string MockCluster::brokers() const {
  return rd_kafka_mock_cluster_bootstraps(cluster_);
}

void MockCluster::create(const std::string& topic, int partitions) {
  check(rd_kafka_mock_topic_create(cluster_, topic.c_str(), partitions, 1), "create");
}

void MockCluster::write(const std::vector<MirrorRecord>& records) {
  for (const MirrorRecord& record : records) produce(client_.get(), record);
  check(rd_kafka_flush(client_.get(), 20'000), "flush");
}

std::vector<MirrorRecord> MockCluster::read(const std::string& topic, int partitions,
                                            std::size_t count, milliseconds most) {
  const Client consumer(RD_KAFKA_CONSUMER,
                        configuration({{"bootstrap.servers", brokers()}, {"group.id", "reader"}}),
                        log_);
  rd_kafka_poll_set_consumer(consumer.get());
  const Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(partitions));
  for (int i = 0; i < partitions; ++i) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i)->offset =
        RD_KAFKA_OFFSET_BEGINNING;
  }
  check(rd_kafka_assign(consumer.get(), list.get()), "assign");
  std::vector<MirrorRecord> records;
  const auto deadline = steady_clock::now() + most;
  while (records.size() < count && steady_clock::now() < deadline) {
    const Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(consumer.get(), 50));
    if (message && message->err == RD_KAFKA_RESP_ERR_NO_ERROR) records.push_back(unpack(*message));
  }
  rd_kafka_consumer_close(consumer.get());
  return records;
}

std::int64_t MockCluster::committed(const std::string& group, const std::string& topic,
                                    int partition) {
  const Client consumer(RD_KAFKA_CONSUMER,
                        configuration({{"bootstrap.servers", brokers()}, {"group.id", group}}),
                        log_);
  const Owned<rd_kafka_topic_partition_list_t> list = one(topic, partition);
  check(rd_kafka_committed(consumer.get(), list.get(), 10'000), "committed");
  return list->elems[0].offset;
}

std::int64_t MockCluster::end(const std::string& topic, int partition) {
  std::int64_t low = 0, high = 0;
  check(rd_kafka_query_watermark_offsets(client_.get(), topic.c_str(), partition, &low, &high,
                                         10'000),
        "end");
  return high;
}

std::vector<MirrorRecord> numbered(const std::string& topic, int partitions, int first, int count) {
  std::vector<MirrorRecord> records;
  for (int n = first; n < first + count; ++n) {
    MirrorRecord record;
    record.topic = topic;
    record.partition = n % partitions;
    record.key = fmt::format("k{}", n);
    record.value = std::to_string(n);
    records.push_back(std::move(record));
  }
  return records;
}

MirrorSettings settings_of(const MockCluster& source, const MockCluster& target,
                           std::vector<std::string> topics) {
  MirrorSettings settings;
  settings.source = {{"bootstrap.servers", source.brokers()},
                     {"session.timeout.ms", "6000"},
                     {"heartbeat.interval.ms", "200"}};
  settings.target = {{"bootstrap.servers", target.brokers()}};
  settings.source_name = source.brokers();
  settings.target_name = target.brokers();
  settings.group_id = "mirror";
  settings.topics.names = std::move(topics);
  settings.commit_interval = milliseconds(50);
  settings.topic_refresh_interval = milliseconds(300);
  settings.retry_interval = milliseconds(200);
  settings.drain_timeout = milliseconds(5000);
  settings.api_timeout = milliseconds(3000);
  return settings;
}

}  // namespace weir::processors::kafka::test
