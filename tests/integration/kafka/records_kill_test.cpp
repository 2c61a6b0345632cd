#include <gtest/gtest.h>

#include <iostream>

#include "tests/integration/kafka/records_fixture.h"

// ConsumeKafka -> PublishKafka, killed at random instants while records come without end.
namespace weir::kafka_testing {
namespace {

using tools::testing::eventually;
using namespace std::chrono_literals;

struct Plan {
  bool exactly_once = false;
  bool kills_broker = false;  // now and then, too
  int tasks = 1;
};

class KilledForwarding : public ForwardingTest, public ::testing::WithParamInterface<Plan> {
 protected:
  // Writes until it is told to end, however often the broker dies.
  void write() {
    writer_ = std::jthread([this](const std::stop_token& stop) {
      ClusterClient cluster(broker_.address());
      NumberedRecords slice{.partitions = kPartitions, .per_partition = 50};
      while (!stop.stop_requested()) {
        cluster.produce(slice.of_topic(from_));
        slice.first += slice.per_partition;
        std::this_thread::sleep_for(50ms);
      }
      sent_.per_partition = slice.first;
    });
  }
  void finish_writing() {
    writer_.request_stop();
    writer_.join();
  }
  std::int64_t arrived_until_now() { return cluster_.range(to_, 0).second; }
  void kill_engine(FlowEngine& engine) {
    const std::int64_t before = arrived_until_now();
    ASSERT_TRUE(eventually([&] { return arrived_until_now() > before; }, 60s)) << engine.said();
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 2000));
    engine.kill();
  }

 private:
  std::jthread writer_;
};

TEST_P(KilledForwarding, LosesNothing) {
  const Plan plan = GetParam();
  if (plan.kills_broker && loops(1) == 1) GTEST_SKIP() << "takes minutes: run with --long";
  ForwardingFlow wanted = flow();
  wanted.exactly_once = plan.exactly_once;
  wanted.tasks = plan.tasks;
  FlowEngine engine(wanted.json());
  write();
  const int kills = loops(2);
  for (int i = 0; i < kills; ++i) {
    engine.start();
    ASSERT_NO_FATAL_FAILURE(kill_engine(engine));
    if (plan.kills_broker && i % 3 == 1) {
      engine.start();
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 2000));
      broker_.kill();
      broker_.start();
      engine.kill();
    }
  }
  engine.start();
  finish_writing();
  const Arrival arrival = arrived();
  std::cout << sent_.per_partition * kPartitions << " records, " << kills << " kills: " << arrival
            << '\n';
  EXPECT_EQ(arrival.lost, 0u) << engine.said();
  EXPECT_EQ(arrival.out_of_order, 0u);
  EXPECT_EQ(arrival.strangers, 0u);
  if (plan.exactly_once) {
    EXPECT_EQ(arrival.duplicates, 0u) << engine.said();
  }
  engine.stop();
}

std::string name_of(const ::testing::TestParamInfo<Plan>& plan) {
  return std::string(plan.param.exactly_once ? "ExactlyOnce" : "AtLeastOnce") +
         (plan.param.kills_broker ? "WithBroker" : "") + (plan.param.tasks > 1 ? "TwoTasks" : "");
}
INSTANTIATE_TEST_SUITE_P(Plans, KilledForwarding,
                         ::testing::Values(Plan{}, Plan{.tasks = 2}, Plan{.exactly_once = true},
                                           Plan{.kills_broker = true},
                                           Plan{.exactly_once = true, .kills_broker = true}),
                         name_of);

}  // namespace
}  // namespace weir::kafka_testing
