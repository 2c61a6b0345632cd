#include "processors/kinesis/stall_watch.h"

#include <gtest/gtest.h>

namespace weir::processors::kinesis::test {
namespace {

using namespace std::chrono_literals;

std::int64_t at(std::chrono::nanoseconds time) {
  return time.count();
}

ShardStatus shard(std::chrono::nanoseconds last_call, std::chrono::nanoseconds last_checkpoint,
                  bool outstanding) {
  return {.id = {"shard-1", 1},
          .records = 12,
          .last_call_ns = last_call.count(),
          .last_checkpoint_ns = last_checkpoint.count(),
          .checkpoint_outstanding = outstanding};
}

// Field report R136: a shard stood still for nine hours and nobody was told.
TEST(StallWatch, AShardThatTheKclForgotIsNotSilent) {
  StallWatch watch(5s);
  EXPECT_TRUE(watch.look({shard(0s, 0s, false)}, at(299s)).empty());
  const auto told = watch.look({shard(0s, 0s, false)}, at(300s));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("shard-1"), std::string::npos);
  EXPECT_NE(told[0].find("300 s ago"), std::string::npos) << told[0];
  EXPECT_NE(told[0].find("12 records"), std::string::npos);
}

TEST(StallWatch, ItIsToldAgainEachFiveMinutesOnly) {
  StallWatch watch(5s);
  EXPECT_EQ(watch.look({shard(0s, 0s, false)}, at(400s)).size(), 1u);
  EXPECT_EQ(watch.look({shard(0s, 0s, false)}, at(699s)).size(), 0u);
  EXPECT_EQ(watch.look({shard(0s, 0s, false)}, at(700s)).size(), 1u);
  EXPECT_EQ(watch.look({shard(990s, 0s, false)}, at(1000s)).size(), 0u);
}

TEST(StallWatch, ACommitThatIsNeverCheckpointedIsTold) {
  StallWatch watch(5s);
  EXPECT_TRUE(watch.look({shard(0s, 0s, false)}, at(290s)).empty());
  EXPECT_TRUE(watch.look({shard(1000s, 0s, true)}, at(1000s)).empty());
  EXPECT_TRUE(watch.look({shard(1299s, 0s, true)}, at(1299s)).empty());
  EXPECT_EQ(watch.look({shard(1300s, 0s, true)}, at(1300s)).size(), 1u);
}

TEST(StallWatch, AShardThatIsCheckpointedAllTheTimeIsLeftAlone) {
  StallWatch watch(5s);
  for (auto now = 1s; now < 2000s; now += 5s) {
    EXPECT_TRUE(watch.look({shard(now, now - 6s, true)}, at(now)).empty());
  }
}

TEST(StallWatch, ALongCheckpointIntervalHasItsTime) {
  StallWatch watch(10min);
  EXPECT_TRUE(watch.look({shard(0s, 0s, true)}, at(0s)).empty());
  EXPECT_TRUE(watch.look({shard(1799s, 0s, true)}, at(1799s)).empty());
  EXPECT_EQ(watch.look({shard(1800s, 0s, true)}, at(1800s)).size(), 1u);
}

TEST(StallWatch, ANewStayOfTheShardIsAnother) {
  StallWatch watch(5s);
  EXPECT_EQ(watch.look({shard(0s, 0s, false)}, at(400s)).size(), 1u);
  ShardStatus again = shard(100s, 100s, false);
  again.id.number = 2;
  EXPECT_EQ(watch.look({again}, at(401s)).size(), 1u);
}

}  // namespace
}  // namespace weir::processors::kinesis::test
