#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "processors/kafka/records/consumer.h"
#include "tests/integration/kafka/brokers.h"

// The consumer of ConsumeKafka alone, on a real broker: the mock cluster's groups know no others.
namespace weir::kafka_testing {
namespace {

using namespace std::chrono_literals;
using processors::kafka::Consumer;
using processors::kafka::ConsumerOptions;
using tools::testing::eventually;

struct Silent : ComponentLog {
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};

class PausedConsumer : public ::testing::Test {
 protected:
  PausedConsumer() { cluster_.create_topic(topic_, 2); }

  std::unique_ptr<Consumer> make() {
    ConsumerOptions options;
    options.settings = {
        {"bootstrap.servers", broker_.address()},   {"group.id", group_},
        {"heartbeat.interval.ms", "200"},           {"fetch.wait.max.ms", "50"},
        {"partition.assignment.strategy", "range"}, {"auto.offset.reset", "earliest"}};
    options.topics = {.names = {topic_}};
    options.timeout = 5s;
    return std::make_unique<Consumer>(options, system_clock(), log_);
  }
  void write() {
    cluster_.produce({{.topic = topic_, .partition = 0, .value = "v"},
                      {.topic = topic_, .partition = 1, .value = "v"}});
  }
  // Polls until a record of each partition came.
  bool reads_both(Consumer& consumer) {
    std::array<bool, 2> seen{};
    return eventually([&] {
      const auto record = consumer.poll(50ms, [] {});
      if (record) seen.at(static_cast<std::size_t>(record->partition)) = true;
      consumer.session_committed();
      return seen[0] && seen[1];
    });
  }

  Broker& broker_ = Brokers::instance(1).source();
  ClusterClient cluster_{broker_.address()};
  const std::string topic_ = Brokers::fresh_name("paused");
  const std::string group_ = Brokers::fresh_name("group");
  Silent log_;
};

// R120: what was paused, went to another member and came back was never read again.
TEST_F(PausedConsumer, ReadsWhatWentWhileItWaitedAndCameBack) {
  write();
  const auto first = make();
  ASSERT_TRUE(reads_both(*first));
  first->keep_alive();
  {
    std::atomic<bool> reads{false};
    const std::jthread second([&](const std::stop_token& stop) {
      const auto consumer = make();
      while (!stop.stop_requested()) {
        if (consumer->poll(50ms, [] {})) reads = true;
        consumer->session_committed();
      }
    });
    write();
    EXPECT_TRUE(eventually([&] {
      first->keep_alive();
      return reads.load();
    }));
    // It goes on with what it still has.
    EXPECT_TRUE(eventually([&] { return first->poll(50ms, [] {}) != nullptr; }));
    first->session_committed();
  }
  write();
  EXPECT_TRUE(reads_both(*first));
}

}  // namespace
}  // namespace weir::kafka_testing
