#include <atomic>
#include <thread>

#include "tests/repositories/provenance/store_support.h"

namespace weir::provenance {
namespace {

using namespace test;

class Threads : public World, public testing::Test {
 protected:
  Threads() {
    config.own_thread = true;
    config.rollover_bytes = 500;
  }
  void give_numbered(std::uint64_t number, std::uint64_t events) {
    std::vector<Event> batch;
    for (std::uint64_t n = 0; n < events; ++n) batch.push_back(simple(EventType::create, n));
    store->take(number, 1 + (number - 1) * events, static_cast<std::uint32_t>(events),
                encode({"c", "n", "T"}, batch));
  }
};

// R030: readers during a roll-over read one file by the index of another.
TEST_F(Threads, R030ReadersDuringRollOverSeeAGrowingWhole) {
  open();
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> taken = 0;
  const std::uint64_t commits = 300 * loops();
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&, read_only = reader == 1] {
      std::size_t last = 0;
      while (!done) {
        const auto least = taken.load();
        Query query;
        query.limit = 1'000'000;
        query.newest_first = false;
        const auto source =
            read_only ? open_provenance_read_only(files, config, findings) : nullptr;
        const auto events = (read_only ? *source : *store).query(query).events;
        for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events[i].id, i + 1);
        ASSERT_GE(events.size(), last);
        ASSERT_GE(events.size(), read_only ? 0 : least * 20);
        last = events.size();
      }
    });
  }
  std::thread flusher([&] {
    while (!done) {
      store->flush();
      std::this_thread::yield();
    }
  });
  for (std::uint64_t number = 1; number <= commits; ++number) {
    give_numbered(number, 20);
    taken = number;
    if (number % 25 == 0) store->flush();
  }
  store->flush();
  done = true;
  for (auto& reader : readers) reader.join();
  flusher.join();
  EXPECT_EQ(store->durable_sequence(), commits);
  EXPECT_EQ(all().size(), commits * 20);
  EXPECT_GT(event_files().size(), 1u);
  EXPECT_EQ(findings.size(), 0u);
}

TEST_F(Threads, RetentionBesideQueriesAndCommits) {
  config.max_storage_bytes = 20'000;
  open();
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) {
      const auto events = all(true);
      for (std::size_t i = 1; i < events.size(); ++i) ASSERT_LT(events[i].id, events[i - 1].id);
      store->lineage(uuid(1), 50);
      store->statistics();
    }
  });
  for (std::uint64_t number = 1; number <= 200; ++number) {
    give_numbered(number, 50);
    if (number % 10 == 0) {
      store->flush();
      store->maintain();
    }
  }
  done = true;
  reader.join();
  EXPECT_LT(store->statistics().bytes, 60'000u);
  EXPECT_EQ(findings.size(), 0u);
}

TEST_F(Threads, ABurstIsWrittenWithoutAnybodyFlushing) {
  open();
  for (std::uint64_t number = 1; number <= 400; ++number) give_numbered(number, 100);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (store->statistics().bytes == 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_GT(store->statistics().bytes, 0u);
  EXPECT_EQ(all().size(), 40'000u);
}

// Commits wait at the bound while the disk is full, and go on when there is room.
TEST_F(Threads, AFullDiskHoldsCommitsBackAndLosesNothing) {
  open();
  files.set_capacity(0);
  std::mt19937_64 random(1);
  std::string noise(1 << 20, '\0');
  for (auto& c : noise) c = static_cast<char>(random());
  Event large = simple(EventType::create, 1);
  large.details = noise;
  const auto batch = encode({"c", "n", "T"}, {large});
  std::atomic<std::uint64_t> taken = 0;
  std::thread taker([&] {
    for (std::uint64_t number = 1; number <= 80; ++number) {
      store->take(number, number, 1, batch);
      taken = number;
    }
  });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (taken < 60 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_THROW(store->flush(), storage::IoError);
  EXPECT_GE(taken, 60u);
  EXPECT_LT(taken, 70u);
  // Nobody flushes: who would may be waiting as well.
  files.set_capacity(UINT64_MAX);
  taker.join();
  store->flush();
  EXPECT_EQ(store->durable_sequence(), 80u);
  EXPECT_GE(findings.size(), 1u);
  Query query;
  query.limit = 100;
  EXPECT_EQ(store->query(query).events.size(), 80u);
}

TEST_F(Threads, PowerLostUnderTheThreadIsToldToTheFlusher) {
  open();
  give_numbered(1, 1);
  files.cut_power_at(1);
  EXPECT_THROW(store->flush(), storage::PowerLost);
  give_numbered(2, 1);
  EXPECT_THROW(store->flush(), storage::PowerLost);
}

}  // namespace
}  // namespace weir::provenance
