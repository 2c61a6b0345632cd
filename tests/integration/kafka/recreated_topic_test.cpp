#include <gmock/gmock.h>

#include "tests/crash/environment.h"
#include "tests/integration/kafka/mirror_fixture.h"

// Topics of the source that are deleted and made anew under their names: a position of the old one
// must never be taken for one of the new.
namespace weir::kafka_testing {
namespace {

using processors::kafka::Delivery;
using processors::kafka::InitialPosition;
using processors::kafka::LossRule;
using ::testing::ElementsAre;

class RecreatedTopic : public MirrorOnBrokers {
 protected:
  void write_first(int count, const std::string& topic) {
    source_.create_topic(topic, 1);
    const NumberedRecords first{.partitions = 1, .per_partition = count};
    source_.produce(first.of_topic(topic));
  }
  void recreate(const std::string& topic) {
    source_.delete_topic(topic);
    // The broker goes on deleting for a moment.
    EXPECT_TRUE(eventually([&] {
      try {
        source_.create_topic(topic, 1);
        return true;
      } catch (const processors::kafka::KafkaError&) {
        return false;
      }
    }));
  }
  // Mirrors 50 records, and has the topic made anew with 130 others.
  std::unique_ptr<Mirror> mirror_exactly_once(LossRule rule) {
    MirrorSettings wanted = settings({topic_});
    wanted.delivery = Delivery::exactly_once;
    wanted.on_recreated_topic = rule;
    write_first(50, topic_);
    auto mirror = start(wanted);
    EXPECT_TRUE(eventually([&] { return listener_.records() == 50; })) << listener_.all_notes();
    source_.delete_topic(topic_);
    EXPECT_TRUE(eventually([&] { return listener_.notes(MirrorNote::topic_vanished) == 1; }));
    source_.create_topic(topic_, 1);
    const NumberedRecords second{.partitions = 1, .per_partition = 130, .first = 50};
    source_.produce(second.of_topic(topic_));
    return mirror;
  }
};

TEST_F(RecreatedTopic, IsToldAfterNoMirrorRan) {
  source_.create_topic(topic_, 1);
  const NumberedRecords sent{.partitions = 1, .per_partition = 10};
  source_.produce(sent.of_topic(topic_));
  // As after the topic was deleted and created while no mirror ran.
  source_.commit(group_, topic_, 0, 5000);
  auto mirror = start();
  ASSERT_TRUE(eventually([&] { return !listener_.losses().empty(); })) << listener_.all_notes();
  EXPECT_TRUE(listener_.losses().front().recreated);
  EXPECT_TRUE(listener_.losses().front().stopped);
  mirror->stop();
  EXPECT_THAT(source_.committed(group_, topic_), ElementsAre(5000));

  MirrorSettings wanted = settings({topic_});
  wanted.on_recreated_topic = LossRule::go_on;
  mirror = start(wanted);
  EXPECT_EQ(arrival(sent), Arrival{}) << listener_.all_notes();
  EXPECT_TRUE(eventually(
      [&] { return source_.committed(group_, topic_) == std::vector<std::int64_t>{10}; }));
}

// The new topic is shorter than the old one's position, and longer.
TEST_F(RecreatedTopic, IsReadFromItsBeginningWhereItWasSeenToBeGone) {
  for (const int count : {30, 130}) {
    const std::string topic = topic_ + "-" + std::to_string(count);
    write_first(50, topic);
    RecordingListener told;
    MirrorSettings wanted = settings({topic});
    wanted.group_id += std::to_string(count);
    Mirror mirror(wanted, told, system_clock(), log_);
    EXPECT_TRUE(eventually([&] { return target_end(topic, 0) == 50; })) << told.all_notes();
    source_.delete_topic(topic);
    EXPECT_TRUE(eventually([&] { return told.notes(MirrorNote::topic_vanished) == 1; }))
        << told.all_notes();
    source_.create_topic(topic, 1);
    const NumberedRecords second{.partitions = 1, .per_partition = count, .first = 50};
    source_.produce(second.of_topic(topic));
    EXPECT_TRUE(eventually([&] { return target_end(topic, 0) >= 50 + count; })) << told.all_notes();
    const NumberedRecords both{.partitions = 1, .per_partition = 50 + count};
    EXPECT_EQ(arrival_of(both, target_.consume(topic)), Arrival{}) << told.all_notes();
    EXPECT_EQ(told.notes(MirrorNote::topic_recreated), 1u);
    EXPECT_TRUE(eventually([&] {
      return source_.committed(wanted.group_id, topic) == std::vector<std::int64_t>{count};
    })) << told.all_notes();
  }
}

// Too fast to be seen by a look at the topics, and shorter or longer than the old one's position:
// all of the new one comes, or its loss is told.
TEST_F(RecreatedTopic, IsNeverJumpedOverInSilence) {
  // Each rule, time and length twice; all eight where there is time for it.
  std::vector<int> rounds{1, 2, 4, 7};
  if (weir::testing::from_environment("WEIR_LOOPS", 1) > 1) rounds = {0, 1, 2, 3, 4, 5, 6, 7};
  for (const int round : rounds) {
    SCOPED_TRACE(round);
    const bool may_stop = (round & 1) == 0;
    const bool is_committed = (round & 2) == 0;
    const int count = (round & 4) == 0 ? 30 : 130;
    const std::string topic = topic_ + "-" + std::to_string(round);
    write_first(50, topic);
    RecordingListener told;
    MirrorSettings wanted = settings({topic});
    wanted.group_id += std::to_string(round);
    if (!may_stop) wanted.on_recreated_topic = LossRule::go_on;
    Mirror mirror(wanted, told, system_clock(), log_);
    EXPECT_TRUE(eventually([&] {
      return is_committed ? told.records() == 50 : target_end(topic, 0) == 50;
    })) << told.all_notes();
    recreate(topic);
    const NumberedRecords second{.partitions = 1, .per_partition = count, .first = 50};
    source_.produce(second.of_topic(topic));
    const NumberedRecords both{.partitions = 1, .per_partition = 50 + count};
    EXPECT_TRUE(eventually([&] {
      if (may_stop && !told.losses().empty()) return true;
      return arrival_of(both, target_.consume(topic)).lost == 0;
    })) << told.all_notes();
    for (const auto& loss : told.losses()) EXPECT_TRUE(loss.recreated);
  }
}

// What the mirror's trust in a group's position stands on.
TEST_F(RecreatedTopic, TakesTheGroupsPositionsWithIt) {
  source_.create_topic(topic_, 1);
  source_.commit(group_, topic_, 0, 70);
  EXPECT_THAT(source_.committed(group_, topic_), ElementsAre(70));
  recreate(topic_);
  EXPECT_THAT(source_.committed(group_, topic_), ElementsAre(RD_KAFKA_OFFSET_INVALID));
}

// There the positions are the target's, which does not know of the source's topics.
TEST_F(RecreatedTopic, FollowsItsRuleWhereRecordsAreMirroredExactlyOnce) {
  const auto mirror = mirror_exactly_once(LossRule::stop);
  ASSERT_TRUE(eventually([&] { return !listener_.losses().empty(); })) << listener_.all_notes();
  EXPECT_TRUE(listener_.losses().front().recreated);
  EXPECT_TRUE(listener_.losses().front().stopped);
  EXPECT_EQ(listener_.records(), 50u);
}

TEST_F(RecreatedTopic, IsMirroredExactlyOnceFromItsBeginningWhereAsked) {
  const auto mirror = mirror_exactly_once(LossRule::go_on);
  const NumberedRecords both{.partitions = 1, .per_partition = 180};
  EXPECT_EQ(arrival(both), Arrival{}) << listener_.all_notes();
  EXPECT_FALSE(listener_.losses().empty());
}

// "latest" would jump over what is written before the mirror sees that a topic or partition is new.
TEST_F(RecreatedTopic, AsAllThatComesLaterIsReadFromItsBeginning) {
  source_.create_topic(topic_ + "-a", 1);
  const NumberedRecords early{.partitions = 1, .per_partition = 40};
  source_.produce(early.of_topic(topic_ + "-a"));
  MirrorSettings wanted = settings({});
  wanted.topics.pattern = Pattern::compile(topic_ + "-.").value();
  wanted.initial_position = InitialPosition::latest;
  const auto mirror = start(wanted);
  EXPECT_TRUE(eventually([&] {
    return source_.committed(group_, topic_ + "-a") == std::vector<std::int64_t>{40};
  })) << listener_.all_notes();
  source_.create_topic(topic_ + "-b", 1);
  source_.grow_topic(topic_ + "-a", 2);
  const NumberedRecords grown{.partitions = 2, .per_partition = 50, .first = 40};
  source_.produce(grown.of_topic(topic_ + "-a"));
  const NumberedRecords other{.partitions = 1, .per_partition = 70};
  source_.produce(other.of_topic(topic_ + "-b"));
  EXPECT_TRUE(eventually([&] { return listener_.records() == 100 + 70; }))
      << listener_.records() << listener_.all_notes();
  EXPECT_EQ(target_end(topic_ + "-a", 0), 50);
  EXPECT_EQ(target_end(topic_ + "-a", 1), 50);
  EXPECT_EQ(arrival_of(other, target_.consume(topic_ + "-b")), Arrival{});
}

}  // namespace
}  // namespace weir::kafka_testing
