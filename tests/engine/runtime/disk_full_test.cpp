// A disk that is full or fails, seen from the whole engine.
#include <gmock/gmock.h>

#include <cerrno>

#include "tests/engine/runtime/engine_fixture.h"
#include "tests/engine/runtime/session_rig.h"

namespace weir::runtime::testing {
namespace {

using Operation = storage::FaultFileSystem::Operation;
using std::chrono::seconds;

constexpr const char* kFlow = R"({
  "processors": {
    "source": {"type": "Source", "yieldDuration": "100 ms"},
    "pass": {"type": "Pass", "runDuration": "25 ms", "penaltyDuration": "1 sec"},
    "sink": {"type": "Sink", "penaltyDuration": "1 sec"}
  },
  "connections": ["source.success -> pass", "pass.success -> sink"]
})";

// Every FlowFile that the source made arrives once, in the end; `generated` counts those of
// sessions that were rolled back as well.
void expect_goes_on(Engine& engine, const std::string& fault) {
  const auto arrived_before = engine.notes.seen.size();
  engine.notes.to_generate = 20;
  EXPECT_TRUE(engine.run_until(
      [&] {
        return engine.notes.to_generate == 0 && engine.controller->status().queued_count == 0 &&
               engine.notes.seen.size() >= arrived_before + 20;
      },
      seconds(300)))
      << fault;
  std::vector<std::string> seen = engine.notes.seen;
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << fault;
}

TEST(DiskFull, EngineGoesOnWhenThereIsRoom) {
  for (const bool always_sync : {false, true}) {
    for (const auto operation : {Operation::append, Operation::create, Operation::rename}) {
      for (const int error : {ENOSPC, EIO}) {
        const std::string fault = "operation " + std::to_string(static_cast<int>(operation)) +
                                  " errno " + std::to_string(error) +
                                  (always_sync ? " always.sync" : "");
        SCOPED_TRACE(fault);
        Engine engine;
        engine.config.flow_files.always_sync = always_sync;
        engine.config.contents.always_sync = always_sync;
        engine.config.administrative_yield = seconds(1);
        engine.load(kFlow);
        engine.start();
        expect_goes_on(engine, fault);
        engine.files.fail(operation, error, 7);
        engine.notes.to_generate = 50;
        engine.simulation.advance(seconds(10));
        engine.files.fail(operation, error, 0);
        engine.simulation.advance(seconds(120));
        expect_goes_on(engine, fault);
        // What another process finds is what this one had.
        const auto queued = engine.controller->status().queued_count;
        engine.kill_and_open();
        engine.load(kFlow);
        EXPECT_EQ(engine.controller->status().queued_count, queued);
        EXPECT_TRUE(engine.controller->findings().empty());
      }
    }
  }
}

TEST(DiskFull, IsTold) {
  Engine engine;
  engine.load(kFlow);
  engine.start();
  engine.files.fail(Operation::append, ENOSPC, 1000000);
  engine.notes.to_generate = 50;
  engine.simulation.advance(seconds(3));
  EXPECT_TRUE(engine.notes.seen.empty());
  EXPECT_THAT(engine.messages(), ::testing::Contains(::testing::HasSubstr("No space left")));
  EXPECT_EQ(engine.controller->status().queued_count, 0u);
  engine.files.fail(Operation::append, ENOSPC, 0);
  expect_goes_on(engine, "append");
}

// What the disk holds after a sync that failed is not known: nothing more is committed, the engine
// says so, and the next start has every commit that this one acknowledged.
TEST(DiskFull, AFailedSyncAsksForARestart) {
  Engine engine;
  engine.load(kFlow);
  engine.start();
  expect_goes_on(engine, "before");
  engine.controller->stop_component(engine.component("sink").id, seconds(1));
  engine.notes.to_generate = 30;
  EXPECT_TRUE(engine.run_until([&] { return engine.queued("pass -> sink") == 30; }));
  engine.files.fail(Operation::sync, EIO, 100);
  engine.simulation.advance(seconds(10));
  EXPECT_THAT(engine.messages(), ::testing::Contains(::testing::HasSubstr("restart the engine")));
  const auto seen_before = engine.notes.seen.size();
  engine.controller->start_component(engine.component("sink").id);
  engine.simulation.advance(seconds(5));
  EXPECT_EQ(engine.notes.seen.size(), seen_before);
  engine.files.fail(Operation::sync, EIO, 0);
  engine.kill_and_open();
  engine.load(kFlow);
  EXPECT_EQ(engine.queued("pass -> sink"), 30u);
  engine.start();
  expect_goes_on(engine, "after the restart");
}

// Whatever order they were transferred in.
TEST(DiskFull, AFailedCommitGivesFlowFilesBackInTheirOrder) {
  SessionRig rig;
  rig.feed(4);
  rig.trigger([&](ProcessSession& session) {
    const auto all = session.get(4);
    for (auto flow_file = all.rbegin(); flow_file != all.rend(); ++flow_file) {
      session.transfer(*flow_file, "a");
    }
    rig.engine.files.fail(Operation::append, ENOSPC, 1);
  });
  EXPECT_EQ(rig.engine.queued("in"), 4u);
  EXPECT_TRUE(rig.events().empty());
  rig.trigger([](ProcessSession& session) {
    for (const FlowFile& flow_file : session.get(4)) session.transfer(flow_file, "a");
  });
  EXPECT_EQ(rig.sent(), (std::vector<std::string>{"0", "1", "2", "3"}));
}

TEST(DiskFull, SourcesWaitForRoom) {
  Engine engine;
  engine.files.set_capacity(1u << 20);
  engine.load(kFlow);
  engine.start();
  expect_goes_on(engine, "with room");
  {
    const auto filler = engine.files.open_append("/data/filler", storage::FileSystem::Create::keep);
    const std::vector<std::byte> block(1024);
    try {
      for (;;) filler->append(block);
    } catch (const storage::IoError& error) {
      EXPECT_TRUE(error.disk_full());
    }
  }
  engine.simulation.advance(seconds(10));  // what it knows of the disk is that old at most
  EXPECT_FALSE(engine.controller->contents().has_room());
  const auto triggers = engine.component("source").triggers;
  engine.notes.to_generate = 10;
  engine.simulation.advance(seconds(30));
  EXPECT_LE(engine.component("source").triggers, triggers + 1);
  engine.files.remove("/data/filler");
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() >= 30; }, seconds(60)));
}

}  // namespace
}  // namespace weir::runtime::testing
