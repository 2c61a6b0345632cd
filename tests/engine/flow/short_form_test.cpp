#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/flow/test_flow.h"

namespace weir::flow {
namespace {

using test::read;
using test::sample;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;

TEST(ShortForm, AllOfIt) {
  const ReadResult result = read(sample("short.json"));
  EXPECT_THAT(test::texts(result.problems), IsEmpty());
  const Flow& flow = result.flow;
  EXPECT_EQ(flow.form, Flow::Form::hand_written);
  EXPECT_EQ(flow.max_timer_driven_threads, 4);
  const Group& root = flow.root;
  EXPECT_EQ(root.name, "ticket office");
  ASSERT_EQ(root.processors.size(), 3u);
  const ProcessorNode& make = root.processors[0];
  EXPECT_EQ(make.state, RunState::running);
  EXPECT_EQ(make.properties.at("Batch Size").value, "5");
  EXPECT_EQ(make.scheduling_period, "10 sec");
  EXPECT_EQ(make.place.line, 15u);
  const ProcessorNode& send = root.processors[1];
  EXPECT_EQ(send.concurrent_tasks, 2);
  EXPECT_EQ(send.run_duration_ms, 25);
  EXPECT_EQ(send.retry_count, 3);
  EXPECT_EQ(send.backoff, Backoff::yield_processor);
  EXPECT_EQ(send.properties.at("Service").value, root.services[0].id);
  EXPECT_EQ(root.processors[2].scheduling, Scheduling::cron_driven);
  EXPECT_EQ(root.processors[2].state, RunState::enabled);
  const Group& folding = root.groups.at(0);
  EXPECT_EQ(folding.processors.at(0).path, "folding / fold");
  ASSERT_EQ(root.connections.size(), 5u);
  EXPECT_EQ(root.connections[0].from.id, make.id);
  EXPECT_EQ(root.connections[0].to.id, send.id);
  EXPECT_THAT(root.connections[0].relationships, ElementsAre(Key("success")));
  EXPECT_EQ(root.connections[2].to.id, folding.ports[0].id);
  EXPECT_EQ(root.connections[2].backpressure_count, 100u);
  EXPECT_THAT(root.connections[2].prioritizers,
              ElementsAre("OldestFlowFileFirstPrioritizer", "FirstInFirstOutPrioritizer"));
  EXPECT_EQ(root.connections[3].from.id, folding.ports[1].id);
  EXPECT_EQ(root.connections[3].to.type, Endpoint::Type::funnel);
  EXPECT_EQ(flow.parameter_contexts[1].inherited, std::vector<std::string>{"town"});
}

TEST(ShortForm, IdsFollowFromNames) {
  const ReadResult first = read(sample("short.json"));
  const ReadResult again = read("\n// moved down\n" + sample("short.json"));
  EXPECT_EQ(first.flow.root.processors[1].id, again.flow.root.processors[1].id);
  EXPECT_EQ(first.flow.root.connections[2].id, again.flow.root.connections[2].id);
  EXPECT_EQ(first.flow.root.processors[1].id.size(), 36u);
  // Queues on disk are found by these ids: they must never change.
  EXPECT_EQ(read("{\"processors\": {\"read\": {\"type\": \"X\"}}}").flow.root.processors[0].id,
            "cdc75dda-3a3b-5e23-b1c5-ae58ffd379d0");
}

TEST(ShortForm, UnknownKeysAndNamesGetTheNearest) {
  const ReadResult result = read(R"({
  "procesors": {},
  "processors": {
    "read": {"type": "X", "shedule": "1 sec", "schedule": 5, "state": "runing"},
    "a.b": {"type": "Y", "properties": {"P": {"service": "bok"}, "Q": [1]}}
  },
  "services": {"book": {"type": "Z"}},
  "connections": [
    "raed.success -> a.b",
    "read.success -> a,b",
    {"from": "read.success", "destination": "a.b"},
    "read.success",
    {"from": "a.b", "relationships": ["x, y"], "to": "read"},
    "a.b.z -> read"
  ]
})");
  EXPECT_THAT(
      test::texts(result.problems),
      ElementsAre(
          HasSubstr(":2:3: error: there is no key 'procesors' (did you mean 'processors'?)"),
          HasSubstr(":4:27: error: read: there is no key 'shedule' (did you mean"),
          HasSubstr(":4:59: error: read: 'schedule' must be a period"),
          HasSubstr("did you mean 'running'?"),
          HasSubstr("'P': there is no service 'bok' (did you mean 'book'?)"),
          HasSubstr("'Q' must be a text"),
          HasSubstr("the source 'raed.success' is not in this group (did you mean "
                    "'read.success'?)"),
          HasSubstr("the destination 'a,b' is not in this group (did you mean 'a.b'?)"),
          HasSubstr("'to' must be the name of a component"),
          HasSubstr("no key 'destination' (did you mean 'to'?)"), HasSubstr("is not of the form")));
  const auto& connections = result.flow.root.connections;
  EXPECT_THAT(connections.at(4).relationships, ElementsAre(Key("x, y")));
  EXPECT_THAT(connections.at(5).relationships, ElementsAre(Key("z")));
  EXPECT_EQ(connections.at(5).from.id, result.flow.root.processors[1].id);
}

TEST(ShortForm, ANameThatMeansTwoComponentsIsRefused) {
  const ReadResult result = read(R"({
  "processors": [{"name": "a", "type": "X"}, {"name": "a", "type": "Y"}],
  "connections": ["a.success -> a"]})");
  EXPECT_THAT(test::texts(result.problems),
              testing::Each(HasSubstr("'a' may be each of 2 components")));
  EXPECT_EQ(result.problems.size(), 2u);
}

TEST(ShortForm, SeveralRelationshipsInOneConnection) {
  const ReadResult result = read(R"({
  "processors": {"a": {"type": "X"}, "b": {"type": "Y"}},
  "connections": ["a.success, not.found -> b"]})");
  EXPECT_THAT(result.flow.root.connections.at(0).relationships,
              ElementsAre(Key("not.found"), Key("success")));
}

TEST(ShortForm, ParametersOfAGroupAreAContextOfTheirOwn) {
  const ReadResult result =
      read(R"({"groups": {"g": {"parameters": {"dir": "/in", "n": 3}, "processors": {}}}})");
  ASSERT_EQ(result.flow.parameter_contexts.size(), 1u);
  EXPECT_EQ(result.flow.root.groups[0].parameter_context, "g");
  EXPECT_EQ(result.flow.parameter_contexts[0].parameters.at("n").value, "3");
}

}  // namespace
}  // namespace weir::flow
