#include "processors/kinesis/shard_buffer.h"

#include <gtest/gtest.h>

#include "tests/processors/kinesis/buffer_fixture.h"

namespace weir::processors::kinesis {
namespace {

using test::at;
using test::batch;
using test::numbers;
using Numbers = std::vector<std::uint64_t>;

struct ShardBufferTest : testing::Test {
  ShardBuffer buffer{7, "shardId-000000000001"};
};

TEST(ShardBufferPosition, IsOrderedAsTheNumbersAreNotAsTheTexts) {
  const std::string long_one(56, '4');
  EXPECT_LT((Position{"9", 0}), (Position{"10", 0}));
  EXPECT_LT((Position{"999", 5}), (Position{long_one, 0}));
  EXPECT_LT((Position{long_one, 0}), (Position{long_one, 1}));
  EXPECT_LT((Position{"123", 99}), (Position{"124", 0}));
  EXPECT_GT((Position{"200", 0}), (Position{"199", 0}));
}

TEST(ShardBufferPosition, LeadingZerosMeanNothing) {
  EXPECT_EQ((Position{"007", 1}), (Position{"7", 1}));
  EXPECT_LT((Position{"0009", 0}), (Position{"10", 0}));
  EXPECT_EQ((Position{"000", 0}), (Position{"0", 0}));
  EXPECT_LT((Position{"0", 0}), (Position{"1", 0}));
}

TEST(ShardBufferRecordBatch, CountsItsTextsAndItsRecords) {
  const auto some = batch(10, 4);
  EXPECT_GE(some->bytes(), 8 + 4 * sizeof(Record));
  EXPECT_GE(batch(10, 8)->bytes(), some->bytes() + 8 + 4 * sizeof(Record));
}

TEST_F(ShardBufferTest, KeepsItsNames) {
  EXPECT_EQ(buffer.id(), 7u);
  EXPECT_EQ(buffer.shard_id(), "shardId-000000000001");
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.end(), ShardEnd::none);
}

TEST_F(ShardBufferTest, ConsumingMovesAllPendingBehindWhatIsInProgress) {
  buffer.add(batch(1, 2), 100);
  buffer.add(batch(3, 1), 200);
  EXPECT_FALSE(buffer.retrying());
  EXPECT_EQ(numbers(buffer.consume()), (Numbers{1, 2, 3}));
  buffer.roll_back();
  EXPECT_TRUE(buffer.retrying());
  buffer.add(batch(4, 2), 300);
  EXPECT_EQ(numbers(buffer.consume()), (Numbers{1, 2, 3, 4, 5}));
}

TEST_F(ShardBufferTest, TheSameBatchIsGivenNotACopy) {
  const auto given = batch(1, 2);
  buffer.add(given, 0);
  EXPECT_EQ(buffer.consume().at(0), given);
}

TEST_F(ShardBufferTest, CommitCoversWhatWasConsumedAndNothingThatCameSince) {
  buffer.add(batch(1, 2), 100);
  buffer.consume();
  buffer.add(batch(3, 2), 200);
  EXPECT_EQ(numbers(buffer.commit()), (Numbers{1, 2}));
  EXPECT_EQ(buffer.committed(), at(2));
  EXPECT_EQ(buffer.records(), 2u);
  EXPECT_EQ(buffer.oldest_ns(), 200);
  EXPECT_EQ(numbers(buffer.consume()), (Numbers{3, 4}));
}

TEST_F(ShardBufferTest, CommitWithoutConsumeDoesNothing) {
  buffer.add(batch(1, 2), 100);
  EXPECT_TRUE(buffer.commit().empty());
  EXPECT_EQ(buffer.committed(), std::nullopt);
  buffer.consume();
  buffer.roll_back();
  EXPECT_TRUE(buffer.commit().empty());
  EXPECT_EQ(buffer.committed(), std::nullopt);
  EXPECT_EQ(buffer.records(), 2u);
  buffer.consume();
  EXPECT_FALSE(buffer.commit().empty());
  EXPECT_TRUE(buffer.commit().empty());
}

TEST_F(ShardBufferTest, CountsRecordsAndBytesOfBothQueues) {
  const auto first = batch(1, 2), second = batch(3, 5);
  buffer.add(first, 100);
  buffer.consume();
  buffer.add(second, 200);
  EXPECT_EQ(buffer.records(), 7u);
  EXPECT_EQ(buffer.bytes(), first->bytes() + second->bytes());
  buffer.commit();
  EXPECT_EQ(buffer.bytes(), second->bytes());
  buffer.clear();
  EXPECT_EQ(buffer.bytes(), 0u);
  EXPECT_EQ(buffer.records(), 0u);
  EXPECT_TRUE(buffer.empty());
}

TEST_F(ShardBufferTest, TheOldestRecordStaysTheOldestThroughARollback) {
  buffer.add(batch(1, 1), 100);
  buffer.add(batch(2, 1), 200);
  buffer.consume();
  buffer.roll_back();
  buffer.add(batch(3, 1), 300);
  EXPECT_EQ(buffer.oldest_ns(), 100);
  buffer.consume();
  EXPECT_EQ(buffer.oldest_ns(), 100);
}

TEST_F(ShardBufferTest, ABatchWithoutRecordsOnlyTellsHowFarBehindTheShardIs) {
  buffer.add(batch(1, 0, 4321), 100);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.millis_behind_latest(), 4321);
  buffer.consume();
  EXPECT_TRUE(buffer.commit().empty());
}

TEST_F(ShardBufferTest, TheCheckpointNeverGoesBackwards) {
  EXPECT_EQ(buffer.to_checkpoint(), nullptr);
  buffer.add(batch(9, 2), 100);  // 9 and 10
  buffer.consume();
  buffer.commit();
  ASSERT_NE(buffer.to_checkpoint(), nullptr);
  EXPECT_EQ(*buffer.to_checkpoint(), at(10));
  EXPECT_TRUE(buffer.set_checkpointed(at(10)));
  EXPECT_EQ(buffer.to_checkpoint(), nullptr);
  EXPECT_FALSE(buffer.set_checkpointed(at(9)));
  EXPECT_EQ(buffer.checkpointed(), at(10));
  EXPECT_EQ(buffer.to_checkpoint(), nullptr);
}

TEST_F(ShardBufferTest, RecordsThatAreDeliveredOnceMoreDoNotTakeTheCommittedPositionBack) {
  buffer.add(batch(5, 3), 100);
  buffer.consume();
  buffer.commit();
  buffer.add(batch(5, 1), 200);
  buffer.consume();
  buffer.commit();
  EXPECT_EQ(buffer.committed(), at(7));
}

}  // namespace
}  // namespace weir::processors::kinesis
