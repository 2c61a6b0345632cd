#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/tools/engine_run.h"

namespace weir::tools::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Run, TheExampleFlowWritesWhatWasDroppedIn) {
  EngineRun engine;
  engine.start();
  engine.pass_file("a.txt", "one\ntwo\nthree\n");
  engine.pass_file("b.txt", "four\n");
  EXPECT_FALSE(std::filesystem::exists(engine.folder() / "weir-data/in/a.txt"));
  const Result result = engine.stop();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("stopping"), HasSubstr("stopped; all queues are empty"),
                                Not(HasSubstr("\x1b"))));
}

TEST(Run, GoesOnAfterAKill) {
  EngineRun engine;
  engine.start();
  engine.pass_file("a.txt", "one\ntwo\n");
  engine.kill();
  engine.start();
  engine.pass_file("b.txt", "three\n");
  EXPECT_EQ(engine.stop().exit_code, 0);
  EXPECT_EQ(engine.weirctl({"repo", "check"}).exit_code, 0);
  const Result events = engine.weirctl({"provenance", "list", "--type", "RECEIVE"});
  EXPECT_THAT(events.out, AllOf(HasSubstr("a.txt"), HasSubstr("b.txt")));
}

TEST(Run, ASecondEngineOnTheSameDirectoryIsRefused) {
  EngineRun engine;
  engine.start();
  const Result second = run(engine.folder().path(), engine.arguments());
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("in use by process " + std::to_string(engine.engine().id())));
  engine.pass_file("a.txt", "still works\n");
  EXPECT_EQ(engine.stop().exit_code, 0);
}

// A queue that nobody empties keeps a graceful stop waiting.
constexpr const char* kStuckFlow = R"({
  "processors": {
    "make": {"type": "GenerateFlowFile", "schedule": "1 hour", "properties": {"File Size": "10 B"}},
    "log": {"type": "LogAttribute", "state": "stopped", "autoTerminate": ["success"]}
  },
  "connections": ["make.success -> log"]
})";

TEST(Run, WhatIsQueuedAtAStopIsThereAtTheNextStart) {
  const Folder folder;
  folder.write("stuck.json", kStuckFlow);
  for (int start = 1; start <= 2; ++start) {
    Program engine(folder.path(), {"weir", "run", "stuck.json", "--set",
                                   "nifi.flowcontroller.graceful.shutdown.period=0 sec"});
    ASSERT_TRUE(eventually([&] {
      return engine.err().find("queued " + std::to_string(start) + " ") != std::string::npos;
    })) << engine.err();
    engine.signal(SIGINT);
    const Result result = engine.finish();
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("stopped; " + std::to_string(start) + " FlowFiles stay queued"),
                      Not(HasSubstr("error"))));
    const Result list = run(folder.path(), {"weirctl", "queue", "list", "--json"});
    EXPECT_THAT(list.out, HasSubstr("\"count\":" + std::to_string(start)));
  }
}

TEST(Run, ASecondSignalStopsAtOnce) {
  const Folder folder;
  folder.write("stuck.json", kStuckFlow);
  Program engine(folder.path(), {"weir", "run", "stuck.json", "--set",
                                 "nifi.flowcontroller.graceful.shutdown.period=1 hour"});
  ASSERT_TRUE(eventually([&] { return engine.err().find("queued 1 ") != std::string::npos; }))
      << engine.err();
  engine.signal(SIGTERM);
  ASSERT_TRUE(eventually([&] { return engine.err().find("stopping") != std::string::npos; }));
  // Signals in quick succession count as one, so it is asked again and again.
  ASSERT_TRUE(eventually([&] {
    engine.signal(SIGTERM);
    return engine.err().find("stopped at once") != std::string::npos;
  }));
  EXPECT_EQ(engine.finish(10s).exit_code, 1);
}

TEST(Run, AnInvalidComponentDoesNotKeepTheOthersFromRunning) {
  const Folder folder;
  folder.write("partly.json", R"({
    "processors": {
      "make": {"type": "GenerateFlowFile", "schedule": "1 hour"},
      "log": {"type": "LogAttribute", "autoTerminate": ["success"]},
      "odd": {"type": "NoSuchProcessor"}
    },
    "connections": ["make.success -> log"]
  })");
  Program engine(folder.path(), {"weir", "run", "partly.json"});
  ASSERT_TRUE(eventually([&] { return engine.err().find("hops") != std::string::npos; }))
      << engine.err();
  EXPECT_THAT(engine.err(), AllOf(HasSubstr("partly.json:5:"), HasSubstr("NoSuchProcessor")));
  engine.signal(SIGTERM);
  EXPECT_EQ(engine.finish().exit_code, 0);
}

TEST(Run, NeverWritesOverTheFlowFileItRuns) {
  const Folder folder;
  folder.write("conf/flow.json", kStuckFlow);
  Program engine(folder.path(), {"weir", "run", "conf/flow.json", "--set",
                                 "nifi.flow.configuration.file=./conf/flow.json", "--set",
                                 "nifi.flowcontroller.graceful.shutdown.period=0 sec"});
  ASSERT_TRUE(eventually([&] { return engine.err().find("connections") != std::string::npos; }));
  engine.signal(SIGTERM);
  EXPECT_EQ(engine.finish().exit_code, 0);
  EXPECT_EQ(read_file(folder / "conf/flow.json"), kStuckFlow);
}

TEST(Run, TakesOverChangedParametersWithoutARestart) {
  const Folder folder;
  folder.write("target.txt", "first\n");
  folder.write("flow.json", R"({
    "parameters": {"target": {"file": "target.txt"}},
    "processors": {
      "make": {"type": "GenerateFlowFile", "schedule": "50 ms", "properties": {
        "Custom Text": "written to #{target} by ${literal(6):plus(1)}"}},
      "put": {"type": "PutFile", "properties": {"Directory": "#{target}"},
              "autoTerminate": ["success", "failure"]}
    },
    "connections": ["make.success -> put"]
  })");
  Program engine(folder.path(), {"weir", "run", "flow.json", "--set",
                                 "nifi.flowcontroller.graceful.shutdown.period=0 sec"});
  const auto has_files = [&](const char* name) {
    return std::filesystem::exists(folder / name) && !std::filesystem::is_empty(folder / name);
  };
  ASSERT_TRUE(eventually([&] { return has_files("first"); })) << engine.err();
  folder.write("target.txt", "second\n");
  engine.signal(SIGUSR1);
  ASSERT_TRUE(eventually([&] { return has_files("second"); })) << engine.err();
  const auto one = std::filesystem::directory_iterator(folder / "second")->path();
  EXPECT_THAT(read_file(one), HasSubstr("written to second by 7"));
  engine.signal(SIGTERM);
  EXPECT_EQ(engine.finish().exit_code, 0);
}

}  // namespace
}  // namespace weir::tools::testing
