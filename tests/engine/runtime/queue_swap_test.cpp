#include <gmock/gmock.h>

#include <cerrno>

#include "tests/engine/runtime/queue_fixture.h"

namespace weir::runtime::testing {
namespace {

FlowFileQueue::Config small_swap() {
  FlowFileQueue::Config config;
  config.id = config.name = "q";
  config.swap_threshold = 100;
  config.swap_file_flow_files = 50;
  return config;
}

TEST(QueueSwap, KeepsOrderThroughFilesAndRestarts) {
  QueueOnDisk disk(small_swap());
  for (int i = 0; i < 1000; i += 10) disk.put(i, i + 10);
  FlowFileQueue::Polled polled;
  disk.queue->poll(30, polled);
  disk.drop(polled.flow_files);
  disk.kill_and_open();
  EXPECT_EQ(disk.queue->count(), 970u);
  EXPECT_EQ(disk.queue->available(), 970u);
  EXPECT_EQ(disk.drain(), numbers_from_to(30, 1000));
  disk.kill_and_open();
  EXPECT_EQ(disk.queue->count(), 0u);
}

// R009: the counters rose although the swap file could not be written.
TEST(QueueSwap, FailedSwapOutLeavesCountsOrderAndRestartRight) {
  QueueOnDisk disk(small_swap());
  disk.put(0, 100);
  disk.files.fail(storage::FaultFileSystem::Operation::create, ENOSPC, 1000);
  disk.put(100, 200);
  disk.files.fail(storage::FaultFileSystem::Operation::create, ENOSPC, 0);
  EXPECT_FALSE(disk.troubles.empty());
  EXPECT_EQ(disk.queue->count(), 200u);
  disk.clock.time_ms += 2000;  // the disk has room: swapping goes on
  disk.put(200, 600);
  EXPECT_EQ(disk.queue->count(), 600u);
  EXPECT_EQ(disk.queue->available(), 600u);
  disk.kill_and_open();
  EXPECT_EQ(disk.queue->count(), 600u);
  EXPECT_EQ(disk.drain(), numbers_from_to(0, 600));
}

// R011: what was swapped out never came back after a setting of the queue had changed.
TEST(QueueSwap, ComesBackAfterSettingsChanged) {
  QueueOnDisk disk(small_swap());
  disk.put(0, 500);
  disk.config.prioritizers = {"OldestFlowFileFirstPrioritizer"};
  disk.config.swap_threshold = 20;
  disk.kill_and_open();
  EXPECT_EQ(disk.queue->count(), 500u);
  disk.put(500, 600);
  // Prioritizers order what is in memory; all of it comes out, once.
  std::vector<int> drained = disk.drain();
  std::sort(drained.begin(), drained.end());
  EXPECT_EQ(drained, numbers_from_to(0, 600));
  EXPECT_EQ(disk.queue->count(), 0u);
}

// A threshold lowered between two runs sent what stands before the swap files behind them.
TEST(QueueSwap, LoweredThresholdKeepsOrder) {
  QueueOnDisk disk(small_swap());
  disk.put(0, 300);
  disk.config.swap_threshold = 10;
  disk.kill_and_open();
  disk.put(300, 400);
  EXPECT_EQ(disk.drain(), numbers_from_to(0, 400));
}

// R012: FlowFiles dropped from the first swap file moved the rest of it to the end.
TEST(QueueSwap, DroppingSomeOfTheFirstFileKeepsTheOrderOfTheRest) {
  QueueOnDisk disk(small_swap());
  disk.put(0, 400);
  FlowFileQueue::Polled first;
  disk.queue->poll(100, first);
  disk.drop(first.flow_files);
  FlowFileQueue::Polled some;
  disk.queue->poll(
      [](const flowfile::FlowFileRecord& record) {
        return QueueOnDisk::number(record) % 3 == 0 ? FilterDecision::accept
                                                    : FilterDecision::reject;
      },
      some);
  EXPECT_FALSE(some.flow_files.empty());
  std::vector<int> expected = numbers_from_to(100, 400);
  for (const auto& flow_file : some.flow_files) {
    std::erase(expected, QueueOnDisk::number(*flow_file));
  }
  disk.drop(some.flow_files);
  EXPECT_EQ(disk.drain(), expected);
}

TEST(QueueSwap, SwapInThatFailsForNowLosesNothing) {
  QueueOnDisk disk(small_swap());
  disk.put(0, 300);
  disk.files.fail(storage::FaultFileSystem::Operation::read, EIO, 1000);
  FlowFileQueue::Polled polled;
  disk.queue->poll(200, polled);
  EXPECT_EQ(polled.flow_files.size(), 100u);
  disk.drop(polled.flow_files);
  FlowFileQueue::Polled none;
  EXPECT_THROW(disk.queue->poll(200, none), storage::StorageError);
  disk.files.fail(storage::FaultFileSystem::Operation::read, EIO, 0);
  EXPECT_EQ(disk.queue->count(), 200u);
  EXPECT_EQ(disk.drain(), numbers_from_to(100, 300));
}

TEST(QueueSwap, DamagedFileIsNamedAndTheRestGoesOn) {
  QueueOnDisk disk(small_swap());
  CountingWakeable producer;
  CountingWakeable consumer;
  disk.queue->connect(&producer, &consumer);
  disk.put(0, 300);
  const auto swapped = disk.files.list("/data/flowfile_repository/swap");
  ASSERT_FALSE(swapped.empty());
  disk.files.flip_bit("/data/flowfile_repository/swap/" + swapped.front().name, 8 * 200);
  EXPECT_EQ(disk.drain().size(), 250u);
  EXPECT_EQ(disk.queue->count(), 0u);
  EXPECT_EQ(disk.troubles.size(), 1u);
  EXPECT_GE(producer.wakes, 1);
}

TEST(QueueSwap, PrioritizersHoldAcrossFiles) {
  FlowFileQueue::Config config = small_swap();
  config.prioritizers = {"NewestFlowFileFirstPrioritizer"};
  QueueOnDisk disk(config);
  for (int i = 0; i < 500; ++i) {
    disk.clock.time_ms += 1;
    disk.put(i, i + 1);
  }
  std::vector<int> drained = disk.drain();
  // Those in memory are the newest; every one comes out once.
  EXPECT_EQ(drained.front(), 499);
  std::sort(drained.begin(), drained.end());
  EXPECT_EQ(drained, numbers_from_to(0, 500));
}

}  // namespace
}  // namespace weir::runtime::testing
