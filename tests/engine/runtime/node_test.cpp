#include <gmock/gmock.h>

#include "tests/engine/runtime/engine_fixture.h"

namespace weir::runtime::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using State = ComponentStatus::State;
using std::chrono::milliseconds;
using std::chrono::seconds;

// One `Custom` without input, with these further keys, that notes when it is triggered.
struct Ticker {
  explicit Ticker(const std::string& keys) {
    engine.load(R"({"processors": {"custom": {"type": "Custom", "autoTerminate": ["a", "b"], )" +
                keys + "}}}");
    engine.notes.trigger = [this](ProcessContext& context, ProcessSession& session) {
      at_ms.push_back(engine.simulation.now_ms() - start_ms);
      if (then) then(context, session);
    };
    start_ms = engine.simulation.now_ms();
    engine.start();
  }
  Engine engine;
  std::int64_t start_ms = 0;
  std::vector<std::int64_t> at_ms;
  std::function<void(ProcessContext&, ProcessSession&)> then;
};

TEST(Node, RunsAtItsPeriod) {
  Ticker ticker(R"("schedule": "2 sec")");
  ticker.engine.simulation.advance(seconds(7));
  EXPECT_THAT(ticker.at_ms, ElementsAre(0, 2000, 4000, 6000));
}

TEST(Node, EachTaskHasItsPeriod) {
  Ticker ticker(R"("schedule": "2 sec", "concurrentTasks": 3)");
  ticker.engine.simulation.advance(seconds(3));
  EXPECT_THAT(ticker.at_ms, ElementsAre(0, 0, 0, 2000, 2000, 2000));
}

// R034: after a run that threw a cron rule never fired again.
TEST(Node, CronFiresAgainAfterAThrow) {
  Ticker ticker(R"("schedule": {"cron": "*/2 * * * * ?"}, "yieldDuration": "1 sec")");
  ticker.then = [&](ProcessContext&, ProcessSession&) {
    if (ticker.at_ms.size() == 3) throw ProcessException("the third run");
  };
  ticker.engine.simulation.advance(seconds(11));
  EXPECT_THAT(ticker.at_ms, ElementsAre(2000, 4000, 6000, 8000, 10000));
  EXPECT_THAT(ticker.engine.messages(), ElementsAre("the third run"));
  EXPECT_EQ(ticker.engine.component("custom").failures, 1u);
}

TEST(Node, CronTimesWhileYieldingPass) {
  Ticker ticker(R"("schedule": {"cron": "*/2 * * * * ?"}, "yieldDuration": "3 sec")");
  ticker.then = [](ProcessContext& context, ProcessSession&) { context.yield(); };
  ticker.engine.simulation.advance(seconds(11));
  EXPECT_THAT(ticker.at_ms, ElementsAre(2000, 6000, 10000));
}

TEST(Node, CronTimesWithoutInputAreNotMadeUpFor) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source", "state": "stopped"},
                   "sink": {"type": "Sink", "schedule": {"cron": "0 * * * * ?"}}},
    "connections": ["source.success -> sink"]
  })");
  engine.start();
  engine.simulation.advance(seconds(90));
  engine.notes.to_generate = 1;
  engine.controller->start_component(engine.component("source").id);
  const std::int64_t before_ms = engine.simulation.now_ms();
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 1; }, seconds(120)));
  EXPECT_EQ(engine.simulation.now_ms() % 60000, 0);
  EXPECT_GT(engine.simulation.now_ms(), before_ms);
}

TEST(Node, YieldsAsLongAsItSays) {
  Ticker ticker(R"("yieldDuration": "3 sec")");
  ticker.then = [](ProcessContext& context, ProcessSession&) { context.yield(); };
  ticker.engine.simulation.advance(seconds(7));
  EXPECT_THAT(ticker.at_ms, ElementsAre(0, 3000, 6000));
}

TEST(Node, IsBoredWithoutWork) {
  Ticker ticker(R"("yieldDuration": "3 sec")");
  ticker.engine.simulation.advance(milliseconds(35));
  EXPECT_THAT(ticker.at_ms, ElementsAre(0, 10, 20, 30));
}

TEST(Node, AnUnexpectedExceptionYieldsAdministratively) {
  Ticker ticker(R"("yieldDuration": "1 sec")");
  ticker.then = [](ProcessContext&, ProcessSession&) { throw std::logic_error("a bug"); };
  ticker.engine.simulation.advance(seconds(61));
  EXPECT_THAT(ticker.at_ms, ElementsAre(0, 30000, 60000));
  EXPECT_THAT(ticker.engine.messages(), Contains("a bug"));
}

TEST(Node, ANewStartForgetsTheYield) {
  Ticker ticker(R"("yieldDuration": "1 hour")");
  ticker.then = [](ProcessContext& context, ProcessSession&) { context.yield(); };
  ticker.engine.simulation.advance(seconds(5));
  const std::string id = ticker.engine.component("custom").id;
  EXPECT_TRUE(ticker.engine.controller->stop_component(id, seconds(1)));
  ticker.engine.controller->start_component(id);
  ticker.engine.simulation.advance(seconds(1));
  EXPECT_THAT(ticker.at_ms, SizeIs(2));
}

TEST(Node, BulletinsAreBounded) {
  Ticker ticker(R"("schedule": "1 ms")");
  ticker.then = [](ProcessContext& context, ProcessSession&) {
    for (int i = 0; i < 10; ++i) context.log().warn("again {}", i);
  };
  ticker.engine.simulation.advance(seconds(1));
  const auto bulletins = ticker.engine.controller->bulletins();
  EXPECT_THAT(bulletins, SizeIs(1000));
  EXPECT_GT(bulletins.front().number, 1u);
  EXPECT_THAT(ticker.engine.controller->bulletins(bulletins[997].number), SizeIs(2));
}

TEST(Node, OnScheduledThatThrowsIsTriedAgain) {
  Engine engine;
  engine.load(R"({"processors": {"custom": {"type": "Custom", "autoTerminate": ["a", "b"]}}})");
  engine.notes.on_scheduled = [&](ProcessContext&) {
    if (engine.notes.scheduled < 3) throw ProcessException("not yet");
  };
  int triggers = 0;
  engine.notes.trigger = [&](ProcessContext&, ProcessSession&) { ++triggers; };
  engine.start();
  engine.simulation.advance(seconds(59));
  EXPECT_EQ(engine.notes.scheduled, 2);
  EXPECT_EQ(triggers, 0);
  EXPECT_THAT(engine.messages(), Contains(HasSubstr("not yet")));
  engine.simulation.advance(seconds(2));
  EXPECT_EQ(engine.notes.scheduled, 3);
  EXPECT_GT(triggers, 0);
  // A later start that is stopped before on_scheduled ran still ends in order.
  const std::string id = engine.component("custom").id;
  EXPECT_TRUE(engine.controller->stop_component(id, seconds(1)));
  engine.controller->start_component(id);
  EXPECT_TRUE(engine.controller->stop_component(id, seconds(1)));
  EXPECT_EQ(engine.notes.scheduled, 4);
  EXPECT_EQ(engine.notes.stopped, 2);
}

TEST(Node, StopWhileItWaitsForItsNextTry) {
  Engine engine;
  engine.load(R"({"processors": {"custom": {"type": "Custom", "autoTerminate": ["a", "b"]}}})");
  engine.notes.on_scheduled = [](ProcessContext&) { throw ProcessException("never"); };
  engine.start();
  engine.simulation.advance(seconds(1));
  EXPECT_TRUE(engine.controller->stop_component(engine.component("custom").id, milliseconds(1)));
  engine.simulation.advance(seconds(100));
  EXPECT_EQ(engine.notes.scheduled, 1);
}

TEST(Node, LifeCycleIsInOrder) {
  Engine engine;
  engine.load(R"({"processors": {"custom": {"type": "Custom", "autoTerminate": ["a", "b"]}}})");
  std::vector<std::string> calls;
  engine.notes.on_scheduled = [&](ProcessContext&) { calls.push_back("scheduled"); };
  engine.notes.on_unscheduled = [&](ProcessContext& context) {
    EXPECT_FALSE(context.is_scheduled());
    calls.push_back("unscheduled");
  };
  engine.notes.on_stopped = [&](ProcessContext&) { calls.push_back("stopped"); };
  bool triggered = false;
  engine.notes.trigger = [&](ProcessContext& context, ProcessSession&) {
    EXPECT_TRUE(context.is_scheduled());
    if (!std::exchange(triggered, true)) calls.push_back("triggered");
  };
  engine.start();
  engine.simulation.advance(seconds(1));
  EXPECT_TRUE(engine.controller->stop_component(engine.component("custom").id, seconds(1)));
  EXPECT_THAT(calls, ElementsAre("scheduled", "triggered", "unscheduled", "stopped"));
  EXPECT_EQ(engine.component("custom").state, State::stopped);
}

TEST(Node, InvalidAndDisabledNeverStart) {
  Engine engine;
  const auto problems = engine.load(R"({
    "processors": {"gone": {"type": "NobodyKnowsThis"},
                   "loose": {"type": "Custom", "autoTerminate": ["a"]},
                   "off": {"type": "Custom", "autoTerminate": ["a", "b"], "state": "disabled"},
                   "source": {"type": "Source"}, "sink": {"type": "Sink"}},
    "connections": ["source.success -> sink"]
  })");
  EXPECT_FALSE(problems.empty());
  engine.notes.trigger = [](ProcessContext& context, ProcessSession&) {
    ADD_FAILURE() << context.component_name() << " was triggered";
  };
  engine.notes.to_generate = 10;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 10; }));
  EXPECT_EQ(engine.component("gone").state, State::invalid);
  EXPECT_EQ(engine.component("loose").state, State::invalid);
  EXPECT_EQ(engine.component("off").state, State::disabled);
  EXPECT_FALSE(engine.controller->start_component(engine.component("off").id));
  EXPECT_FALSE(engine.controller->start_component("no such id"));
}

}  // namespace
}  // namespace weir::runtime::testing
