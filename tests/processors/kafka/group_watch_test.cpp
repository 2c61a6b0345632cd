#include "processors/kafka/group_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/processors/bench/manual_clock.h"
#include "tests/processors/kafka/mock_cluster.h"

namespace weir::processors::kafka {
namespace {

using namespace std::chrono_literals;
using bench::ManualClock;
using testing::MockCluster;
using testing::NoLog;

constexpr std::int16_t kMetadata = 3;
constexpr std::int16_t kJoinGroup = 11;
constexpr std::int16_t kHeartbeat = 12;
constexpr std::int16_t kLeaveGroup = 13;
constexpr std::int16_t kSyncGroup = 14;

constexpr auto kAssign = RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
constexpr auto kRevoke = RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS;

class WatchedGroup : public ::testing::Test {
 protected:
  void ask(std::int16_t api_key) {
    watch_.sent(api_key);
    watch_.answered(api_key, false);
  }
  // A whole join and the callbacks that it brings; a member long in its group when it is over.
  void join() {
    ask(kJoinGroup);
    ask(kSyncGroup);
    { const GroupWatch::Callback callback(&watch_, kAssign); }
    clock_.advance(2'000ms);
    ask(kHeartbeat);
    clock_.advance(1'000ms);
  }
  bool commits() {
    bool called = false;
    const bool told = watch_.commit([&] { called = true; });
    EXPECT_EQ(told, called);
    return called;
  }

  ManualClock clock_;
  GroupWatch watch_{{.heartbeat_ns = 3'000'000'000, .rebalance_ns = 60'000'000'000}, clock_};
};

TEST_F(WatchedGroup, IsQuietBetweenHeartbeats) {
  join();
  EXPECT_TRUE(watch_.is_quiet());
  EXPECT_TRUE(commits());
}

// The answer may tell of a rebalance, and the join follows a moment later.
TEST_F(WatchedGroup, IsNotQuietWhileAHeartbeatIsOnItsWayNorRightBehindIt) {
  join();
  for (const std::int16_t request : {kHeartbeat, kMetadata}) {
    watch_.sent(request);
    EXPECT_FALSE(watch_.is_quiet());
    EXPECT_FALSE(commits());
    clock_.advance(100ms);
    EXPECT_FALSE(commits());
    watch_.answered(request, false);
    EXPECT_FALSE(commits());
    clock_.advance(249ms);
    EXPECT_FALSE(commits());
    clock_.advance(1ms);
    EXPECT_TRUE(watch_.is_quiet());
    EXPECT_TRUE(commits());
    EXPECT_FALSE(watch_.is_joining());
  }
}

TEST_F(WatchedGroup, WaitsForEveryAnswerAlsoOnesThatDoNotCome) {
  join();
  watch_.sent(kMetadata);
  watch_.sent(kMetadata);
  watch_.answered(kMetadata, true);  // its connection broke
  clock_.advance(300ms);
  EXPECT_FALSE(commits());
  watch_.answered(kMetadata, true);
  clock_.advance(300ms);
  EXPECT_TRUE(commits());
  watch_.answered(kMetadata, true);  // failed before it was sent
  clock_.advance(300ms);
  watch_.sent(kHeartbeat);
  EXPECT_FALSE(commits());
}

// What the watch is for: such a commit costs the whole assignment.
TEST_F(WatchedGroup, TakesNoCommitBetweenTheJoinAndItsEnd) {
  join();
  ask(kHeartbeat);
  watch_.sent(kJoinGroup);
  EXPECT_TRUE(watch_.is_joining());
  clock_.advance(30'000ms);  // others take their time
  EXPECT_FALSE(commits());
  watch_.answered(kJoinGroup, false);
  watch_.sent(kSyncGroup);
  EXPECT_FALSE(commits());
  watch_.answered(kSyncGroup, false);
  EXPECT_FALSE(watch_.is_joining());
  EXPECT_FALSE(commits());
  clock_.advance(250ms);
  EXPECT_TRUE(commits());
}

// A refused SyncGroup, and a heartbeat that tells of the next rebalance, are followed by a join
// that librdkafka holds back for a second.
TEST_F(WatchedGroup, WaitsForAJoinThatLibrdkafkaHoldsBack) {
  join();
  ask(kJoinGroup);
  clock_.advance(100ms);
  ask(kSyncGroup);
  clock_.advance(2'100ms);
  EXPECT_FALSE(commits());
  clock_.advance(100ms);
  EXPECT_TRUE(commits());
}

TEST_F(WatchedGroup, AHeartbeatThatIsSentProvesThatNoJoinIsHeldBack) {
  join();
  ask(kJoinGroup);
  ask(kSyncGroup);
  clock_.advance(1'100ms);
  EXPECT_FALSE(commits());
  ask(kHeartbeat);
  clock_.advance(250ms);
  EXPECT_TRUE(commits());
}

TEST_F(WatchedGroup, TheCallbackProvesThatTheGroupIsJoined) {
  join();
  ask(kJoinGroup);
  ask(kSyncGroup);
  clock_.advance(300ms);
  EXPECT_FALSE(commits());
  { const GroupWatch::Callback callback(&watch_, kAssign); }
  EXPECT_TRUE(commits());
}

// A consumer that was closed before it was called back did not leave its group, which waited for
// its session to end.
TEST_F(WatchedGroup, IsNotQuietWhileTheCallbackWaitsThoughItTakesCommits) {
  join();
  ask(kJoinGroup);
  ask(kSyncGroup);
  clock_.advance(10'000ms);
  EXPECT_FALSE(watch_.is_quiet());
  EXPECT_TRUE(commits());
  { const GroupWatch::Callback callback(&watch_, kAssign); }
  EXPECT_TRUE(watch_.is_quiet());
}

TEST_F(WatchedGroup, TakesEveryCommitOfTheCallbackItself) {
  join();
  ask(kJoinGroup);
  ask(kSyncGroup);
  watch_.sent(kHeartbeat);
  const GroupWatch::Callback callback(&watch_, kRevoke);
  EXPECT_TRUE(commits());
  bool other = true;
  std::thread([&] { other = commits(); }).join();
  EXPECT_FALSE(other);
}

// Who gives partitions up joins again behind the callbacks, so that others can have them.
TEST_F(WatchedGroup, ExpectsTheSecondJoinOfWhoGivesPartitionsUp) {
  join();
  ask(kJoinGroup);
  ask(kSyncGroup);
  { const GroupWatch::Callback callback(&watch_, kRevoke); }
  EXPECT_FALSE(commits());
  { const GroupWatch::Callback callback(&watch_, kAssign); }
  clock_.advance(500ms);
  EXPECT_FALSE(commits());
  ask(kJoinGroup);
  ask(kSyncGroup);
  { const GroupWatch::Callback callback(&watch_, kAssign); }
  clock_.advance(250ms);
  EXPECT_TRUE(commits());
}

TEST_F(WatchedGroup, ALongCallbackDoesNotWearOutTheJoinThatFollows) {
  join();
  const auto long_one = [&](rd_kafka_resp_err_t what) {
    const GroupWatch::Callback callback(&watch_, what);
    clock_.advance(20'000ms);
    bool other = true;
    std::thread([&] { other = commits(); }).join();
    EXPECT_FALSE(other);
  };
  long_one(kRevoke);
  EXPECT_FALSE(commits());
  long_one(kAssign);
  EXPECT_FALSE(commits());
}

TEST_F(WatchedGroup, ExpectsAJoinAfterTheSubscriptionChangedButNotForLong) {
  join();
  watch_.subscribing();
  EXPECT_FALSE(commits());
  EXPECT_FALSE(watch_.is_joining());
  clock_.advance(2'999ms);
  EXPECT_FALSE(commits());
  clock_.advance(1ms);
  EXPECT_TRUE(commits());
}

// librdkafka puts a subscription off that meets a join, and joins once more for it.
TEST_F(WatchedGroup, AJoinThatCrossedTheNewSubscriptionIsNotTheExpectedOne) {
  join();
  const auto join_and_assign = [&] {
    ask(kJoinGroup);
    ask(kSyncGroup);
    { const GroupWatch::Callback callback(&watch_, kAssign); }
    clock_.advance(300ms);
  };
  watch_.subscribing();
  join_and_assign();
  EXPECT_FALSE(commits());
  join_and_assign();
  EXPECT_TRUE(commits());
  watch_.subscribing();
  clock_.advance(500ms);  // librdkafka has long heard of it
  join_and_assign();
  EXPECT_TRUE(commits());
}

TEST_F(WatchedGroup, TheFirstSubscriptionHasOneJoin) {
  watch_.subscribing();
  ask(kJoinGroup);
  ask(kSyncGroup);
  { const GroupWatch::Callback callback(&watch_, kAssign); }
  clock_.advance(250ms);
  EXPECT_TRUE(commits());
}

// Heartbeats may come so often, or be answered so slowly, that there is no quiet moment.
TEST_F(WatchedGroup, HoldsNoCommitBackForEver) {
  join();
  watch_.sent(kHeartbeat);
  EXPECT_FALSE(commits());
  clock_.advance(4'999ms);
  EXPECT_FALSE(commits());
  clock_.advance(1ms);
  EXPECT_FALSE(watch_.is_quiet());
  EXPECT_TRUE(commits());
  EXPECT_FALSE(commits());  // the next one has five seconds as well
}

// A commit that was refused long ago, and not asked for since, is no reason for this one.
TEST_F(WatchedGroup, CountsFromTheLastQuietMoment) {
  join();
  watch_.sent(kHeartbeat);
  EXPECT_FALSE(commits());
  watch_.answered(kHeartbeat, false);
  clock_.advance(6'000ms);
  watch_.sent(kHeartbeat);
  EXPECT_FALSE(commits());
}

TEST_F(WatchedGroup, AJoinThatBreaksOffIsStillUnderWay) {
  join();
  watch_.sent(kJoinGroup);
  watch_.answered(kJoinGroup, true);
  clock_.advance(10'000ms);
  EXPECT_FALSE(commits());
  ask(kJoinGroup);
  watch_.sent(kSyncGroup);
  watch_.answered(kSyncGroup, true);
  clock_.advance(10'000ms);
  EXPECT_FALSE(commits());
  ask(kJoinGroup);
  ask(kSyncGroup);
  clock_.advance(3'000ms);
  EXPECT_TRUE(commits());
}

// The group would have put the member out by then.
TEST_F(WatchedGroup, BelievesInNoJoinThatIsLongerThanARebalanceMayBe) {
  join();
  watch_.sent(kJoinGroup);
  clock_.advance(59'999ms);
  EXPECT_FALSE(commits());
  clock_.advance(1ms);
  EXPECT_FALSE(watch_.is_joining());
  EXPECT_TRUE(commits());
}

TEST_F(WatchedGroup, OtherRequestsChangeNothing) {
  join();
  for (const std::int16_t request : {0, 1, 2, 8, 9, 10, -1}) watch_.sent(request);
  watch_.sent(kLeaveGroup);
  EXPECT_TRUE(watch_.is_quiet());
}

TEST_F(WatchedGroup, WithoutItsConsumerItAsksNoClock) {
  auto clock = std::make_unique<ManualClock>();
  GroupWatch watch({}, *clock);
  watch.sent(kJoinGroup);
  watch.end();
  clock.reset();
  ask(kHeartbeat);
  watch.sent(kHeartbeat);
  watch.answered(kHeartbeat, true);
  EXPECT_TRUE(watch.is_quiet());
  EXPECT_FALSE(watch.is_joining());
}

TEST(GroupWatchOnAClient, SeesTheRequestsOfACooperativeMemberAndOutlivesItsClient) {
  MockCluster cluster;
  cluster.produce("orders", {{.value = "1"}});
  NoLog log;
  const Settings settings{{"bootstrap.servers", cluster.address()},
                          {"group.id", "readers"},
                          {"heartbeat.interval.ms", "100"},
                          {"partition.assignment.strategy", "cooperative-sticky"}};
  Owned<rd_kafka_conf_t> made = configuration(settings);
  struct Seen {
    std::shared_ptr<GroupWatch> watch;
    bool joined = false;
  } seen;
  seen.watch = GroupWatch::attach(*made, settings, system_clock(), log);
  ASSERT_NE(seen.watch, nullptr);
  rd_kafka_conf_set_opaque(made.get(), &seen);
  rd_kafka_conf_set_rebalance_cb(made.get(), [](rd_kafka_t* client, rd_kafka_resp_err_t what,
                                                rd_kafka_topic_partition_list_t* list, void* self) {
    const GroupWatch::Callback callback(static_cast<Seen*>(self)->watch.get(), what);
    if (what == kAssign) {
      static_cast<Seen*>(self)->joined = true;
      check(rd_kafka_incremental_assign(client, list), "assign");
    } else {
      check(rd_kafka_incremental_unassign(client, list), "unassign");
    }
  });
  {
    const Client consumer(RD_KAFKA_CONSUMER, std::move(made), log);
    rd_kafka_poll_set_consumer(consumer.get());
    const Owned<rd_kafka_topic_partition_list_t> topics(rd_kafka_topic_partition_list_new(1));
    rd_kafka_topic_partition_list_add(topics.get(), "orders", RD_KAFKA_PARTITION_UA);
    check(rd_kafka_subscribe(consumer.get(), topics.get()), "subscribe");
    bool was_joining = false, was_quiet_again = false;
    for (int i = 0; i < 2'000 && !was_quiet_again; ++i) {
      was_joining |= seen.watch->is_joining();
      was_quiet_again = seen.joined && seen.watch->is_quiet();
      const Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(consumer.get(), 5));
    }
    EXPECT_TRUE(was_joining);
    EXPECT_TRUE(was_quiet_again);
    rd_kafka_consumer_close(consumer.get());
  }
  EXPECT_EQ(seen.watch.use_count(), 1);  // librdkafka has let go of it
}

TEST(GroupWatchOnAClient, IsOfNoUseToEagerAssignors) {
  ManualClock clock;
  NoLog log;
  for (const Settings& settings :
       {Settings{}, Settings{{"partition.assignment.strategy", "range"}}}) {
    const Owned<rd_kafka_conf_t> made = configuration(settings);
    EXPECT_EQ(GroupWatch::attach(*made, settings, clock, log), nullptr);
  }
}

// librdkafka 2.0.2 frees a configuration that has interceptors twice where it makes no client of
// it.
TEST(GroupWatchOnAClient, RefusesSettingsThatNoClientCanBeMadeOf) {
  ManualClock clock;
  NoLog log;
  const Settings settings{{"bootstrap.servers", "127.0.0.1:1"},
                          {"group.id", "readers"},
                          {"security.protocol", "ssl"},
                          {"ssl.ca.location", "/nowhere/at/all.pem"},
                          {"partition.assignment.strategy", "cooperative-sticky"}};
  const Owned<rd_kafka_conf_t> made = configuration(settings);
  EXPECT_THROW(GroupWatch::attach(*made, settings, clock, log), ProcessException);
}

// A configuration that comes to nothing gives the watch back.
TEST(GroupWatchOnAClient, EndsWithAConfigurationThatIsNotUsed) {
  ManualClock clock;
  NoLog log;
  const Settings settings{{"partition.assignment.strategy", "cooperative-sticky"}};
  Owned<rd_kafka_conf_t> made = configuration(settings);
  const auto watch = GroupWatch::attach(*made, settings, clock, log);
  EXPECT_EQ(watch.use_count(), 2);
  made.reset();
  EXPECT_EQ(watch.use_count(), 1);
}

}  // namespace
}  // namespace weir::processors::kafka
