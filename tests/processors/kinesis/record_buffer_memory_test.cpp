#include "processors/kinesis/record_buffer.h"

#include <gtest/gtest.h>

#include "tests/processors/kinesis/record_buffer_fixture.h"

namespace weir::processors::kinesis {
namespace {

using namespace std::chrono_literals;
using namespace test;
using RecordBufferMemoryTest = RecordBufferTest;
using Reservation = RecordBuffer::Reservation;

TEST_F(RecordBufferMemoryTest, WhatAVoidLeaseWasGivenCountsUntilItIsGivenBack) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  const auto given = batch(1, 2);
  buffer.add(id, given);
  auto lease = buffer.acquire(0ms);
  buffer.consume(*lease);
  const std::weak_ptr<const RecordBatch> not_given = [&] {
    const auto more = batch(3, 5);
    buffer.add(id, more);
    return more;
  }();
  buffer.invalidate(id);
  EXPECT_TRUE(not_given.expired());
  EXPECT_EQ(buffer.used_bytes(), given->bytes());
  EXPECT_TRUE(buffer.status().empty());
  EXPECT_FALSE(buffer.commit(*lease));
  EXPECT_EQ(buffer.used_bytes(), given->bytes());
  lease.reset();
  EXPECT_EQ(buffer.used_bytes(), 0u);
}

TEST_F(RecordBufferMemoryTest, RecordsThatALeaseHasNotConsumedAreDroppedAtOnce) {
  auto& buffer = make();
  const auto id = buffer.create("a");
  buffer.add(id, batch(1, 2));
  auto lease = buffer.acquire(0ms);
  buffer.consume(*lease);
  buffer.give_back(std::move(*lease));
  lease = buffer.acquire(0ms);  // retries; has consumed nothing itself
  buffer.invalidate(id);
  EXPECT_EQ(buffer.used_bytes(), 0u);
}

TEST_F(RecordBufferMemoryTest, ShortMemoryMakesAllRecordsReady) {
  const auto one = batch(1, 1);
  auto& buffer = make(2 * one->bytes(), {.max_batch_bytes = kPlenty, .max_batch_duration = 1h});
  const auto a = buffer.create("a"), b = buffer.create("b");
  buffer.add(a, one);
  buffer.add(b, batch(1, 1));
  EXPECT_EQ(serve(), "");
  Reservation refused;
  EXPECT_FALSE(buffer.reserve(refused, one->bytes()));
  EXPECT_EQ(serve(), "a");
  EXPECT_EQ(rooms, 1);
  EXPECT_TRUE(buffer.reserve(refused, one->bytes()));
  EXPECT_EQ(serve(), "");  // served: memory is not short any more
}

TEST_F(RecordBufferMemoryTest, ARefusedReservationThatGoesAwayLeavesMemoryNoLongerShort) {
  const auto one = batch(1, 1);
  auto& buffer = make(one->bytes(), {.max_batch_bytes = kPlenty, .max_batch_duration = 1h});
  const auto a = buffer.create("a");
  buffer.add(a, one);
  {
    Reservation refused;
    EXPECT_FALSE(buffer.reserve(refused, 1));
    Reservation moved = std::move(refused);
  }
  EXPECT_EQ(rooms, 1);  // another one may have stood behind it
  EXPECT_EQ(serve(), "");
}

TEST_F(RecordBufferMemoryTest, ReservationsStayWithinTheBound) {
  auto& buffer = make(100);
  Reservation first, second;
  EXPECT_TRUE(buffer.reserve(first, 60));
  EXPECT_TRUE(buffer.reserve(first, 30));
  EXPECT_EQ(first.bytes(), 90u);
  EXPECT_TRUE(buffer.reserve(second, 10));
  EXPECT_EQ(buffer.used_bytes(), 100u);
  first.release();
  EXPECT_EQ(first.bytes(), 0u);
  EXPECT_EQ(buffer.used_bytes(), 10u);
  EXPECT_EQ(rooms, 0);  // nobody was refused
  first = std::move(second);
  EXPECT_EQ(buffer.used_bytes(), 10u);
  first = {};
  EXPECT_EQ(buffer.used_bytes(), 0u);
}

TEST_F(RecordBufferMemoryTest, RoomIsToldOnceAfterEachRefusal) {
  const auto one = batch(1, 1);
  auto& buffer = make(one->bytes());
  const auto a = buffer.create("a");
  Reservation call;
  buffer.add(a, one);
  EXPECT_FALSE(buffer.reserve(call, 10));
  EXPECT_FALSE(buffer.reserve(call, 10));
  EXPECT_EQ(rooms, 0);
  serve();
  EXPECT_EQ(rooms, 1);
  buffer.add(a, batch(2, 1));
  serve();
  EXPECT_EQ(rooms, 1);
}

TEST_F(RecordBufferMemoryTest, RoomIsToldForEachWayOfBecomingFree) {
  const auto one = batch(1, 1);
  auto& buffer = make(one->bytes());
  Reservation refused;
  auto id = buffer.create("a");
  buffer.add(id, one);
  EXPECT_FALSE(buffer.reserve(refused, 10));
  buffer.invalidate(id);
  EXPECT_EQ(rooms, 1);

  id = buffer.create("a");
  buffer.add(id, one);
  auto lease = buffer.acquire(0ms);
  buffer.consume(*lease);
  buffer.invalidate(id);
  EXPECT_FALSE(buffer.reserve(refused, 10));
  lease.reset();
  EXPECT_EQ(rooms, 2);

  Reservation all;
  EXPECT_TRUE(buffer.reserve(all, one->bytes()));
  EXPECT_TRUE(buffer.reserve(all, one->bytes()));  // the overdraft
  EXPECT_FALSE(buffer.reserve(refused, 10));
  all.release();
  EXPECT_EQ(rooms, 3);
}

TEST_F(RecordBufferMemoryTest, ACallLargerThanEverythingGetsThroughOnceNothingIsHeld) {
  const auto one = batch(1, 1);
  auto& buffer = make(one->bytes());
  const auto a = buffer.create("a");
  buffer.add(a, one);
  Reservation large;
  EXPECT_FALSE(buffer.reserve(large, 1'000'000));
  serve();
  EXPECT_TRUE(buffer.reserve(large, 1'000'000));
  EXPECT_TRUE(buffer.reserve(large, 1'000'000));
  EXPECT_EQ(buffer.used_bytes(), 2'000'000u);
}

TEST_F(RecordBufferMemoryTest, HalfReadCallsThatFillTheBoundDoNotWaitForEachOther) {
  auto& buffer = make(1000);
  std::vector<Reservation> calls(4);
  for (auto& call : calls) EXPECT_TRUE(buffer.reserve(call, 250));
  EXPECT_TRUE(buffer.reserve(calls[2], 250));
  for (const std::size_t i : {0, 1, 3}) EXPECT_FALSE(buffer.reserve(calls[i], 250));
  // It is never refused again, not while records are held either.
  const auto a = buffer.create("a");
  buffer.add(a, batch(1, 1));
  EXPECT_FALSE(buffer.reserve(calls[0], 250));
  EXPECT_TRUE(buffer.reserve(calls[2], 250));
  serve();
  EXPECT_EQ(rooms, 1);
  calls[2].release();
  EXPECT_FALSE(buffer.acquire(0ms));
  EXPECT_TRUE(buffer.reserve(calls[0], 500));  // 250 fit, the rest is the next overdraft
  EXPECT_EQ(buffer.used_bytes(), 1250u);
  EXPECT_FALSE(buffer.reserve(calls[1], 250));
}

}  // namespace
}  // namespace weir::processors::kinesis
