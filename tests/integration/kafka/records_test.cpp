#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/kafka/records_fixture.h"

namespace weir::kafka_testing {
namespace {

using tools::testing::eventually;
using tools::testing::operator""s;

class ForwardedRecords : public ForwardingTest {
 protected:
  // Ends the engine at random instants and starts it again, while records are written.
  void interrupt(FlowEngine& engine, int times, void (FlowEngine::*how)()) {
    for (int i = 0; i < times; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300 + random() % 1200));
      (engine.*how)();
      engine.start();
    }
  }
};

TEST_F(ForwardedRecords, ArriveOnceAndInOrder) {
  FlowEngine engine(flow().json());
  engine.start();
  write_during(1s);
  EXPECT_EQ(arrived(), Arrival{}) << engine.said();
  engine.stop();
  EXPECT_THAT(cluster_.committed(group_, from_), ::testing::Each(sent_.per_partition));
}

// A crash between the session's commit and that of its offsets reads records again, and loses none.
TEST_F(ForwardedRecords, AreNotLostWhenTheEngineIsKilled) {
  FlowEngine engine(flow().json());
  engine.start();
  write_during(5s);
  interrupt(engine, loops(4), &FlowEngine::kill);
  const Arrival arrival = arrived();
  EXPECT_EQ(arrival.lost, 0u);
  EXPECT_EQ(arrival.out_of_order, 0u);
  EXPECT_EQ(arrival.strangers, 0u);
  RecordProperty("duplicates", std::to_string(arrival.duplicates));
}

TEST_F(ForwardedRecords, ArriveExactlyOnceThoughTheEngineIsKilled) {
  ForwardingFlow exactly = flow();
  exactly.exactly_once = true;
  FlowEngine engine(exactly.json());
  engine.start();
  write_during(6s);
  interrupt(engine, loops(5), &FlowEngine::kill);
  EXPECT_EQ(arrived(), Arrival{}) << engine.said();
}

// R113: stops in order made duplicates, since acknowledgements under way were not waited for.
TEST_F(ForwardedRecords, AreNotDoubledByStopsInOrder) {
  FlowEngine engine(flow().json());
  engine.start();
  write_during(5s);
  interrupt(engine, loops(4), &FlowEngine::stop);
  EXPECT_EQ(arrived(), Arrival{}) << engine.said();
}

class RebalancedRecords : public ForwardedRecords,
                          public ::testing::WithParamInterface<const char*> {};

// R110, R103: a rebalance made duplicates, and moved the group back.
TEST_P(RebalancedRecords, AreNotDoubledWhenMembersComeAndGo) {
  ForwardingFlow two_tasks = flow();
  two_tasks.tasks = 2;
  two_tasks.strategy = GetParam();
  two_tasks.session_timeout_ms = 30'000;  // however slow the machine is
  FlowEngine first(two_tasks.json());
  FlowEngine second(two_tasks.json());
  first.start();
  write_during(8s);
  std::vector<std::int64_t> highest(kPartitions, -1);
  const auto watch = [&] {
    const auto now = cluster_.committed(group_, from_);
    for (int i = 0; i < kPartitions; ++i) {
      const auto place = static_cast<std::size_t>(i);
      if (now[place] < 0) continue;
      EXPECT_GE(now[place], highest[place]) << "the group went back in partition " << i;
      highest[place] = now[place];
    }
  };
  for (int i = 0; i < loops(2); ++i) {
    second.start();
    EXPECT_TRUE(eventually([&] { return cluster_.members(group_) == 4; }));
    for (int look = 0; look < 4; ++look) watch();
    second.stop();
    watch();
  }
  const Arrival arrival = arrived();
  EXPECT_EQ(arrival.lost, 0u) << first.said();
  EXPECT_EQ(arrival.strangers, 0u);
  EXPECT_EQ(arrival.duplicates, 0u) << first.said();
  first.stop();
}

std::string protocol_of(const ::testing::TestParamInfo<const char*>& assignor) {
  return std::string_view(assignor.param) == "range" ? "Eager" : "Cooperative";
}
INSTANTIATE_TEST_SUITE_P(Assignors, RebalancedRecords,
                         ::testing::Values("range", "cooperative-sticky"), protocol_of);

// R119, R105: a client stuck after a long failure of its broker, or took records for written.
TEST_F(ForwardedRecords, GoOnWhenTheirBrokerDoes) {
  FlowEngine engine(flow().json());
  engine.start();
  write_during(1s);
  finish_writing();
  EXPECT_TRUE(eventually([&] { return cluster_.range(to_, 0).second > 100; }));
  broker_.kill();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  broker_.start();
  const Arrival arrival = arrived();
  EXPECT_EQ(arrival.lost, 0u) << engine.said();
  engine.stop();
}

TEST_F(ForwardedRecords, WaitForABrokerThatIsNotThereYet) {
  cluster_.produce(sent_.of_topic(from_));
  broker_.stop();
  FlowEngine engine(flow().json());
  engine.start();
  EXPECT_TRUE(eventually([&] {
    return engine.said().find("Connection refused") != std::string::npos;
  })) << engine.said();
  broker_.start();
  EXPECT_EQ(arrived().lost, 0u) << engine.said();
  engine.stop();
}

// A stop must not hang on a cluster that is gone.
TEST_F(ForwardedRecords, AStopEndsThoughNoBrokerAnswers) {
  FlowEngine engine(flow().json());
  engine.start();
  write_during(1s);
  EXPECT_TRUE(eventually([&] { return cluster_.range(to_, 0).second > 100; }));
  finish_writing();
  broker_.kill();
  engine.stop();
  broker_.start();
}

}  // namespace
}  // namespace weir::kafka_testing
