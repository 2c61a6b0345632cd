#include "processors/kinesis/record_buffer.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/processors/kinesis/record_buffer_fixture.h"

namespace weir::processors::kinesis {
namespace {

using namespace std::chrono_literals;
using namespace test;
using Numbers = std::vector<std::uint64_t>;
using Lease = RecordBuffer::Lease;
using Reservation = RecordBuffer::Reservation;

TEST_F(RecordBufferTest, GivesWhatWasAddedAndCheckpointsItAfterTheCommit) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  EXPECT_FALSE(buffer.acquire(0ms));
  EXPECT_TRUE(buffer.drained(id));
  const auto given = batch(1, 3);
  EXPECT_TRUE(buffer.add(id, given));
  EXPECT_FALSE(buffer.drained(id));
  EXPECT_EQ(buffer.used_bytes(), given->bytes());
  auto lease = buffer.acquire(0ms);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->id(), id);
  EXPECT_EQ(buffer.consume(*lease).at(0), given);
  EXPECT_FALSE(buffer.drained(id));
  EXPECT_FALSE(buffer.to_checkpoint(id));
  EXPECT_TRUE(changed.empty());
  EXPECT_TRUE(buffer.commit(*lease));
  EXPECT_EQ(changed, std::vector{id});
  EXPECT_TRUE(buffer.drained(id));
  EXPECT_EQ(buffer.to_checkpoint(id), at(3));
  EXPECT_EQ(buffer.used_bytes(), 0u);
  buffer.give_back(std::move(*lease));
  EXPECT_FALSE(buffer.acquire(0ms));
}

TEST_F(RecordBufferTest, ABufferIsLeasedToOneTaskAtATime) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 1));
  auto lease = buffer.acquire(0ms);
  buffer.add(id, batch(2, 1));
  EXPECT_FALSE(buffer.acquire(0ms));
  buffer.give_back(std::move(*lease));
  EXPECT_TRUE(buffer.acquire(0ms));
}

TEST_F(RecordBufferTest, RecordsAddedAfterTheConsumeAreNotCommitted) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 2));
  auto lease = buffer.acquire(0ms);
  buffer.consume(*lease);
  buffer.add(id, batch(3, 2));
  EXPECT_TRUE(buffer.commit(*lease));
  EXPECT_EQ(buffer.to_checkpoint(id), at(2));
  EXPECT_FALSE(buffer.drained(id));
  EXPECT_EQ(numbers(buffer.consume(*lease)), (Numbers{3, 4}));
}

TEST_F(RecordBufferTest, ACommitWithoutAConsumeCommitsNothing) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 2));
  {
    auto lease = buffer.acquire(0ms);
    EXPECT_TRUE(buffer.commit(*lease));
    buffer.consume(*lease);
  }
  auto lease = buffer.acquire(0ms);  // what the first one consumed is not the second one's
  EXPECT_TRUE(buffer.commit(*lease));
  EXPECT_FALSE(buffer.to_checkpoint(id));
  EXPECT_TRUE(changed.empty());
  EXPECT_EQ(numbers(buffer.consume(*lease)), (Numbers{1, 2}));
}

TEST_F(RecordBufferTest, WhatWasRolledBackComesFirstAndInOrder) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 2));
  auto lease = buffer.acquire(0ms);
  buffer.consume(*lease);
  buffer.add(id, batch(3, 1));
  buffer.roll_back(*lease);
  EXPECT_TRUE(buffer.commit(*lease));
  EXPECT_FALSE(buffer.to_checkpoint(id));
  buffer.give_back(std::move(*lease));
  lease = buffer.acquire(0ms);
  EXPECT_EQ(numbers(buffer.consume(*lease)), (Numbers{1, 2, 3}));
  EXPECT_TRUE(buffer.commit(*lease));
  EXPECT_EQ(buffer.to_checkpoint(id), at(3));
}

TEST_F(RecordBufferTest, ADestroyedLeaseIsGivenBackWithoutACommit) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 2));
  {
    auto lease = buffer.acquire(0ms);
    Lease moved = std::move(*lease);
    buffer.consume(moved);
    EXPECT_TRUE(buffer.consume(*lease).empty());
    EXPECT_FALSE(buffer.commit(*lease));
  }
  EXPECT_FALSE(buffer.to_checkpoint(id));
  EXPECT_TRUE(buffer.acquire(0ms));
}

TEST_F(RecordBufferTest, AShardThatComesBackGetsANewBufferAndTheOldLeaseIsVoid) {
  auto& buffer = make();
  const auto old_id = buffer.create("a");
  buffer.add(old_id, batch(1, 2));
  auto old_lease = buffer.acquire(0ms);
  buffer.consume(*old_lease);
  buffer.invalidate(old_id);
  const auto id = buffer.create("a");
  EXPECT_NE(old_id, id);
  buffer.add(id, batch(1, 5));
  auto lease = buffer.acquire(0ms);  // the new buffer's, though the old lease is out
  ASSERT_TRUE(lease);
  EXPECT_FALSE(buffer.valid(*old_lease));
  EXPECT_TRUE(buffer.valid(*lease));
  EXPECT_FALSE(buffer.commit(*old_lease));
  EXPECT_TRUE(buffer.consume(*old_lease).empty());
  buffer.roll_back(*old_lease);
  EXPECT_FALSE(buffer.to_checkpoint(id));
  buffer.give_back(std::move(*old_lease));
  EXPECT_FALSE(buffer.acquire(0ms));
  EXPECT_EQ(buffer.consume(*lease).at(0)->records().size(), 5u);
  EXPECT_TRUE(buffer.commit(*lease));
  EXPECT_FALSE(buffer.to_checkpoint(old_id));
  EXPECT_EQ(buffer.to_checkpoint(id), at(5));
}

TEST_F(RecordBufferTest, CreatingAShardAgainInvalidatesItsOlderBuffer) {
  auto& buffer = make();
  const auto old_id = buffer.create("a");
  buffer.add(old_id, batch(1, 2));
  auto lease = buffer.acquire(0ms);
  const auto id = buffer.create("a");
  EXPECT_FALSE(buffer.valid(old_id));
  EXPECT_TRUE(buffer.valid(id));
  EXPECT_FALSE(buffer.valid(*lease));
  EXPECT_EQ(changed, std::vector{old_id});
  EXPECT_TRUE(buffer.drained(id));
  EXPECT_EQ(buffer.used_bytes(), 0u);
}

TEST_F(RecordBufferTest, CallsForAnInvalidatedBufferDoNothing) {
  auto& buffer = make();
  const auto old_id = buffer.create("a");
  buffer.invalidate(old_id);
  const auto id = buffer.create("a");
  EXPECT_FALSE(buffer.add(old_id, batch(1, 2)));
  EXPECT_FALSE(buffer.touch(old_id, 5));
  EXPECT_FALSE(buffer.end(old_id, ShardEnd::shard_ended));
  EXPECT_FALSE(buffer.drained(old_id));
  buffer.checkpointed(old_id, at(9));
  buffer.invalidate(old_id);
  EXPECT_TRUE(buffer.valid(id));
  EXPECT_EQ(buffer.used_bytes(), 0u);
  EXPECT_FALSE(buffer.acquire(0ms));
  EXPECT_FALSE(buffer.valid(ShardBufferId{"never seen", 1}));
}

TEST_F(RecordBufferTest, ShardsAreServedInTurn) {
  auto& buffer = make();
  std::vector<ShardBufferId> ids;
  for (const char* shard : {"a", "b", "c"}) ids.push_back(buffer.create(shard));
  std::string order;
  for (int i = 0; i < 6; ++i) {
    for (const auto& id : ids) buffer.add(id, batch(1 + static_cast<std::uint64_t>(i), 1));
    order += serve();
  }
  EXPECT_EQ(order, "abcabc");
}

TEST_F(RecordBufferTest, AShardThatFailsGoesBehindTheOthers) {
  auto& buffer = make();
  const auto a = buffer.create("a"), b = buffer.create("b");
  buffer.add(a, batch(1, 1));
  auto failing = buffer.acquire(0ms);
  buffer.consume(*failing);
  buffer.add(b, batch(1, 1));
  EXPECT_EQ(serve(), "b");
  buffer.add(b, batch(2, 1));
  buffer.roll_back(*failing);
  buffer.give_back(std::move(*failing));
  EXPECT_EQ(serve(), "b");
  EXPECT_EQ(serve(), "a");
}

TEST_F(RecordBufferTest, WaitsForABatchOfTheWantedSize) {
  const auto one = batch(100, 1);
  auto& buffer = make(kPlenty, {.max_batch_bytes = 3 * one->bytes(), .max_batch_duration = 1h});
  const auto id = buffer.create("a");
  buffer.add(id, one);
  buffer.add(id, batch(101, 1));
  EXPECT_FALSE(buffer.acquire(0ms));
  buffer.add(id, batch(102, 1));
  EXPECT_TRUE(buffer.acquire(0ms));
}

TEST_F(RecordBufferTest, ARecordWaitsNoLongerThanTheBatchDuration) {
  auto& buffer = make(kPlenty, {.max_batch_bytes = kPlenty, .max_batch_duration = 5s});
  const auto a = buffer.create("a"), b = buffer.create("b");
  buffer.add(b, batch(1, 1));
  clock.advance(4s);
  buffer.add(a, batch(1, 1));
  EXPECT_EQ(serve(), "");
  buffer.add(b, batch(2, 1));  // makes the first of b no younger
  clock.advance(1s);
  EXPECT_EQ(serve(), "b");
  EXPECT_EQ(serve(), "");
  clock.advance(4s);
  EXPECT_EQ(serve(), "a");
}

TEST_F(RecordBufferTest, ALimitlessBatchDurationDoesNotOverflow) {
  auto& buffer = make(
      kPlenty, {.max_batch_bytes = kPlenty, .max_batch_duration = std::chrono::nanoseconds::max()});
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 1));
  EXPECT_FALSE(buffer.acquire(1ms));
}

TEST_F(RecordBufferTest, ARetryDoesNotWaitForALargerBatch) {
  auto& buffer = make(kPlenty, {.max_batch_bytes = kPlenty, .max_batch_duration = 5s});
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 1));
  clock.advance(5s);
  {
    auto lease = buffer.acquire(0ms);
    buffer.consume(*lease);
  }
  EXPECT_EQ(serve(), "a");
}

TEST_F(RecordBufferTest, TheEndOfAShardMakesItsRecordsReady) {
  auto& buffer = make(kPlenty, {.max_batch_bytes = kPlenty, .max_batch_duration = 1h});
  const auto a = buffer.create("a"), b = buffer.create("b"), empty = buffer.create("c");
  buffer.add(a, batch(1, 1));
  buffer.add(b, batch(1, 1));
  EXPECT_TRUE(buffer.end(b, ShardEnd::shard_ended));
  EXPECT_TRUE(buffer.end(empty, ShardEnd::shard_ended));
  EXPECT_EQ(serve(), "b");
  EXPECT_EQ(serve(), "");
  EXPECT_TRUE(buffer.end(a, ShardEnd::shutdown_requested));
  EXPECT_EQ(serve(), "a");
}

TEST_F(RecordBufferTest, TheCheckpointNeverGoesBackwards) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  buffer.add(id, batch(8, 3));
  serve();
  EXPECT_EQ(buffer.to_checkpoint(id), at(10));
  buffer.checkpointed(id, at(9));
  EXPECT_EQ(buffer.to_checkpoint(id), at(10));
  buffer.checkpointed(id, at(10));
  EXPECT_FALSE(buffer.to_checkpoint(id));
  buffer.checkpointed(id, at(9));
  EXPECT_FALSE(buffer.to_checkpoint(id));
}

TEST_F(RecordBufferTest, ASilentOrHangingShardShowsInItsStatus) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  buffer.create("b");
  const std::int64_t begin_ns = clock.steady_ns();
  clock.advance(1s);
  const auto given = batch(1, 3, 777);
  buffer.add(id, given);
  auto lease = buffer.acquire(0ms);
  auto status = buffer.status();
  ASSERT_EQ(status.size(), 2u);
  EXPECT_EQ(status[0].id, id);
  EXPECT_EQ(status[0].records, 3u);
  EXPECT_EQ(status[0].bytes, given->bytes());
  EXPECT_TRUE(status[0].leased);
  EXPECT_EQ(status[0].millis_behind_latest, 777);
  EXPECT_EQ(status[0].last_call_ns, begin_ns + 1'000'000'000);
  EXPECT_EQ(status[0].last_checkpoint_ns, begin_ns);
  EXPECT_FALSE(status[0].checkpoint_outstanding);
  EXPECT_EQ(status[1].last_call_ns, begin_ns);

  buffer.consume(*lease);
  buffer.commit(*lease);
  lease.reset();
  clock.advance(1s);
  EXPECT_TRUE(buffer.touch(id, 5));
  status = buffer.status();
  EXPECT_EQ(status[0].last_call_ns, begin_ns + 2'000'000'000);
  EXPECT_EQ(status[0].millis_behind_latest, 5);
  EXPECT_TRUE(status[0].checkpoint_outstanding);
  EXPECT_FALSE(status[0].leased);
  EXPECT_EQ(status[0].records, 0u);
  buffer.checkpointed(id, at(3));
  status = buffer.status();
  EXPECT_FALSE(status[0].checkpoint_outstanding);
  EXPECT_EQ(status[0].last_checkpoint_ns, clock.steady_ns());
}

TEST_F(RecordBufferTest, AfterCloseNobodyGetsALeaseButThoseOutThereCommit) {
  auto& buffer = make();
  const auto a = buffer.create("a"), b = buffer.create("b");
  buffer.add(a, batch(1, 2));
  buffer.add(b, batch(1, 2));
  auto lease = buffer.acquire(0ms);
  buffer.consume(*lease);
  buffer.close();
  EXPECT_FALSE(buffer.acquire(0ms));
  EXPECT_FALSE(buffer.acquire(10s));
  EXPECT_TRUE(buffer.commit(*lease));
  buffer.give_back(std::move(*lease));
  EXPECT_EQ(buffer.to_checkpoint(a), at(2));
  EXPECT_FALSE(buffer.acquire(0ms));
}

TEST_F(RecordBufferTest, CloseWakesAllWhoWait) {
  auto& buffer = make();
  std::vector<std::jthread> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back([&] { EXPECT_FALSE(buffer.acquire(20s)); });
  }
  buffer.close();
}

TEST_F(RecordBufferTest, WhoWaitsGetsWhatIsAdded) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  std::jthread waiting([&] { EXPECT_TRUE(buffer.acquire(20s)); });
  buffer.add(id, batch(1, 1));
}

TEST_F(RecordBufferTest, WhoWaitsGetsWhatAnotherGivesBack) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 1));
  auto lease = buffer.acquire(0ms);
  std::jthread waiting([&] { EXPECT_TRUE(buffer.acquire(20s)); });
  lease.reset();
}

TEST_F(RecordBufferTest, WhoWaitsGetsWhatIsReadyByTime) {
  RecordBuffer buffer(kPlenty, {.max_batch_bytes = kPlenty, .max_batch_duration = 2ms},
                      system_clock(), {});
  const auto id = buffer.create("a");
  std::jthread waiting([&] { EXPECT_TRUE(buffer.acquire(20s)); });
  buffer.add(id, batch(1, 1));
}

TEST_F(RecordBufferTest, WhoWaitsGetsWhatShortMemoryMakesReady) {
  const auto one = batch(1, 1);
  auto& buffer = make(one->bytes(), {.max_batch_bytes = kPlenty, .max_batch_duration = 1h});
  const auto id = buffer.create("a");
  buffer.add(id, one);
  std::jthread waiting([&] { EXPECT_TRUE(buffer.acquire(20s)); });
  Reservation refused;
  buffer.reserve(refused, 1);
  waiting.join();
}

TEST_F(RecordBufferTest, AcquireGivesUpAfterTheTimeItWasGiven) {
  auto& buffer = make(kPlenty, {.max_batch_bytes = kPlenty, .max_batch_duration = 1h});
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 1));
  EXPECT_FALSE(buffer.acquire(5ms));
}

// R127: after a failure in the middle, reading went on from a further position.
TEST_F(RecordBufferTest, BatchesAfterTheFailedOneAreNotSkippedNorGivenBeforeIt) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  for (const std::uint64_t first : {1, 11, 21}) buffer.add(id, batch(first, 2));
  {
    auto lease = buffer.acquire(0ms);
    buffer.consume(*lease);
    buffer.roll_back(*lease);
  }
  auto lease = buffer.acquire(0ms);
  EXPECT_EQ(numbers(buffer.consume(*lease)), (Numbers{1, 2, 11, 12, 21, 22}));
}

// R128: a hand-over that failed left the shard without a reader for ever.
TEST_F(RecordBufferTest, AShardWhoseTaskDiesFiftyTimesIsNeitherStuckNorLoses) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  std::size_t wanted = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    buffer.add(id, batch(1 + 2 * i, 2));
    auto lease = buffer.acquire(0ms);
    ASSERT_TRUE(lease);
    EXPECT_EQ(numbers(buffer.consume(*lease)).size(), wanted += 2);
  }
  EXPECT_EQ(serve(), "a");
  EXPECT_EQ(buffer.to_checkpoint(id), at(100));
  EXPECT_EQ(buffer.used_bytes(), 0u);
}

// R142: a batch that overlaps with what was seen before was dropped whole.
TEST_F(RecordBufferTest, ABatchThatOverlapsTheFormerStayIsDeliveredWhole) {
  auto& buffer = make();
  const auto first = buffer.create("a");
  buffer.add(first, batch(1, 3));
  serve();
  buffer.invalidate(first);
  const auto second = buffer.create("a");
  buffer.add(second, batch(3, 3));
  auto lease = buffer.acquire(0ms);
  EXPECT_EQ(numbers(buffer.consume(*lease)), (Numbers{3, 4, 5}));
}

using RecordBufferDeathTest = RecordBufferTest;

TEST_F(RecordBufferDeathTest, ALeaseThatOutlivesTheBufferIsABrokenInvariant) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        auto buffer = std::make_unique<RecordBuffer>(kPlenty, BatchingRules{}, clock,
                                                     RecordBuffer::Listener{});
        buffer->add(buffer->create("a"), batch(1, 1));
        const auto lease = buffer->acquire(0ms);
        buffer.reset();
      },
      "1 leases and 0 reservations out");
}

}  // namespace
}  // namespace weir::processors::kinesis
