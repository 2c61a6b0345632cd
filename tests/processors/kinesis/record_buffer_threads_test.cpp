#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "tests/processors/kinesis/record_buffer_fixture.h"

namespace weir::processors::kinesis {
namespace {

using namespace std::chrono_literals;
using namespace test;

constexpr std::uint64_t kRecordsPerShard = 3000;
constexpr std::uint64_t kMostPerBatch = 20;

// What all threads share: the buffer, what was delivered, and the wait for room.
class Scene {
 public:
  Scene()
      : largest_call_(batch(1000, kMostPerBatch)->bytes()),
        buffer(3 * largest_call_, {.max_batch_bytes = largest_call_, .max_batch_duration = 200us},
               system_clock(), {.changed = {}, .room = [this] { tell_of_room(); }}) {}

  // Until `bytes` are reserved; false where nobody tells of room.
  bool reserve(RecordBuffer::Reservation& reservation, std::size_t bytes) {
    while (true) {
      const std::uint64_t seen = rooms_;
      if (buffer.reserve(reservation, bytes)) return true;
      std::unique_lock lock(mutex_);
      if (!room_.wait_for(lock, 20s, [&] { return rooms_ != seen; })) return false;
    }
  }

  // As the thread that serves all bridges: no two calls end at the same time.
  bool end_call(RecordBuffer::Reservation& reservation, const ShardBufferId& id,
                RecordBatchPtr given) {
    const std::lock_guard lock(adding_);
    reservation.release();
    const bool added = buffer.add(id, std::move(given));
    EXPECT_LE(buffer.used_bytes(), 4 * largest_call_);
    return added;
  }

  void deliver(const std::string& shard, const std::vector<std::uint64_t>& given) {
    const std::lock_guard lock(mutex_);
    std::uint64_t& last = delivered_[shard];
    for (std::size_t i = 1; i < given.size(); ++i) EXPECT_EQ(given[i], given[i - 1] + 1);
    if (given.empty()) return;
    EXPECT_LE(given.front(), last + 1) << shard << " skipped records";
    last = std::max(last, given.back());
  }
  std::uint64_t delivered(const std::string& shard) {
    const std::lock_guard lock(mutex_);
    return delivered_[shard];
  }

 private:
  void tell_of_room() {
    {
      const std::lock_guard lock(mutex_);
      ++rooms_;
    }
    room_.notify_all();
  }

  const std::size_t largest_call_;
  std::mutex adding_, mutex_;
  std::condition_variable room_;
  std::atomic<std::uint64_t> rooms_ = 0;
  std::map<std::string, std::uint64_t> delivered_;

 public:
  RecordBuffer buffer;
};

// One shard, its place in the stream and its checkpoint, as the KCL sees it.
void produce(Scene& scene, const std::string& shard, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uint64_t checkpoint = 0, next = 1;
  ShardBufferId id = scene.buffer.create(shard);
  while (checkpoint < kRecordsPerShard && !testing::Test::HasFailure()) {
    const std::uint64_t left = kRecordsPerShard + 1 - next;
    if (const std::uint64_t count = std::min(left, random() % (kMostPerBatch + 1)); count > 0) {
      const auto given = batch(next, count);
      RecordBuffer::Reservation reservation;
      ASSERT_TRUE(scene.reserve(reservation, given->bytes() / 2)) << "no room for " << shard;
      ASSERT_TRUE(scene.reserve(reservation, given->bytes() - reservation.bytes()));
      EXPECT_TRUE(scene.end_call(reservation, id, given));
      next += count;
    } else {
      EXPECT_TRUE(scene.buffer.touch(id, 0));
      std::this_thread::yield();
    }
    if (const auto position = scene.buffer.to_checkpoint(id)) {
      const std::uint64_t reached = std::stoull(position->sequence_number);
      EXPECT_GT(reached, checkpoint);
      EXPECT_LE(reached, scene.delivered(shard)) << "checkpointed before it was processed";
      scene.buffer.checkpointed(id, *position);
      checkpoint = reached;
    }
    if (random() % 40 == 0) {  // the lease is lost, and comes back at once
      if (random() % 2 == 0) scene.buffer.invalidate(id);
      id = scene.buffer.create(shard);
      next = checkpoint + 1;
    }
  }
  scene.buffer.end(id, ShardEnd::shard_ended);
  scene.buffer.invalidate(id);
}

void consume(Scene& scene, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  while (auto lease = scene.buffer.acquire(20s)) {
    const auto given = numbers(scene.buffer.consume(*lease));
    if (random() % 10 == 0) {
      scene.buffer.roll_back(*lease);
      continue;
    }
    scene.deliver(lease->id().shard_id, given);
    if (random() % 20 == 0) continue;  // dies between the session's commit and this one
    scene.buffer.commit(*lease);
    if (random() % 2 == 0) scene.buffer.give_back(std::move(*lease));
  }
}

TEST(RecordBufferThreadsTest, ProducersAndConsumersWithLostLeasesLoseNothing) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("WEIR_SEED=" + std::to_string(seed));
  for (std::uint64_t i = 0; i < loops(1); ++i) {
    Scene scene;
    std::vector<std::jthread> producers, consumers;
    for (std::uint64_t k = 0; k < 3; ++k) {
      consumers.emplace_back([&scene, s = seed + i * 10 + k] { consume(scene, s); });
    }
    for (std::uint64_t k = 3; k < 7; ++k) {
      producers.emplace_back(
          [&scene, k, s = seed + i * 10 + k] { produce(scene, "shard-" + std::to_string(k), s); });
    }
    producers.clear();  // joins
    scene.buffer.close();
    consumers.clear();
    for (std::uint64_t k = 3; k < 7; ++k) {
      EXPECT_EQ(scene.delivered("shard-" + std::to_string(k)), kRecordsPerShard);
    }
    EXPECT_EQ(scene.buffer.used_bytes(), 0u);
  }
}

}  // namespace
}  // namespace weir::processors::kinesis
