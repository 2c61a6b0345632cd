#include "tests/integration/kafka/mirror_fixture.h"

#include <set>

namespace weir::kafka_testing {
namespace {

using std::chrono::milliseconds;

constexpr int kSlice = 200;  // records of a partition

}  // namespace

Load::Load(std::string brokers, std::string topic, int partitions, milliseconds pause)
    : brokers_(std::move(brokers)),
      topic_(std::move(topic)),
      partitions_(partitions),
      pause_(pause),
      thread_([this] { run(); }) {}

void Load::run() {
  ClusterClient cluster(brokers_);
  while (!ending_) {
    const NumberedRecords slice{
        .partitions = partitions_, .per_partition = kSlice, .first = slices_ * kSlice};
    cluster.produce(slice.of_topic(topic_));
    ++slices_;
    std::this_thread::sleep_for(pause_);
  }
}

NumberedRecords Load::finish() {
  ending_ = true;
  if (thread_.joinable()) thread_.join();
  return {.partitions = partitions_, .per_partition = slices_ * kSlice};
}

MirrorOnBrokers::MirrorOnBrokers()
    : source_broker_(Brokers::instance().source()),
      target_broker_(Brokers::instance().target()),
      source_(source_broker_.address()),
      target_(target_broker_.address()),
      topic_(Brokers::fresh_name("orders")),
      group_(Brokers::fresh_name("mirror")) {}

MirrorSettings MirrorOnBrokers::settings(std::vector<std::string> topics) const {
  MirrorSettings settings;
  settings.source = {{"bootstrap.servers", source_broker_.address()},
                     {"session.timeout.ms", "6000"},
                     {"heartbeat.interval.ms", "300"},
                     {"reconnect.backoff.max.ms", "500"}};
  settings.target = {{"bootstrap.servers", target_broker_.address()},
                     {"reconnect.backoff.max.ms", "500"}};
  settings.target_reader = {{"bootstrap.servers", target_broker_.address()}};
  settings.source_name = source_broker_.address();
  settings.target_name = target_broker_.address();
  settings.group_id = group_;
  settings.topics.names = std::move(topics);
  settings.commit_interval = milliseconds(200);
  settings.topic_refresh_interval = milliseconds(500);
  settings.retry_interval = milliseconds(300);
  settings.api_timeout = milliseconds(10'000);
  return settings;
}

std::unique_ptr<Mirror> MirrorOnBrokers::start(MirrorSettings settings) {
  return std::make_unique<Mirror>(std::move(settings), listener_, system_clock(), log_);
}

std::int64_t MirrorOnBrokers::target_end(const std::string& topic, int partition) {
  try {
    if (target_.partitions(topic) <= partition) return 0;
    return target_.range(topic, partition).second;
  } catch (const processors::kafka::KafkaError&) {
    return 0;  // a topic that has just been made
  }
}

bool MirrorOnBrokers::arrives(const NumberedRecords& sent, const std::string& topic) {
  const auto wanted = static_cast<std::int64_t>(sent.per_partition);
  return eventually(
      [&] {
        if (target_.partitions(topic) < sent.partitions) return false;
        for (int i = 0; i < sent.partitions; ++i) {
          if (target_end(topic, i) < sent.first + wanted) return false;
        }
        return true;
      },
      std::chrono::seconds(60));
}

Arrival MirrorOnBrokers::arrival(const NumberedRecords& sent) {
  EXPECT_TRUE(arrives(sent, topic_)) << listener_.all_notes();
  // Duplicates may have filled the target before the last record came.
  Arrival arrived;
  eventually(
      [&] {
        arrived = arrival_of(sent, target_.consume(topic_));
        return arrived.lost == 0;
      },
      std::chrono::seconds(30));
  return arrived;
}

std::vector<std::string> MirrorOnBrokers::values(const std::string& topic, int partition) {
  std::vector<std::string> values;
  for (const Record& record : target_.consume(topic)) {
    if (record.partition == partition) values.push_back(record.value.value_or("(null)"));
  }
  return values;
}

}  // namespace weir::kafka_testing
