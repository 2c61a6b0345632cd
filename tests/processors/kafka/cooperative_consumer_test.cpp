#include <gtest/gtest.h>

#include "processors/kafka/records/consumer.h"
#include "tests/processors/kafka/mock_cluster.h"

namespace weir::processors::kafka {
namespace {

using testing::MockCluster;
using namespace std::chrono_literals;

struct Silent : ComponentLog {
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};

// Each look waits by itself.
bool eventually(const std::function<bool()>& done) {
  for (int i = 0; i < 2'000; ++i) {
    if (done()) return true;
  }
  return false;
}

const std::function<void()> no_session = [] { FAIL() << "nothing was taken away"; };

// Behind a session there may be no moment for its offsets; they must not wait for the next session.
TEST(CooperativeConsumer, CommitsWithALaterCallWhatHadToWait) {
  MockCluster cluster;
  cluster.produce("t", {{.value = "one"}, {.value = "two"}, {.value = "three"}});
  Silent log;
  auto consumer = std::make_unique<Consumer>(
      ConsumerOptions{.settings = {{"bootstrap.servers", cluster.address()},
                                   {"group.id", "g"},
                                   {"auto.offset.reset", "earliest"},
                                   {"heartbeat.interval.ms", "200"},
                                   {"log_level", "0"},
                                   {"partition.assignment.strategy", "cooperative-sticky"}},
                      .topics = {.names = {"t"}}},
      system_clock(), log);
  const auto next = [&] {
    EXPECT_TRUE(eventually([&] { return consumer->poll(10ms, no_session) != nullptr; }));
    consumer->session_committed();
  };
  next();
  EXPECT_TRUE(eventually([&] {
    consumer->keep_alive();
    return cluster.committed("g", "t") == 1;
  }));
  next();
  EXPECT_NE(consumer->poll(1s, no_session), nullptr);
  EXPECT_TRUE(eventually([&] {
    EXPECT_EQ(consumer->poll(10ms, no_session), nullptr);
    return cluster.committed("g", "t") == 2;
  }));
  consumer->session_committed();
  consumer.reset();
  EXPECT_EQ(cluster.committed("g", "t"), 3);
}

}  // namespace
}  // namespace weir::processors::kafka
