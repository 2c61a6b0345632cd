#include "engine/runtime/flow_copy.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "tests/engine/runtime/engine_fixture.h"
#include "tests/engine/runtime/queue_fixture.h"

namespace weir::runtime::testing {
namespace {

using storage::UnsyncedFate;
using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<std::string> archived(storage::FileSystem& files) {
  std::vector<std::string> contents;
  if (!files.status("/conf/archive")) return contents;
  for (const auto& entry : files.list("/conf/archive")) {
    if (entry.name.ends_with(".tmp")) continue;
    contents.push_back(*files.read_small(storage::Path("/conf/archive") / entry.name));
  }
  return contents;
}

TEST(FlowCopy, KeepsFormerVersionsByTime) {
  storage::FaultFileSystem files;
  TestClock clock;
  FlowCopy copy(files, clock, "/conf/flow.json", "/conf/archive");
  copy.save("one");
  copy.save("one");
  EXPECT_TRUE(archived(files).empty());
  copy.save("two");  // twice within a millisecond
  copy.save("three");
  clock.time_ms += 1000;
  copy.save("four");
  EXPECT_EQ(files.read_small("/conf/flow.json"), "four");
  EXPECT_EQ(archived(files), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(files.list("/conf/archive")[0].name, "20231114T221320.000Z_flow.json");
}

TEST(FlowCopy, KeepsABoundedNumber) {
  storage::FaultFileSystem files;
  TestClock clock;
  FlowCopy copy(files, clock, "/conf/flow.json", "/conf/archive");
  for (int i = 0; i < 150; ++i) {
    clock.time_ms += 1000;
    copy.save(std::to_string(i));
  }
  const auto kept = archived(files);
  ASSERT_EQ(kept.size(), FlowCopy::kept);
  EXPECT_EQ(kept.front(), "49");
  EXPECT_EQ(kept.back(), "148");
}

TEST(FlowCopy, NoArchiveWhereNoneIsWanted) {
  storage::FaultFileSystem files;
  TestClock clock;
  FlowCopy copy(files, clock, "/conf/flow.json", {});
  copy.save("one");
  copy.save("two");
  EXPECT_EQ(files.list("/conf").size(), 1u);
}

// R026: a flow file saved in a broken state kept the engine from starting.
TEST(FlowCopy, APowerCutLeavesTheOldOrTheNewFlow) {
  for (const auto fate :
       {UnsyncedFate::kept, UnsyncedFate::lost, UnsyncedFate::garbage, UnsyncedFate::mixed}) {
    for (std::uint64_t cut = 1;; ++cut) {
      storage::FaultFileSystem files(cut);
      TestClock clock;
      FlowCopy copy(files, clock, "/conf/flow.json", "/conf/archive");
      copy.save("first");
      copy.save("the old flow");
      clock.time_ms += 1000;
      files.cut_power_at(cut);
      bool done = false;
      try {
        copy.save("the new flow");
        done = true;
      } catch (const storage::PowerLost&) {
      }
      if (!files.power_lost()) {
        EXPECT_GT(cut, 5u);
        break;
      }
      files.restart(fate);
      const auto found = files.read_small("/conf/flow.json");
      ASSERT_TRUE(found == "the old flow" || (found == "the new flow")) << "cut " << cut;
      EXPECT_TRUE(!done || found == "the new flow");
      // The old flow is somewhere, whatever happened; each archived one is whole.
      for (const std::string& former : archived(files)) {
        EXPECT_TRUE(former == "first" || former == "the old flow") << former;
      }
      if (found == "the new flow") {
        EXPECT_THAT(archived(files), Contains("the old flow"));
      }
      copy.save("the new flow");
      EXPECT_EQ(files.read_small("/conf/flow.json"), "the new flow");
    }
  }
}

TEST(FlowCopy, AFullDiskLeavesTheOldFlowAndTheEngineRuns) {
  Engine engine;
  engine.config.flow_archive_directory = "/data/archive";
  const std::string first = R"({"processors": {"source": {"type": "Source",
                                                          "autoTerminate": ["success"]}}})";
  engine.load(first);
  const auto saved = engine.files.read_small("/data/flow.json");
  ASSERT_TRUE(saved);
  engine.kill_and_open();
  auto second = flow::read_flow(R"({"processors": {"source": {"type": "Source",
      "schedule": "1 sec", "autoTerminate": ["success"]}}})",
                                "test.json");
  ASSERT_TRUE(second);
  engine.files.fail(storage::FaultFileSystem::Operation::append, ENOSPC, 1);
  engine.controller->load(second->flow);
  EXPECT_EQ(engine.files.read_small("/data/flow.json"), saved);
  EXPECT_THAT(engine.messages(), Contains(HasSubstr("cannot be saved")));
  engine.kill_and_open();
  engine.controller->load(second->flow);
  EXPECT_NE(engine.files.read_small("/data/flow.json"), saved);
  ASSERT_EQ(engine.files.list("/data/archive").size(), 1u);
}

}  // namespace
}  // namespace weir::runtime::testing
