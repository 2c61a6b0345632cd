// What connections do to the scheduling of a node: backpressure, loops, retries, tasks.
#include <gmock/gmock.h>

#include "tests/engine/runtime/engine_fixture.h"
#include "tests/engine/runtime/session_rig.h"

namespace weir::runtime::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

TEST(NodeFlow, BackpressureBySize) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"}, "sink": {"type": "Sink", "state": "stopped"}},
    "connections": [{"from": "source.success", "to": "sink", "name": "q",
                     "backpressure": {"count": 0, "size": "25 B"}}]
  })");
  engine.notes.to_generate = 1000;
  engine.start();
  engine.simulation.advance(seconds(5));
  // Ten single digits, then ten of two digits: 30 bytes.
  EXPECT_EQ(engine.queued("q"), 20u);
}

TEST(NodeFlow, ATriggerUsesEveryTask) {
  SessionRig rig("Custom", R"(, "concurrentTasks": 4)");
  rig.engine.notes.trigger = [&](ProcessContext&, ProcessSession& session) {
    EXPECT_LE(rig.engine.component("custom").active_tasks, 4);
    if (const FlowFile flow_file = session.get()) session.transfer(flow_file, "a");
  };
  rig.engine.notes.to_generate = 100;
  EXPECT_TRUE(rig.engine.run_until([&] { return rig.engine.queued("a") == 100; }));
  EXPECT_EQ(rig.engine.component("custom").flow_files_in, 100u);
  EXPECT_EQ(rig.engine.component("custom").flow_files_out, 100u);
}

TEST(NodeFlow, RunDurationGathersTriggersIntoOneCommit) {
  const auto commits = [](const std::string& keys) {
    SessionRig rig("Batch", keys);
    rig.engine.controller->stop_component(rig.engine.component("custom").id, seconds(1));
    rig.engine.notes.to_generate = 1000;
    EXPECT_TRUE(rig.engine.run_until([&] { return rig.engine.queued("in") == 1000; }));
    rig.engine.notes.trigger = [&](ProcessContext&, ProcessSession& session) {
      if (const FlowFile flow_file = session.get()) session.transfer(flow_file, "a");
    };
    const std::uint64_t before = rig.engine.controller->status().commits;
    rig.engine.controller->start_component(rig.engine.component("custom").id);
    EXPECT_TRUE(rig.engine.run_until([&] { return rig.engine.queued("a") == 1000; }));
    return rig.engine.controller->status().commits - before;
  };
  EXPECT_LT(commits(R"(, "runDuration": "25 ms")"), 10u);
  EXPECT_EQ(commits(R"(, "runDuration": "0 ms")"), 1000u);
}

struct Retry {
  explicit Retry(const std::string& backoff)
      : rig("Custom", R"(, "retry": {"relationships": ["b"], "count": 3, "backoff": ")" + backoff +
                          R"(", "maxBackoff": "15 sec"})") {
    rig.engine.notes.trigger = [this](ProcessContext& context, ProcessSession& session) {
      const FlowFile flow_file = session.get();
      if (!flow_file) return;
      at_ms.push_back(rig.engine.simulation.now_ms());
      counters.push_back(flow_file.attribute("retryCount." + context.component_id()).value_or("-"));
      const FlowFile child = session.create(flow_file);
      session.transfer(child, "a");
      session.put_attribute(flow_file, "changed", "yes");
      session.transfer(flow_file, "b");
    };
    rig.engine.notes.to_generate = 1;
    EXPECT_TRUE(rig.engine.run_until([this] { return at_ms.size() == 4; }, seconds(120)));
    rig.engine.simulation.advance(seconds(60));
  }
  SessionRig rig;
  std::vector<std::int64_t> at_ms;
  std::vector<std::string> counters;
};

TEST(NodeFlow, RetriesByPenaltyThenSendsOn) {
  Retry retry("penalize");
  EXPECT_THAT(retry.counters, ElementsAre("-", "1", "2", "3"));
  // 5, 10 and, instead of 20, at most 15 seconds.
  EXPECT_EQ(retry.at_ms[1] - retry.at_ms[0], 5000);
  EXPECT_EQ(retry.at_ms[2] - retry.at_ms[1], 10000);
  EXPECT_EQ(retry.at_ms[3] - retry.at_ms[2], 15000);
  EXPECT_EQ(retry.rig.engine.queued("a"), 1u) << "children of retried triggers are taken back";
  EXPECT_EQ(retry.rig.engine.queued("in"), 0u);
  const auto events = retry.rig.events();
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().type, provenance::EventType::drop);
  for (const auto& [name, value] : events.back().attributes_after->entries()) {
    EXPECT_FALSE(name.starts_with("retryCount.")) << name;
  }
}

TEST(NodeFlow, RetriesByYield) {
  Retry retry("yield");
  EXPECT_THAT(retry.counters, ElementsAre("-", "1", "2", "3"));
  EXPECT_EQ(retry.at_ms[1] - retry.at_ms[0], 5000);
  EXPECT_EQ(retry.at_ms[2] - retry.at_ms[1], 10000);
}

// A connection that always has FlowFiles kept the others from being looked at.
TEST(NodeFlow, NoConnectionStarvesAnother) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"}, "other": {"type": "Source", "state": "stopped"},
                   "sink": {"type": "Sink", "state": "stopped"}},
    "connections": [{"from": "source.success", "to": "sink", "name": "many"},
                    {"from": "other.success", "to": "sink", "name": "few"}]
  })");
  engine.notes.to_generate = 2000;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return engine.queued("many") == 2000; }));
  EXPECT_TRUE(engine.controller->stop_component(engine.component("source").id, seconds(1)));
  engine.notes.to_generate = 10;
  engine.controller->start_component(engine.component("other").id);
  EXPECT_TRUE(engine.run_until([&] { return engine.queued("few") == 10; }));
  engine.controller->start_component(engine.component("sink").id);
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 2010; }));
  const auto last_of_few =
      std::find(engine.notes.seen.begin(), engine.notes.seen.end(), std::string("2009"));
  EXPECT_LT(last_of_few - engine.notes.seen.begin(), 1000);
}

TEST(NodeFlow, AConnectionToItselfNeverHoldsItBack) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"},
                   "custom": {"type": "Custom", "autoTerminate": ["b"]}},
    "connections": [{"from": "source.success", "to": "custom", "name": "in"},
                    {"from": "custom.a", "to": "custom", "name": "self",
                     "backpressure": {"count": 1}}]
  })");
  engine.notes.trigger = [](ProcessContext&, ProcessSession& session) {
    const FlowFile flow_file = session.get();
    if (!flow_file) return;
    const int round = std::stoi(flow_file.attribute("round").value_or("0"));
    session.put_attribute(flow_file, "round", std::to_string(round + 1));
    session.transfer(flow_file, round < 5 ? "a" : "b");
  };
  engine.notes.to_generate = 100;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] {
    return engine.notes.generated == 100 && engine.controller->status().queued_count == 0;
  }));
}

// R043: two steps that send to each other stood still for ever once both queues were full.
TEST(NodeFlow, ALoopOfTwoDoesNotLockUp) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"},
                   "first": {"type": "Custom", "autoTerminate": ["b"]},
                   "second": {"type": "Custom", "autoTerminate": ["b"]}},
    "connections": [{"from": "source.success", "to": "first", "backpressure": {"count": 20}},
                    {"from": "first.a", "to": "second", "backpressure": {"count": 20}},
                    {"from": "second.a", "to": "first", "backpressure": {"count": 20}}]
  })");
  engine.notes.trigger = [](ProcessContext& context, ProcessSession& session) {
    const FlowFile flow_file = session.get();
    if (!flow_file) return;
    const int round = std::stoi(flow_file.attribute("round").value_or("0"));
    session.put_attribute(flow_file, "round", std::to_string(round + 1));
    const bool out = context.component_name() == "second" && round > 8;
    session.transfer(flow_file, out ? "b" : "a");
  };
  engine.notes.to_generate = 1000;
  engine.start();
  EXPECT_TRUE(engine.run_until(
      [&] {
        return engine.notes.generated == 1000 && engine.controller->status().queued_count == 0;
      },
      seconds(600)));
}

TEST(NodeFlow, AnyDestinationWithRoomIsEnough) {
  for (const bool any : {false, true}) {
    Engine engine;
    engine.load(std::string(R"({
      "processors": {"source": {"type": "Source"},
                     "custom": {"type": ")") +
                (any ? "AnyDestination" : "Custom") + R"("},
                     "full": {"type": "Sink", "state": "stopped"}, "sink": {"type": "Sink"}},
      "connections": [{"from": "source.success", "to": "custom", "name": "in"},
                      {"from": "custom.a", "to": "full", "name": "full",
                       "backpressure": {"count": 5}},
                      {"from": "custom.b", "to": "sink"}]
    })");
    engine.notes.trigger = [](ProcessContext& context, ProcessSession& session) {
      const FlowFile flow_file = session.get();
      if (!flow_file) return;
      session.transfer(flow_file, context.available_relationships().contains("a") ? "a" : "b");
    };
    engine.notes.to_generate = 20;
    engine.start();
    engine.simulation.advance(seconds(5));
    EXPECT_EQ(engine.queued("full"), 5u);
    EXPECT_EQ(engine.notes.seen.size(), any ? 15u : 0u);
  }
}

}  // namespace
}  // namespace weir::runtime::testing
