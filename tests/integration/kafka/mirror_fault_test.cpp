#include <gmock/gmock.h>

#include <fstream>

#include "tests/integration/kafka/mirror_fixture.h"

namespace weir::kafka_testing {
namespace {

using namespace std::chrono_literals;
using processors::kafka::Delivery;
using ::testing::Each;
using ::testing::ElementsAre;

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

class MirrorRebalances : public MirrorOnBrokers,
                         public ::testing::WithParamInterface<const char*> {};

// R110: on a rebalance what was under way of the partitions that stayed was thrown away as well.
// librdkafka 2.0.2 joins a cooperative group without telling before, and a commit that meets that
// costs the whole assignment.
TEST_P(MirrorRebalances, MakeNoDuplicatesUnderLoadInOrder) {
  source_.create_topic(topic_, 6);
  MirrorSettings wanted = settings({topic_});
  wanted.source["partition.assignment.strategy"] = GetParam();
  Load load(source_broker_.address(), topic_, 6);
  const auto first = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() > 0; }));
  for (int round = 0; round < 2; ++round) {
    RecordingListener of_second;
    Mirror second(wanted, of_second, system_clock(), log_);
    EXPECT_TRUE(eventually([&] { return of_second.records() > 0; })) << of_second.all_notes();
    second.stop();
  }
  const NumberedRecords sent = load.finish();
  EXPECT_TRUE(arrives(sent, topic_)) << listener_.all_notes();
  EXPECT_EQ(listener_.all_notes().find("partitions lost"), std::string::npos);
  EXPECT_EQ(arrival_of(sent, target_.consume(topic_)), Arrival{}) << listener_.all_notes();
}

// A group is joined again also where nobody comes or goes: more partitions, other topics.
TEST_P(MirrorRebalances, MakeNoDuplicatesWhereTopicsComeAndGrow) {
  source_.create_topic(topic_ + "-a", 4);
  MirrorSettings wanted = settings({});
  wanted.topics.pattern = Pattern::compile(topic_ + "-.").value();
  wanted.source["partition.assignment.strategy"] = GetParam();
  Load load(source_broker_.address(), topic_ + "-a", 4);
  const auto first = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() > 0; }));
  RecordingListener of_second;
  Mirror second(wanted, of_second, system_clock(), log_);
  EXPECT_TRUE(eventually([&] { return of_second.records() > 0; })) << of_second.all_notes();
  const auto ends_up_with = [&](const std::string& topic, int partitions) {
    const NumberedRecords more{.partitions = partitions, .per_partition = 10, .first = 1'000'000};
    source_.produce(more.of_topic(topic));
    EXPECT_TRUE(eventually([&] {
      return target_.partitions(topic) == partitions && target_end(topic, partitions - 1) == 10;
    })) << listener_.all_notes()
        << of_second.all_notes();
  };
  source_.create_topic(topic_ + "-b", 2);
  ends_up_with(topic_ + "-b", 2);
  source_.grow_topic(topic_ + "-b", 4);
  ends_up_with(topic_ + "-b", 4);
  const NumberedRecords sent = load.finish();
  EXPECT_TRUE(arrives(sent, topic_ + "-a")) << listener_.all_notes();
  const Arrival arrived = arrival_of(sent, target_.consume(topic_ + "-a"));
  EXPECT_EQ(arrived, Arrival{}) << listener_.all_notes() << of_second.all_notes();
  for (const std::string& notes : {listener_.all_notes(), of_second.all_notes()}) {
    EXPECT_EQ(notes.find("partitions lost"), std::string::npos) << notes;
  }
}

std::string protocol_of(const ::testing::TestParamInfo<const char*>& assignor) {
  return std::string_view(assignor.param) == "range" ? "Eager" : "Cooperative";
}
INSTANTIATE_TEST_SUITE_P(Assignors, MirrorRebalances,
                         ::testing::Values("range", "cooperative-sticky"), protocol_of);

TEST_F(MirrorOnBrokers, OrderlyStopsUnderLoadMakeNoDuplicates) {
  for (const Delivery delivery : {Delivery::at_least_once, Delivery::exactly_once}) {
    const std::string topic = topic_ + (delivery == Delivery::exactly_once ? "-exactly" : "-least");
    source_.create_topic(topic, 2);
    MirrorSettings wanted = settings({topic});
    wanted.group_id += topic;
    wanted.delivery = delivery;
    Load load(source_broker_.address(), topic, 2);
    for (int round = 0; round < 3; ++round) {
      const std::uint64_t before = listener_.records();
      const auto mirror = start(wanted);
      EXPECT_TRUE(eventually([&] { return listener_.records() > before; }))
          << listener_.all_notes();
    }
    const NumberedRecords sent = load.finish();
    const auto mirror = start(wanted);
    EXPECT_TRUE(arrives(sent, topic)) << listener_.all_notes();
    EXPECT_TRUE(
        eventually([&] { return arrival_of(sent, target_.consume(topic)) == Arrival{}; }, 10s))
        << arrival_of(sent, target_.consume(topic));
  }
}

// R119: after a long failure of the broker the consumer did not go on until it was restarted.
TEST_F(MirrorOnBrokers, OutlivesTheDeathOfEitherBroker) {
  source_.create_topic(topic_, 2);
  const auto mirror = start();
  Load load(source_broker_.address(), topic_, 2);
  EXPECT_TRUE(eventually([&] { return listener_.records() > 0; }));
  target_broker_.kill();
  target_broker_.start();
  const std::uint64_t before = listener_.records();
  EXPECT_TRUE(eventually([&] { return listener_.records() > before; })) << listener_.all_notes();
  const NumberedRecords sent = load.finish();
  source_broker_.kill();
  source_broker_.start();
  // The producer keeps its place in the target's log, so nothing is written twice there. The group
  // is another matter: it may hold an older position.
  const Arrival arrived = arrival(sent);
  EXPECT_EQ(arrived.lost, 0u) << listener_.all_notes();
  EXPECT_EQ(arrived.out_of_order, 0u);
  EXPECT_LE(arrived.duplicates, static_cast<std::uint64_t>(2 * sent.per_partition));
}

TEST_F(MirrorOnBrokers, SaysThatBrokersAreAwayAtTheStartAndGoesOnWhenTheyCome) {
  source_.create_topic(topic_, 1);
  const NumberedRecords sent{.partitions = 1, .per_partition = 100};
  source_.produce(sent.of_topic(topic_));
  target_broker_.stop();
  MirrorSettings wanted = settings({topic_});
  wanted.api_timeout = 2s;
  const auto mirror = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.notes(MirrorNote::unavailable) > 0; }));
  EXPECT_NE(listener_.all_notes().find(target_broker_.address()), std::string::npos)
      << listener_.all_notes();
  target_broker_.start();
  EXPECT_EQ(arrival(sent), Arrival{}) << listener_.all_notes();
}

TEST_F(MirrorOnBrokers, ATargetThatDoesNotAnswerCostsNoMemoryWithoutBound) {
  source_.create_topic(topic_, 4);
  const NumberedRecords sent{.partitions = 4, .per_partition = 15'000, .size_bytes = 2'000};
  source_.produce(sent.of_topic(topic_));
  target_.create_topic(topic_, 4);
  MirrorSettings wanted = settings({topic_});
  wanted.max_bytes = 8 << 20;
  // Not away from the group meanwhile.
  wanted.source["max.poll.interval.ms"] = "7000";
  const auto mirror = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() > 0; })) << listener_.all_notes();
  target_broker_.pause(true);
  const std::size_t before = resident_bytes();
  const auto until = std::chrono::steady_clock::now() + 9s;
  EXPECT_FALSE(eventually(
      [&] {
        return std::chrono::steady_clock::now() > until ? false
                                                        : resident_bytes() > before + (40 << 20);
      },
      9s));
  target_broker_.pause(false);
  EXPECT_EQ(arrival(sent), Arrival{}) << listener_.all_notes();
}

TEST_F(MirrorOnBrokers, ALaterExactlyOnceMirrorTakesTheEarlierOnesPlace) {
  source_.create_topic(topic_, 2);
  MirrorSettings wanted = settings({topic_});
  wanted.delivery = Delivery::exactly_once;
  Load load(source_broker_.address(), topic_, 2);
  const auto first = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() > 0; })) << listener_.all_notes();
  RecordingListener of_second;
  Mirror second(wanted, of_second, system_clock(), log_);
  EXPECT_TRUE(eventually([&] { return listener_.notes(MirrorNote::fenced) == 1; }))
      << listener_.all_notes();
  EXPECT_TRUE(eventually([&] { return of_second.records() > 0; })) << of_second.all_notes();
  const NumberedRecords sent = load.finish();
  EXPECT_TRUE(arrives(sent, topic_));
  EXPECT_TRUE(
      eventually([&] { return arrival_of(sent, target_.consume(topic_)) == Arrival{}; }, 20s))
      << arrival_of(sent, target_.consume(topic_)) << of_second.all_notes();
}

}  // namespace
}  // namespace weir::kafka_testing
