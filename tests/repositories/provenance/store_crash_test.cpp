#include "tests/repositories/provenance/store_support.h"

namespace weir::provenance {
namespace {

using namespace test;
using storage::FaultFileSystem;
using storage::UnsyncedFate;

// Commits, flushes, roll-overs, retention and a restart.
void work(World& world) {
  world.open();
  for (std::uint64_t i = 1; i <= 12; ++i) {
    world.commit({simple(EventType::create, i), simple(EventType::drop, i)});
    if (i % 2 == 0) world.flush();
    world.checkpoint();
    if (i == 7) world.open();
    if (i == 10) world.store->maintain();
  }
}

// Cut at the n-th operation, for every n; afterwards each committed event is there once, also
// after one more restart.
void sweep(UnsyncedFate fate, bool kill, std::uint64_t start) {
  for (std::uint64_t cut = 1;; ++cut) {
    SCOPED_TRACE("cut at " + std::to_string(cut) + ", seed " + std::to_string(start));
    World world(start + cut);
    world.config.rollover_bytes = 700;
    world.files.cut_power_at(cut);
    bool finished = false;
    try {
      work(world);
      finished = true;
    } catch (const storage::PowerLost&) {
    }
    world.checkpoint_if_open();
    world.store.reset();
    kill ? world.files.kill_process() : world.files.restart(fate);
    world.open();
    world.expect_all();
    world.commit({simple(EventType::create, 100)});
    world.flush();
    world.expect_all();
    world.files.restart(UnsyncedFate::lost);
    world.open();
    world.expect_all();
    for (const auto& finding : world.findings.all) {
      EXPECT_EQ(finding.what.find("are missing"), std::string::npos) << finding.what;
    }
    if (testing::Test::HasFailure() || finished) return;
  }
}

TEST(StoreCrash, PowerCutAtEveryOperationKeepsEachEventOnce) {
  const auto start = seed(21);
  RecordProperty("seed", std::to_string(start));
  for (const auto fate :
       {UnsyncedFate::kept, UnsyncedFate::lost, UnsyncedFate::garbage, UnsyncedFate::mixed}) {
    sweep(fate, false, start);
  }
  for (std::uint64_t round = 1; round < 5 * loops(); ++round) {
    sweep(UnsyncedFate::mixed, false, start + round * 1000);
  }
}

TEST(StoreCrash, KilledAtEveryOperationKeepsEachEventOnce) {
  sweep(UnsyncedFate::kept, true, 5);
}

// Killed: written, not synced. What is called durable after the restart must be so.
TEST(StoreCrash, KilledThenPowerLostKeepsEachEventOnce) {
  World world;
  world.open();
  world.commit({simple(EventType::create, 1)});
  world.files.fail(FaultFileSystem::Operation::sync, EIO);
  EXPECT_THROW(world.store->flush(), storage::IoError);
  world.store.reset();
  world.files.kill_process();
  world.open();
  world.flush();
  world.store.reset();
  world.files.restart(UnsyncedFate::lost);
  world.open();
  world.expect_all();
}

TEST(StoreCrash, DiskFullThenSpaceAgainLosesNothing) {
  World world;
  world.open();
  world.commit({simple(EventType::create, 1)});
  world.flush();
  world.files.set_capacity(0);
  for (std::uint64_t i = 2; i < 10; ++i) {
    world.commit({simple(EventType::create, i)});
    EXPECT_THROW(world.store->flush(), storage::IoError);
    world.expect_all();
    EXPECT_EQ(world.store->durable_sequence(), 1u);
  }
  world.files.set_capacity(UINT64_MAX);
  world.flush();
  EXPECT_EQ(world.store->durable_sequence(), 9u);
  world.expect_all();
  world.store.reset();
  world.files.restart(UnsyncedFate::lost);
  world.open();
  world.expect_all();
  EXPECT_EQ(world.event_files().size(), 1u);
}

TEST(StoreCrash, AFullDiskAtTheFirstFileLosesNothing) {
  World world;
  world.open();
  world.files.set_capacity(10);
  world.commit({simple(EventType::create, 1)});
  for (int i = 0; i < 3; ++i) EXPECT_THROW(world.store->flush(), storage::IoError);
  world.files.set_capacity(UINT64_MAX);
  world.flush();
  world.expect_all();
  EXPECT_EQ(world.event_files().size(), 1u);
}

// Any operation may fail once, or a few times; the next flush makes it good.
TEST(StoreCrash, FailedOperationsAreMadeGood) {
  using Operation = FaultFileSystem::Operation;
  for (const auto operation :
       {Operation::append, Operation::sync, Operation::create, Operation::sync_directory}) {
    for (const std::uint64_t count : {1u, 2u, 3u}) {
      for (int before = 0; before < 4; ++before) {
        SCOPED_TRACE(std::to_string(static_cast<int>(operation)) + " " + std::to_string(count) +
                     " " + std::to_string(before));
        World world;
        world.config.rollover_bytes = 900;
        world.open();
        for (int i = 0; i < before; ++i) {
          world.commit({simple(EventType::create, 1)});
          world.flush();
        }
        world.commit({simple(EventType::create, 2)});
        world.files.fail(operation, EIO, count);
        for (int attempt = 0; attempt < 4; ++attempt) {
          try {
            world.flush();
          } catch (const storage::IoError&) {
          }
          world.expect_all();
          world.commit({simple(EventType::create, 3)});
        }
        world.files.fail(operation, 0, 0);
        world.flush();
        EXPECT_EQ(world.store->durable_sequence(), world.journal.size());
        world.expect_all();
        world.store.reset();
        world.files.restart(UnsyncedFate::garbage);
        world.open();
        world.expect_all();
      }
    }
  }
}

}  // namespace
}  // namespace weir::provenance
