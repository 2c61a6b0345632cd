#include <gmock/gmock.h>

#include "tests/engine/runtime/engine_fixture.h"

namespace weir::runtime::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

// source -> [in -> work -> left -> out1 or out2] -> sinks, where `work` takes 100 ms a FlowFile.
std::string flow(const std::string& concurrency, const std::string& policy) {
  return R"({
    "processors": {"source": {"type": "Source"}, "sink": {"type": "Sink"}},
    "groups": {"inner": {
      "flowFileConcurrency": ")" +
         concurrency + R"(", "flowFileOutboundPolicy": ")" + policy + R"(",
      "inputPorts": ["in"], "outputPorts": ["out1", "out2"],
      "processors": {"work": {"type": "Custom", "schedule": "100 ms"}},
      "connections": [{"from": "in", "to": "work", "name": "inside"},
                      {"from": "work.a", "to": "out1", "name": "one"},
                      {"from": "work.b", "to": "out2", "name": "two"}]}},
    "connections": [{"from": "source.success", "to": "inner/in", "name": "waiting"},
                    {"from": "inner/out1", "to": "sink"}, {"from": "inner/out2", "to": "sink"}]
  })";
}

struct Gated {
  Gated(const std::string& concurrency, const std::string& policy) {
    for (const auto& problem : engine.load(flow(concurrency, policy))) {
      ADD_FAILURE() << problem.to_string();
    }
    engine.notes.trigger = [this](ProcessContext&, ProcessSession& session) {
      most_inside = std::max(most_inside,
                             engine.queued("inside") + engine.queued("one") + engine.queued("two"));
      most_worked = std::max(most_worked, engine.queued("one") + engine.queued("two"));
      const FlowFile flow_file = session.get();
      if (!flow_file) return;
      session.transfer(flow_file, done++ % 3 == 0 ? "a" : "b");
    };
    engine.notes.to_generate = 9;
    engine.start();
    EXPECT_TRUE(engine.run_until([this] { return engine.notes.seen.size() == 9; }));
    EXPECT_TRUE(engine.messages().empty());
  }
  Engine engine;
  std::uint64_t most_inside = 0;  // when work begins
  std::uint64_t most_worked = 0;  // at the output ports meanwhile
  int done = 0;
};

TEST(GroupGate, UnboundedLetsAllIn) {
  const Gated gated("UNBOUNDED", "BATCH_OUTPUT");
  EXPECT_EQ(gated.most_inside, 9u);
  EXPECT_EQ(gated.most_worked, 0u);  // the outbound policy means nothing here
}

TEST(GroupGate, OneFlowFileAtATime) {
  for (const char* policy : {"STREAM_WHEN_AVAILABLE", "BATCH_OUTPUT"}) {
    Gated gated("SINGLE_FLOWFILE_PER_NODE", policy);
    EXPECT_EQ(gated.most_inside, 1u);
    EXPECT_EQ(gated.engine.notes.seen,
              (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8"}));
  }
}

TEST(GroupGate, OneBatchAtATime) {
  const Gated gated("SINGLE_BATCH_PER_NODE", "STREAM_WHEN_AVAILABLE");
  EXPECT_EQ(gated.most_inside, 9u);
  EXPECT_EQ(gated.most_worked, 0u);
}

TEST(GroupGate, ABatchLeavesTogetherAndIsCounted) {
  Gated gated("SINGLE_BATCH_PER_NODE", "BATCH_OUTPUT");
  EXPECT_EQ(gated.most_worked, 8u);
  provenance::Query query;
  query.type = provenance::EventType::drop;
  const auto drops = gated.engine.controller->provenance().query(query).events;
  ASSERT_EQ(drops.size(), 9u);
  for (const auto& drop : drops) {
    EXPECT_EQ(*drop.attributes_after->find("batch.output.out1"), "3");
    EXPECT_EQ(*drop.attributes_after->find("batch.output.out2"), "6");
  }
}

TEST(GroupGate, AClosedGateCostsNothing) {
  Engine engine;
  engine.load(flow("SINGLE_FLOWFILE_PER_NODE", "STREAM_WHEN_AVAILABLE"));
  engine.notes.trigger = [](ProcessContext&, ProcessSession&) {};
  engine.notes.to_generate = 5;
  engine.start();
  engine.simulation.advance(seconds(1));
  EXPECT_EQ(engine.queued("inside"), 1u);
  EXPECT_EQ(engine.queued("waiting"), 4u);
  const auto triggers = engine.component("in").triggers;
  engine.simulation.advance(seconds(10));
  EXPECT_EQ(engine.component("in").triggers, triggers);
}

TEST(GroupGate, ARestartFindsTheGateAsItWas) {
  Engine engine;
  engine.load(flow("SINGLE_FLOWFILE_PER_NODE", "STREAM_WHEN_AVAILABLE"));
  engine.notes.trigger = [](ProcessContext&, ProcessSession&) {};
  engine.notes.to_generate = 5;
  engine.start();
  engine.simulation.advance(seconds(1));
  engine.kill_and_open();
  engine.load(engine.flow_text);
  engine.start();
  engine.simulation.advance(seconds(1));
  EXPECT_EQ(engine.queued("inside"), 1u);
  engine.notes.trigger = [](ProcessContext&, ProcessSession& session) {
    if (const FlowFile flow_file = session.get()) session.transfer(flow_file, "a");
  };
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 5; }));
}

}  // namespace
}  // namespace weir::runtime::testing
