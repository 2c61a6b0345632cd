#include "tests/engine/runtime/engine_fixture.h"

namespace weir::runtime::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kStraight = R"({
  "processors": {
    "source": {"type": "Source"},
    "pass": {"type": "Pass", "runDuration": "25 ms"},
    "sink": {"type": "Sink"}
  },
  "connections": ["source.success -> pass", "pass.success -> sink"]
})";

std::vector<std::string> numbers(int from, int to) {
  std::vector<std::string> all;
  for (int i = from; i < to; ++i) all.push_back(std::to_string(i));
  return all;
}

TEST(Controller, MovesFlowFilesInOrder) {
  Engine engine;
  for (const auto& problem : engine.load(kStraight)) ADD_FAILURE() << problem.to_string();
  engine.notes.to_generate = 100;
  engine.start();
  EXPECT_TRUE(
      engine.simulation.wait_until([&] { return engine.notes.seen.size() == 100; }, seconds(10)));
  EXPECT_EQ(engine.notes.seen, numbers(0, 100));
}

TEST(Controller, IdleEngineRunsNothing) {
  Engine engine;
  engine.load(kStraight);
  engine.start();
  engine.simulation.advance(seconds(1));
  const std::uint64_t operations = engine.files.operations();
  const auto triggers = engine.component("pass").triggers;
  engine.simulation.advance(seconds(10));
  EXPECT_EQ(engine.component("pass").triggers, triggers);
  EXPECT_EQ(engine.files.operations(), operations);
  EXPECT_LE(engine.component("source").triggers, 13u);  // its yield of a second
}

TEST(Controller, BackpressureHoldsTheSourceBack) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"}, "sink": {"type": "Sink", "state": "stopped"}},
    "connections": [{"from": "source.success", "to": "sink", "backpressure": {"count": 50}}]
  })");
  engine.notes.to_generate = 1000;
  engine.start();
  engine.simulation.advance(seconds(5));
  EXPECT_EQ(engine.notes.generated, 50);
  engine.controller->start_component(engine.component("sink").id);
  EXPECT_TRUE(
      engine.simulation.wait_until([&] { return engine.notes.seen.size() == 1000; }, seconds(60)));
  EXPECT_EQ(engine.notes.seen, numbers(0, 1000));
}

TEST(Controller, NothingCommittedIsLostByAKill) {
  Engine engine;
  engine.load(kStraight);
  engine.notes.to_generate = 500;
  engine.start();
  engine.simulation.run_ready(40);
  engine.kill_and_open();
  engine.load(engine.flow_text);
  engine.start();
  EXPECT_TRUE(engine.simulation.wait_until(
      [&] {
        return engine.notes.to_generate == 0 && engine.controller->status().queued_count == 0;
      },
      seconds(60)));
  engine.simulation.run_ready();
  std::set<std::string> seen(engine.notes.seen.begin(), engine.notes.seen.end());
  const auto expected = numbers(0, 500);
  EXPECT_EQ(seen, std::set<std::string>(expected.begin(), expected.end()));
}

TEST(Controller, ExceptionRollsBackPenalizesAndTells) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"},
                   "custom": {"type": "Custom", "penaltyDuration": "5 sec", "autoTerminate": ["b"]},
                   "sink": {"type": "Sink"}},
    "connections": ["source.success -> custom", "custom.a -> sink"]
  })");
  bool threw = false;
  engine.notes.trigger = [&](ProcessContext&, ProcessSession& session) {
    const FlowFile flow_file = session.get();
    if (!flow_file) return;
    if (!threw) {
      threw = true;
      throw ProcessException("cannot go on");
    }
    session.transfer(flow_file, "a");
  };
  engine.notes.to_generate = 3;
  engine.start();
  EXPECT_TRUE(
      engine.simulation.wait_until([&] { return engine.notes.seen.size() == 2; }, seconds(4)));
  EXPECT_EQ(engine.notes.seen, numbers(1, 3));
  ASSERT_EQ(engine.controller->bulletins().size(), 1u);
  EXPECT_EQ(engine.controller->bulletins()[0].message, "cannot go on");
  EXPECT_TRUE(
      engine.simulation.wait_until([&] { return engine.notes.seen.size() == 3; }, seconds(4)));
}

TEST(Controller, AFlowFileLeftBehindIsNamed) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"},
                   "custom": {"type": "Custom", "autoTerminate": ["a", "b"]}},
    "connections": [{"from": "source.success", "to": "custom", "name": "queue"}]
  })");
  engine.notes.trigger = [](ProcessContext&, ProcessSession& session) { session.get(); };
  engine.notes.to_generate = 1;
  engine.start();
  engine.simulation.advance(milliseconds(100));
  ASSERT_FALSE(engine.controller->bulletins().empty());
  EXPECT_THAT(engine.controller->bulletins()[0].message,
              ::testing::HasSubstr("was neither transferred nor removed"));
  EXPECT_EQ(engine.queued("queue"), 1u);
}

TEST(Controller, GracefulStopDrains) {
  Engine engine;
  engine.load(kStraight);
  engine.notes.to_generate = 100000;
  engine.start();
  engine.simulation.run_ready(50);
  EXPECT_TRUE(engine.controller->stop(seconds(10)));
  EXPECT_EQ(engine.notes.seen.size(), static_cast<std::size_t>(engine.notes.generated));
  EXPECT_EQ(engine.controller->status().queued_count, 0u);
}

TEST(Controller, TerminatedTriggerCommitsNothing) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"},
                   "custom": {"type": "Custom", "autoTerminate": ["a", "b"]}},
    "connections": [{"from": "source.success", "to": "custom", "name": "queue"}]
  })");
  // Terminates itself in mid-trigger, as the user does while a trigger hangs.
  engine.notes.trigger = [&](ProcessContext& context, ProcessSession& session) {
    const FlowFile flow_file = session.get();
    engine.controller->terminate_component(context.component_id());
    session.transfer(flow_file, "a");
  };
  engine.notes.to_generate = 1;
  engine.start();
  engine.simulation.advance(milliseconds(100));
  EXPECT_EQ(engine.component("custom").state, ComponentStatus::State::stopped);
  EXPECT_EQ(engine.queued("queue"), 1u);
  engine.notes.trigger = [](ProcessContext&, ProcessSession& session) {
    if (const FlowFile flow_file = session.get()) session.remove(flow_file);
  };
  engine.controller->start_component(engine.component("custom").id);
  engine.simulation.advance(seconds(1));
  EXPECT_EQ(engine.queued("queue"), 0u);
}

}  // namespace
}  // namespace weir::runtime::testing
