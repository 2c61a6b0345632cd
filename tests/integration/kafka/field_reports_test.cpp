#include <gmock/gmock.h>

#include <atomic>
#include <set>

#include "tests/crash/environment.h"
#include "tests/integration/kafka/mirror_fixture.h"

// What others met in the field, on real brokers.
namespace weir::kafka_testing {
namespace {

using namespace std::chrono_literals;
using processors::kafka::Delivery;
using processors::kafka::MirrorLoss;
using processors::kafka::MirrorMessageHandler;
using processors::kafka::MirrorRecord;
using ::testing::Each;

// Looks at a group's positions again and again, and counts where one went back.
class PositionWatch {
 public:
  PositionWatch(std::string brokers, std::string group, std::string topic)
      : thread_([this, brokers, group, topic](const std::stop_token& stop) {
          ClusterClient cluster(brokers);
          std::vector<std::int64_t> highest;
          while (!stop.stop_requested()) {
            const std::vector<std::int64_t> now = cluster.committed(group, topic);
            highest.resize(now.size(), -1);
            for (std::size_t i = 0; i < now.size(); ++i) {
              if (now[i] < highest[i] && highest[i] > 0) ++steps_back_;
              highest[i] = std::max(highest[i], now[i]);
            }
            ++looks_;
            std::this_thread::sleep_for(20ms);
          }
        }) {}

  int looks() const { return looks_; }
  int steps_back() const { return steps_back_; }

 private:
  std::atomic<int> looks_{0};
  std::atomic<int> steps_back_{0};
  std::jthread thread_;
};

// R103: a commit soon after an assignment wrote an old position, moving the group back.
TEST_F(MirrorOnBrokers, PositionsNeverGoBackWhileOthersComeAndGo) {
  source_.create_topic(topic_, 4);
  MirrorSettings wanted = settings({topic_});
  wanted.commit_interval = 50ms;
  Load load(source_broker_.address(), topic_, 4);
  const auto first = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() > 0; })) << listener_.all_notes();
  const PositionWatch watch(source_broker_.address(), group_, topic_);
  const std::uint64_t rounds = 2 * weir::testing::from_environment("WEIR_LOOPS", 1);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    RecordingListener of_second;
    Mirror second(wanted, of_second, system_clock(), log_);
    EXPECT_TRUE(eventually([&] { return of_second.records() > 0; })) << of_second.all_notes();
    second.stop();
  }
  const NumberedRecords sent = load.finish();
  EXPECT_EQ(arrival(sent).lost, 0u) << listener_.all_notes();
  EXPECT_GT(watch.looks(), 5);
  EXPECT_EQ(watch.steps_back(), 0);
}

// R172: after restarts positions of a group that lagged stopped to move, or stepped back.
TEST_F(MirrorOnBrokers, PositionsGoOnOverRestartsUnderLag) {
  source_.create_topic(topic_, 2);
  const NumberedRecords sent{.partitions = 2, .per_partition = 10'000};
  source_.produce(sent.of_topic(topic_));
  const PositionWatch watch(source_broker_.address(), group_, topic_);
  MirrorSettings wanted = settings({topic_});
  wanted.max_bytes = 1 << 20;
  for (int restart = 0; restart < 3; ++restart) {
    const std::uint64_t before = listener_.records();
    const auto mirror = start(wanted);
    EXPECT_TRUE(eventually([&] {
      return listener_.records() > before || listener_.records() == 20'000;
    })) << listener_.all_notes();
  }
  const auto mirror = start(wanted);
  EXPECT_EQ(arrival(sent), Arrival{}) << listener_.all_notes();
  EXPECT_TRUE(eventually([&] {
    return source_.committed(group_, topic_) == std::vector<std::int64_t>{10'000, 10'000};
  })) << listener_.all_notes();
  EXPECT_EQ(watch.steps_back(), 0);
}

// R114, with positions in the target: records that retention removed were jumped over.
TEST_F(MirrorOnBrokers, ExactlyOnceTellsOfRecordsLostToRetention) {
  source_.create_topic(topic_, 1);
  const NumberedRecords first{.partitions = 1, .per_partition = 100};
  source_.produce(first.of_topic(topic_));
  MirrorSettings wanted = settings({topic_});
  wanted.delivery = Delivery::exactly_once;
  auto mirror = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() == 100; })) << listener_.all_notes();
  mirror->stop();
  const NumberedRecords second{.partitions = 1, .per_partition = 500, .first = 100};
  source_.produce(second.of_topic(topic_));
  source_.delete_records(topic_, 0, 500);
  mirror = start(wanted);
  ASSERT_TRUE(eventually([&] { return !listener_.losses().empty(); })) << listener_.all_notes();
  const MirrorLoss loss = listener_.losses().front();
  EXPECT_EQ(loss.first_offset, 100);
  EXPECT_EQ(loss.last_offset, 499);
  EXPECT_TRUE(loss.stopped);
  mirror->stop();
  EXPECT_EQ(target_.committed(group_, topic_), std::vector<std::int64_t>{100});
  EXPECT_EQ(arrival_of(first, target_.consume(topic_)), Arrival{});
}

class Slow : public MirrorMessageHandler {
 public:
  void handle(MirrorRecord record, std::vector<MirrorRecord>& out) override {
    std::this_thread::sleep_for(2ms);
    out.push_back(std::move(record));
  }
};

// R120: after another one came and went, the older member stopped to read what it still owned.
TEST_F(MirrorOnBrokers, ASlowMirrorGoesOnWithAllItsPartitionsAfterAnotherCameAndWent) {
  source_.create_topic(topic_, 4);
  const NumberedRecords sent{.partitions = 4, .per_partition = 1'000};
  source_.produce(sent.of_topic(topic_));
  MirrorSettings wanted = settings({topic_});
  wanted.handler = std::make_shared<Slow>();
  wanted.max_bytes = 1 << 20;
  const auto first = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() > 0; })) << listener_.all_notes();
  std::uint64_t before = 0;
  {
    RecordingListener of_second;
    Mirror second(wanted, of_second, system_clock(), log_);
    EXPECT_TRUE(eventually([&] { return of_second.records() > 0; })) << of_second.all_notes();
    before = of_second.records();
  }
  EXPECT_LT(before, 4'000u);
  EXPECT_EQ(arrival(sent), Arrival{}) << listener_.all_notes();
  std::set<std::int32_t> with_lag;
  for (const auto& range : listener_.ranges()) {
    if (range.lag >= 0) with_lag.insert(range.partition);
  }
  EXPECT_EQ(with_lag.size(), 4u) << "the lag of each partition is told";
}

// R104: positions of idle topics were not written again, and the broker forgot them.
TEST_F(MirrorOnBrokers, PositionsOfIdleTopicsOutliveTheBrokersRetention) {
  if (weir::testing::from_environment("WEIR_LOOPS", 1) == 1) {
    GTEST_SKIP() << "takes minutes: run with --long";
  }
  const tools::testing::Folder folder;
  Broker forgetful(folder / "forgetful", {{"offsets.retention.minutes", "1"},
                                          {"offsets.retention.check.interval.ms", "5000"}});
  forgetful.begin_format();
  forgetful.finish_format();
  forgetful.start();
  ClusterClient cluster(forgetful.address());
  // The group of one mirror is there, and the positions of the other one.
  MirrorSettings from = settings({topic_ + "-from"});
  from.source["bootstrap.servers"] = forgetful.address();
  MirrorSettings to = settings({topic_ + "-to"});
  to.target["bootstrap.servers"] = to.target_reader["bootstrap.servers"] = forgetful.address();
  to.delivery = Delivery::exactly_once;
  cluster.create_topic(topic_ + "-from", 1);
  source_.create_topic(topic_ + "-to", 1);
  const NumberedRecords before{.partitions = 1, .per_partition = 100};
  const NumberedRecords after{.partitions = 1, .per_partition = 100, .first = 100};
  const NumberedRecords both{.partitions = 1, .per_partition = 200};
  cluster.produce(before.of_topic(topic_ + "-from"));
  source_.produce(before.of_topic(topic_ + "-to"));
  {
    const auto mirror_from = start(from);
    const auto mirror_to = start(to);
    EXPECT_TRUE(eventually([&] { return listener_.records() == 200; })) << listener_.all_notes();
    std::this_thread::sleep_for(180s);
  }
  cluster.produce(after.of_topic(topic_ + "-from"));
  source_.produce(after.of_topic(topic_ + "-to"));
  const auto mirror_from = start(from);
  const auto mirror_to = start(to);
  EXPECT_TRUE(eventually([&] { return listener_.records() == 400; })) << listener_.all_notes();
  EXPECT_EQ(arrival_of(both, target_.consume(topic_ + "-from")), Arrival{});
  EXPECT_EQ(arrival_of(both, cluster.consume(topic_ + "-to")), Arrival{});
}

}  // namespace
}  // namespace weir::kafka_testing
