#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <tuple>

#include "tests/crash/environment.h"
#include "tests/integration/kafka/mirror_fixture.h"

// Brokers that are away for long, that are slow, and topics that go from the target.
namespace weir::kafka_testing {
namespace {

using namespace std::chrono_literals;
using processors::kafka::Delivery;
using ::testing::Each;

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

class Outage : public MirrorOnBrokers {
 protected:
  // Longer than a session here; long runs take the ten minutes of the report.
  static std::chrono::seconds length() {
    const std::uint64_t otherwise = weir::testing::from_environment("WEIR_LOOPS", 1) == 1 ? 8 : 600;
    return std::chrono::seconds(weir::testing::from_environment("WEIR_OUTAGE_S", otherwise));
  }

  // Records before and after it arrive, each once: nothing was under way when it began.
  void outlives(const std::function<void()>& begin, const std::function<void()>& end) {
    source_.create_topic(topic_, 2);
    const NumberedRecords before{.partitions = 2, .per_partition = 500};
    source_.produce(before.of_topic(topic_));
    const auto mirror = start();
    ASSERT_TRUE(eventually([&] {
      return source_.committed(group_, topic_) == std::vector<std::int64_t>{500, 500};
    })) << listener_.all_notes();
    begin();
    std::this_thread::sleep_for(length());
    end();
    const NumberedRecords after{.partitions = 2, .per_partition = 500, .first = 500};
    source_.produce(after.of_topic(topic_));
    EXPECT_EQ(arrival({.partitions = 2, .per_partition = 1000}), Arrival{})
        << listener_.all_notes();
    EXPECT_TRUE(eventually([&] {
      return source_.committed(group_, topic_) == std::vector<std::int64_t>{1000, 1000};
    })) << listener_.all_notes();
  }
};

// R119: after a long failure of the broker the consumer did not go on until it was restarted.
TEST_F(Outage, OfASourceThatAnswersNothing) {
  outlives([&] { source_broker_.pause(true); }, [&] { source_broker_.pause(false); });
}

TEST_F(Outage, OfATargetThatAnswersNothing) {
  outlives([&] { target_broker_.pause(true); }, [&] { target_broker_.pause(false); });
}

TEST_F(Outage, OfBothBrokersThatAreNotThere) {
  outlives(
      [&] {
        source_broker_.kill();
        target_broker_.kill();
      },
      [&] {
        source_broker_.begin_start();
        target_broker_.begin_start();
        source_broker_.finish_start();
        target_broker_.finish_start();
      });
}

TEST_F(MirrorOnBrokers, SaysThatTheSourceIsAwayAtTheStartAndGoesOnWhenItComes) {
  source_.create_topic(topic_, 1);
  const NumberedRecords sent{.partitions = 1, .per_partition = 100};
  source_.produce(sent.of_topic(topic_));
  source_broker_.stop();
  MirrorSettings wanted = settings({topic_});
  wanted.api_timeout = 2s;
  const auto at_least_once = start(wanted);
  RecordingListener of_other;
  wanted.delivery = Delivery::exactly_once;
  const Mirror exactly_once(wanted, of_other, system_clock(), log_);
  for (const RecordingListener* listener : {&listener_, &of_other}) {
    EXPECT_TRUE(eventually([&] { return listener->notes(MirrorNote::unavailable) > 0; }));
    EXPECT_NE(listener->all_notes().find(source_broker_.address()), std::string::npos)
        << listener->all_notes();
  }
  source_broker_.start();
  for (const RecordingListener* listener : {&listener_, &of_other}) {
    EXPECT_TRUE(eventually([&] { return listener->records() == 100; }, 60s))
        << listener->all_notes();
  }
}

// Which broker is away, and how positions are kept.
class StopInOutage : public MirrorOnBrokers,
                     public ::testing::WithParamInterface<std::tuple<bool, Delivery>> {
 protected:
  Broker& away() { return std::get<0>(GetParam()) ? source_broker_ : target_broker_; }
  // As by default, whereas what waits for acknowledgements need not wait long here.
  MirrorSettings patient_settings(std::vector<std::string> topics) const {
    MirrorSettings wanted = settings(std::move(topics));
    wanted.delivery = std::get<1>(GetParam());
    wanted.api_timeout = 60s;
    wanted.drain_timeout = 2s;
    wanted.topic_refresh_interval = 500ms;
    return wanted;
  }
  static std::chrono::steady_clock::duration length_of_stop(Mirror& mirror) {
    const auto began = std::chrono::steady_clock::now();
    mirror.stop();
    return std::chrono::steady_clock::now() - began;
  }
};

TEST_P(StopInOutage, EndsWithRecordsOnTheirWay) {
  source_.create_topic(topic_, 2);
  Load load(source_broker_.address(), topic_, 2);
  const auto mirror = start(patient_settings({topic_}));
  ASSERT_TRUE(eventually([&] { return listener_.records() > 0; })) << listener_.all_notes();
  away().pause(true);
  std::this_thread::sleep_for(2s);
  EXPECT_LT(length_of_stop(*mirror), 20s) << listener_.all_notes();
  away().pause(false);
  load.finish();
}

TEST_P(StopInOutage, EndsWhereTheBrokerWasNeverThere) {
  std::vector<std::string> topics;
  for (int i = 0; i < 3; ++i) {
    topics.push_back(fmt::format("{}-{}", topic_, i));
    source_.create_topic(topics.back(), 1);
  }
  away().stop();
  const auto mirror = start(patient_settings(topics));
  std::this_thread::sleep_for(2s);
  EXPECT_LT(length_of_stop(*mirror), 20s) << listener_.all_notes();
  away().start();
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<bool, Delivery>>& info) {
  const auto& [source, delivery] = info.param;
  return fmt::format("{}{}", source ? "Source" : "Target",
                     delivery == Delivery::exactly_once ? "ExactlyOnce" : "AtLeastOnce");
}

INSTANTIATE_TEST_SUITE_P(Mirror, StopInOutage,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Delivery::at_least_once,
                                                              Delivery::exactly_once)),
                         name_of);

// Each time it answers it takes something, and then nothing for a while.
TEST_F(MirrorOnBrokers, ASlowTargetGetsEachRecordOnceAndCostsNoMemoryWithoutBound) {
  source_.create_topic(topic_, 4);
  const NumberedRecords sent{.partitions = 4, .per_partition = 8'000, .size_bytes = 2'000};
  source_.produce(sent.of_topic(topic_));
  target_.create_topic(topic_, 4);
  MirrorSettings wanted = settings({topic_});
  wanted.max_bytes = 4 << 20;
  const auto mirror = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() > 0; })) << listener_.all_notes();
  const std::size_t before = resident_bytes();
  std::size_t most = before;
  int pauses = 0;
  while (listener_.records() < 32'000 && pauses < 60) {
    ++pauses;
    target_broker_.pause(true);
    std::this_thread::sleep_for(150ms);
    target_broker_.pause(false);
    std::this_thread::sleep_for(50ms);
    most = std::max(most, resident_bytes());
  }
  EXPECT_GT(pauses, 2);
  EXPECT_LT(most, before + (40 << 20));
  EXPECT_EQ(arrival(sent), Arrival{}) << listener_.all_notes();
}

// Somebody deletes it: what comes from then on is not lost.
TEST_F(MirrorOnBrokers, ATargetTopicThatIsDeletedWhileItRunsIsMadeAgain) {
  source_.create_topic(topic_, 2);
  const NumberedRecords before{.partitions = 2, .per_partition = 100};
  source_.produce(before.of_topic(topic_));
  MirrorSettings wanted = settings({topic_});
  wanted.target["topic.metadata.refresh.interval.ms"] = "500";
  const auto mirror = start(wanted);
  ASSERT_TRUE(eventually([&] {
    return source_.committed(group_, topic_) == std::vector<std::int64_t>{100, 100};
  })) << listener_.all_notes();
  target_.delete_topic(topic_);
  const NumberedRecords after{.partitions = 2, .per_partition = 100, .first = 100};
  source_.produce(after.of_topic(topic_));
  EXPECT_TRUE(eventually([&] { return target_.partitions(topic_) == 2; }, 90s))
      << listener_.all_notes();
  EXPECT_TRUE(
      eventually([&] { return arrival_of(after, target_.consume(topic_)) == Arrival{}; }, 90s))
      << arrival_of(after, target_.consume(topic_)) << listener_.all_notes();
}

}  // namespace
}  // namespace weir::kafka_testing
