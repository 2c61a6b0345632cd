#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/runtime/engine_fixture.h"

namespace weir::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> texts(const std::vector<flow::Problem>& problems) {
  std::vector<std::string> lines;
  for (const auto& problem : problems) lines.push_back(problem.to_string());
  return lines;
}

// Two processors that note the values they are scheduled with; only "a" uses #{greeting}.
std::string two_valued(const std::string& greeting, const std::string& more = "") {
  return R"({"parameters": {"greeting": )" + greeting + R"(, "other": "fixed"}, "processors": {
    "a": {"type": "Valued", "properties": {"Text": "#{greeting}!"}, "autoTerminate": ["a", "b"]},
    "b": {"type": "Valued", "properties": {"Text": "#{other}"}, "autoTerminate": ["a", "b"])" +
         more + "}}}";
}

struct ParameterEngine : Engine {
  ParameterEngine() {
    notes.on_scheduled = [this](ProcessContext& context) {
      scheduled.push_back(context.component_name() + " " + context.property("Text").text());
    };
    notes.trigger = [](ProcessContext& context, ProcessSession&) { context.yield(); };
  }
  void start_flow(const std::string& text) {
    EXPECT_THAT(texts(load(text)), IsEmpty());
    start();
    simulation.advance(std::chrono::seconds(1));
  }
  std::vector<std::string> update(const std::string& text) {
    auto read = flow::read_flow(text, "flow.json");
    EXPECT_TRUE(read);
    scheduled.clear();
    auto problems = texts(controller->update_parameters(read->flow));
    simulation.advance(std::chrono::seconds(1));
    return problems;
  }
  std::vector<std::string> scheduled;
};

TEST(Parameters, ArePutIntoValues) {
  ParameterEngine engine;
  engine.start_flow(two_valued("\"hello\""));
  EXPECT_THAT(engine.scheduled, ::testing::UnorderedElementsAre("a hello!", "b fixed"));
}

TEST(Parameters, AChangeRestartsOnlyWhatUsesIt) {
  ParameterEngine engine;
  engine.start_flow(two_valued("\"hello\""));
  EXPECT_THAT(engine.update(two_valued("\"good day\"")), IsEmpty());
  EXPECT_THAT(engine.scheduled, ElementsAre("a good day!"));
  EXPECT_EQ(engine.notes.stopped, 1);
  EXPECT_EQ(engine.component("a").state, ComponentStatus::State::running);
  EXPECT_EQ(engine.component("b").state, ComponentStatus::State::running);
}

TEST(Parameters, AChangeRestartsWhatUsesItInItsRules) {
  ProcessorDefinition ruled;  // the engine refers to it
  ParameterEngine engine;
  ruled = *engine.registry.find_processor("Valued");
  ruled.type = "org.apache.nifi.processors.attributes.UpdateAttribute";
  ruled.dynamic_properties = DynamicPropertyNote{"an attribute", "its value", "An attribute.",
                                                 ExpressionScope::flow_file_attributes};
  engine.registry.add(ruled);
  const auto flow = [](const std::string& limit) {
    const std::string processor =
        R"({"type": "UpdateAttribute", "properties": {"Text": "t"}, "autoTerminate": ["a", "b"],
            "annotationData": "<criteria><rules><name>big</name><conditions><expression>)";
    const std::string rest = R"(</expression></conditions><actions><attribute>x</attribute>
        <value>1</value></actions></rules></criteria>"})";
    std::string text = R"({"parameters": {"limit": )" + limit + R"(}, "processors": {"a": )" +
                       processor + "${n:gt(#{limit})}" + rest + R"(, "b": )" + processor +
                       "${n:gt(1)}" + rest + "}}";
    std::erase(text, '\n');
    return text;
  };
  engine.start_flow(flow("1"));
  EXPECT_THAT(engine.update(flow("2")), IsEmpty());
  EXPECT_THAT(engine.scheduled, ElementsAre("a t"));
}

TEST(Parameters, NothingIsChangedWhereTheFlowDiffersOtherwise) {
  ParameterEngine engine;
  engine.start_flow(two_valued("\"hello\""));
  EXPECT_THAT(engine.update(two_valued("\"good day\"", R"(, "penaltyDuration": "1 min")")),
              ElementsAre(HasSubstr("in more than the values of parameters")));
  EXPECT_THAT(engine.scheduled, IsEmpty());
}

TEST(Parameters, AComponentWhoseParameterIsMissingAloneDoesNotRun) {
  ParameterEngine engine;
  engine.load(two_valued(R"({"environment": "GREETING"})"));
  engine.start();
  engine.simulation.advance(std::chrono::seconds(1));
  EXPECT_THAT(engine.scheduled, ElementsAre("b fixed"));
  EXPECT_EQ(engine.component("a").state, ComponentStatus::State::invalid);
}

TEST(Parameters, AMissingValueThatAppearsStartsTheComponent) {
  ParameterEngine engine;
  engine.load(two_valued(R"({"file": "/secrets/greeting"})"));
  engine.start();
  engine.simulation.advance(std::chrono::seconds(1));
  engine.files.create_directories("/secrets");
  engine.files.replace_small("/secrets/greeting", "from a file\n");
  EXPECT_THAT(engine.update(two_valued(R"({"file": "/secrets/greeting"})")), IsEmpty());
  EXPECT_THAT(engine.scheduled, ElementsAre("a from a file!"));
}

TEST(Parameters, ComeFromTheEnvironment) {
  ParameterEngine engine;
  engine.variables["GREETING"] = "from outside";
  engine.start_flow(two_valued(R"({"environment": "GREETING"})"));
  EXPECT_THAT(engine.scheduled, ::testing::Contains("a from outside!"));
}

TEST(Parameters, AServicesUsersStopAndStartAroundIt) {
  std::vector<std::string> order;
  ParameterEngine engine;
  engine.notes.on_enabled = [&](ComponentContext& context) {
    order.push_back("enabled " + context.property("Address").text());
  };
  engine.notes.on_disabled = [&](ComponentContext&) { order.push_back("disabled"); };
  const auto flow = [](const std::string& address) {
    return R"({"parameters": {"address": ")" + address + R"("},
      "services": {"s": {"type": "TestService", "properties": {"Address": "#{address}"}}},
      "processors": {
        "user": {"type": "Valued", "properties": {"Text": "t", "Service": {"service": "s"}},
                 "autoTerminate": ["a", "b"]},
        "other": {"type": "Valued", "properties": {"Text": "o"}, "autoTerminate": ["a", "b"]}}})";
  };
  engine.start_flow(flow("here"));
  EXPECT_THAT(engine.update(flow("there")), IsEmpty());
  EXPECT_THAT(order, ElementsAre("enabled here", "disabled", "enabled there"));
  EXPECT_THAT(engine.scheduled, ElementsAre("user t"));
}

constexpr const char* secret_flow = R"({"parameters": {
    "password": {"value": "swordfish", "sensitive": true}},
  "processors": {"a": {"type": "Valued", "autoTerminate": ["a", "b"], "properties": {
    "Text": "t", "Secret": "open sesame"}}}})";

TEST(Parameters, SensitiveValuesAreNeverSavedOpen) {
  Engine without_key;
  without_key.load(secret_flow);
  const std::string saved = without_key.files.read_small("/data/flow.json").value_or("");
  EXPECT_THAT(saved, Not(HasSubstr("swordfish")));
  EXPECT_THAT(saved, Not(HasSubstr("sesame")));
  EXPECT_THAT(saved, HasSubstr("\"password\""));

  Engine with_key;
  with_key.config.sensitive_key = "a long password";
  with_key.load(secret_flow);
  const std::string sealed = with_key.files.read_small("/data/flow.json").value_or("");
  EXPECT_THAT(sealed, Not(HasSubstr("swordfish")));
  EXPECT_THAT(sealed, Not(HasSubstr("sesame")));
  EXPECT_THAT(sealed, HasSubstr("enc{"));

  // What was saved runs again with the key, and only with it.
  for (const char* key : {"a long password", "another"}) {
    std::string secret;
    Engine again;
    again.config.sensitive_key = key;
    again.notes.on_scheduled = [&](ProcessContext& context) {
      secret = context.property("Secret").text();
    };
    again.notes.trigger = [](ProcessContext& context, ProcessSession&) { context.yield(); };
    const auto problems = texts(again.load(sealed));
    again.start();
    again.simulation.advance(std::chrono::seconds(1));
    const bool right = std::string_view(key) == "a long password";
    EXPECT_EQ(secret, right ? "open sesame" : "");
    EXPECT_EQ(problems.empty(), right);
  }
}

}  // namespace
}  // namespace weir::runtime::testing
