#include "engine/flow/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/flow/test_flow.h"

namespace weir::flow {
namespace {

using test::read;
using test::sample;
using test::test_registry;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

// A short flow around the members of two processors.
std::vector<Problem> check_office(const std::string& make, const std::string& send,
                                  const std::string& connections = "") {
  const std::string text = "{\"processors\": {\n\"make\": {\"type\": \"MakeTicket\"" + make +
                           "},\n\"send\": {\"type\": \"SendTicket\", \"autoTerminate\": "
                           "[\"done\", \"failure\", \"copy\"]" +
                           send + "}},\n\"connections\": [\"make.success -> send\"" + connections +
                           "]}";
  const ReadResult result = read(text);
  EXPECT_THAT(test::texts(result.problems), IsEmpty()) << text;
  return check_flow(result.flow, test_registry()).problems;
}

std::vector<std::string> check_texts(const std::string& make, const std::string& send,
                                     const std::string& connections = "") {
  return test::texts(check_office(make, send, connections));
}

TEST(CheckFlow, AGoodFlowHasNoProblems) {
  EXPECT_THAT(check_texts("", ""), IsEmpty());
  EXPECT_THAT(check_texts(R"(, "properties": {"batch-size": 7, "Kind": "card", "Folded": "True"})",
                          R"(, "properties": {"dispatch-mode": "slow", "any": "thing"})"),
              IsEmpty());
}

TEST(CheckFlow, KnownAndUnknownTypesAreCounted) {
  const CheckResult result = check_flow(read(sample("short.json")).flow, test_registry());
  EXPECT_EQ(result.known_types, 4u);
  EXPECT_EQ(result.unknown_types, 1u);
  EXPECT_THAT(test::texts(result.problems),
              ElementsAre(HasSubstr("flow.json:43:9: error: folding / fold: there is no processor "
                                    "type 'com.example.acme.FoldPaperCrane': it does not start")));
  EXPECT_EQ(result.problems[0].component_id,
            read(sample("short.json")).flow.root.groups[0].processors[0].id);
  EXPECT_TRUE(result.has_errors());
}

TEST(CheckFlow, EveryShapeFindsItsTypes) {
  for (const char* name :
       {"nifi-flow.json", "exported-group.json", "list-of-one.json", "registry-model-3.snapshot"}) {
    const CheckResult result = check_flow(read(sample(name)).flow, test_registry());
    EXPECT_EQ(result.known_types, 4u) << name;
    // The disabled processor's problems are warnings: it is not meant to run.
    EXPECT_THAT(test::texts(result.problems),
                testing::UnorderedElementsAre(
                    HasSubstr("error: Fold: there is no processor type"),
                    HasSubstr("warning: Folding / Inner: property 'Password' is required"),
                    HasSubstr("warning: Folding / Inner: relationship 'copy' is neither")))
        << name;
  }
}

TEST(CheckFlow, UnknownTypeHasANearestName) {
  const ReadResult result = read(R"({"processors": {"a": {"type": "MakeTikcet"}}})");
  EXPECT_THAT(test::texts(check_flow(result.flow, test_registry()).problems),
              ElementsAre(HasSubstr("did you mean 'MakeTicket'?")));
}

TEST(CheckFlow, PropertiesOfAllKinds) {
  EXPECT_THAT(check_texts(R"(, "properties": {"Bach Size": 1})", ""),
              ElementsAre("flow.json:2:47: error: make: MakeTicket has no property 'Bach Size' "
                          "(did you mean 'Batch Size'?)"));
  EXPECT_THAT(check_texts(R"(, "properties": {"Batch Size": 0})", ""),
              ElementsAre(HasSubstr("property 'Batch Size': ")));
  EXPECT_THAT(check_texts(R"(, "properties": {"Kind": "Paper"})", ""),
              ElementsAre(HasSubstr("'Kind' is 'Paper' instead of one of: paper, card (did you "
                                    "mean 'paper'?)")));
  EXPECT_THAT(check_texts("", R"(, "properties": {"Mode": "fast"})"),
              ElementsAre(HasSubstr("send: property 'Password' is required and not set")));
  EXPECT_THAT(check_texts("", R"(, "properties": {"Mode": "fast", "Password": null})"),
              ElementsAre(HasSubstr("sensitive value was left out of the export")));
  EXPECT_THAT(check_texts("", R"(, "properties": {"Mode": "fast", "Password": "enc{00ff}"})"),
              ElementsAre(HasSubstr("cannot be decrypted")));
  EXPECT_THAT(check_texts("", R"(, "properties": {"Service": "postbox"})"),
              ElementsAre(HasSubstr("there is no controller service 'postbox' here; a service is "
                                    "named as {\"service\": \"its name\"}")));
}

TEST(CheckFlow, ExpressionsAndParameters) {
  EXPECT_THAT(check_texts(R"(, "properties": {"Stamp": "${now()}"})", ""), IsEmpty());
  EXPECT_THAT(check_texts(R"(, "properties": {"Stamp": "${uuid:toUpper()}"})", ""), IsEmpty());
  EXPECT_THAT(check_texts(R"(, "properties": {"Stamp": "${uuid:toUper()}"})", ""),
              ElementsAre(HasSubstr("make: property 'Stamp', character ")));
  EXPECT_THAT(check_texts(R"(, "properties": {"Stamp": "#{street}"})", ""),
              ElementsAre(HasSubstr("property 'Stamp', character 1: ")));
  EXPECT_THAT(check_texts(R"(, "properties": {"Stamp": "${now():format('HH:MM')}"})", ""),
              ElementsAre(HasSubstr("warning: make: property 'Stamp', character ")));
  // A property without expressions takes the text as it stands.
  EXPECT_THAT(check_texts("", R"(, "properties": {"any": "${x} ##{y} #{" })"), IsEmpty());
}

TEST(CheckFlow, ParametersAreCheckedAsTheirValues) {
  const auto problems = [](const std::string& batch) {
    const ReadResult result = read(R"({"parameters": {"batch": ")" + batch + R"("},
      "processors": {"make": {"type": "MakeTicket", "autoTerminate": ["success"],
                              "properties": {"Batch Size": "#{batch}"}}}})");
    return test::texts(check_flow(result.flow, test_registry()).problems);
  };
  EXPECT_THAT(problems("7"), IsEmpty());
  EXPECT_THAT(problems("seven"), ElementsAre(HasSubstr("property 'Batch Size': ")));
}

TEST(CheckFlow, ASensitiveParameterDoesNotShowInAnOpenProperty) {
  const ReadResult result = read(R"({"parameters": {"p": {"value": "x", "sensitive": true}},
    "processors": {"make": {"type": "MakeTicket", "autoTerminate": ["success"],
                            "properties": {"Stamp": "#{p}"}}}})");
  EXPECT_THAT(test::texts(check_flow(result.flow, test_registry()).problems),
              ElementsAre(HasSubstr("refers to the sensitive parameter 'p'")));
}

TEST(CheckFlow, Relationships) {
  EXPECT_THAT(check_texts("", "", R"(, "send.dnoe -> send")"),
              ElementsAre(HasSubstr("there is no relationship 'dnoe' (did you mean 'done'?)")));
  EXPECT_THAT(check_texts("", "", R"(, "make -> send")"),
              ElementsAre(HasSubstr("names no relationship: MakeTicket has 'success'")));
  EXPECT_THAT(check_texts(R"(, "autoTerminate": ["sucess"])", ""),
              ElementsAre(HasSubstr("warning: make: auto-terminated: there is no relationship "
                                    "'sucess' (did you mean 'success'?)")));
  EXPECT_THAT(check_texts("", "", R"(, "send.done -> send")"),
              ElementsAre(HasSubstr("warning: send: relationship 'done' is connected")));
  EXPECT_THAT(check_texts("", "", R"(, "make.success -> send")"),
              ElementsAre(HasSubstr("given twice")));
  const ReadResult result = read(R"({"processors": {"make": {"type": "MakeTicket"}}})");
  EXPECT_THAT(test::texts(check_flow(result.flow, test_registry()).problems),
              ElementsAre(HasSubstr("'success' is neither connected nor auto-terminated")));
}

TEST(CheckFlow, Input) {
  EXPECT_THAT(check_texts("", "", R"(, "send.done -> make")"),
              testing::Contains(HasSubstr("MakeTicket takes no incoming connection")));
  const ReadResult result = read(R"({"processors": {"send": {"type": "SendTicket",
    "autoTerminate": ["done", "copy"]}}, "connections": ["send.failure -> send"]})");
  EXPECT_THAT(test::texts(check_flow(result.flow, test_registry()).problems),
              ElementsAre(HasSubstr("SendTicket needs an incoming connection")));
}

TEST(CheckFlow, Scheduling) {
  EXPECT_THAT(check_texts(R"(, "schedule": "10 parsec")", ""),
              ElementsAre(HasSubstr("2:44: error: make: schedule: '10 parsec'")));
  EXPECT_THAT(check_texts(R"(, "schedule": {"cron": "0 0 25 * * ?"})", ""),
              ElementsAre(HasSubstr("2:53: error: make: '0 0 25 * * ?' is not a cron rule: hour")));
  EXPECT_THAT(check_texts(R"(, "penaltyDuration": "x", "bulletinLevel": "WRAN")", ""),
              ElementsAre(HasSubstr("penalty duration: 'x'"), HasSubstr("did you mean 'WARN'?")));
}

TEST(CheckFlow, Connections) {
  const std::string connection = R"(, {"from": "send.done", "to": "send",
    "backpressure": {"size": "1 GiB"}, "expiration": "soon", "prioritizers": ["Oldest"]})";
  EXPECT_THAT(check_texts("", "", connection),
              IsSupersetOf({HasSubstr("expiration: 'soon'"), HasSubstr("backpressure: '1 GiB'"),
                            HasSubstr("warning: send.done -> send: the prioritizer 'Oldest'")}));
}

TEST(CheckFlow, PortsAndFunnelsThatLeadNowhere) {
  const ReadResult result = read(R"({
    "processors": {"make": {"type": "MakeTicket"}}, "funnels": ["f"],
    "groups": {"g": {"inputPorts": ["in"], "outputPorts": ["out"],
                     "processors": {"make": {"type": "MakeTicket"}},
                     "connections": ["make.success -> out"]}},
    "connections": ["make.success -> f", "make.success -> g/in"]})");
  EXPECT_THAT(test::texts(check_flow(result.flow, test_registry()).problems),
              testing::UnorderedElementsAre(HasSubstr("f: the funnel leads nowhere"),
                                            HasSubstr("g / in: the input port leads nowhere"),
                                            HasSubstr("g / out: the output port leads nowhere")));
}

TEST(CheckFlow, GroupsAndParameterContexts) {
  const ReadResult result = read(R"({
    "id": "0000000a-0001-3000-8000-000000013557",
    "parameterContexts": {"a": {"inherited": ["b"]}, "b": {"inherited": ["a", "c"]}},
    "groups": {"g": {"id": "0000000a-0001-3000-8000-000000013557", "processors": {},
                     "parameterContext": "aa", "flowFileConcurrency": "UNBOUND"}}})");
  EXPECT_THAT(test::texts(check_flow(result.flow, test_registry()).problems),
              testing::UnorderedElementsAre(
                  HasSubstr("'a' inherits itself"), HasSubstr("'b' inherits itself"),
                  HasSubstr("'b' inherits 'c', which is not there"),
                  HasSubstr("no parameter context 'aa' (did you mean 'a'?)"),
                  HasSubstr("'UNBOUND' instead of one of"),
                  HasSubstr("the identifier of a group around it")));
}

TEST(CheckFlow, AConnectionThatLeadsNowhereDoesNotCount) {
  const ReadResult result = read(R"({"processors": {"make": {"type": "MakeTicket"}},
    "connections": ["make.success -> nobody"]})");
  EXPECT_THAT(test::texts(check_flow(result.flow, test_registry()).problems),
              ElementsAre(HasSubstr("'success' is neither connected nor auto-terminated")));
}

TEST(ResolveProperties, OldNamesNullsAndBooleans) {
  const ProcessorDefinition& definition = *test_registry().find_processor("MakeTicket");
  const Properties given = {{"batch-size", {"7", {}}},
                            {"Batch Size", {"8", {}}},
                            {"Kind", {std::nullopt, {}}},
                            {"Folded", {"True", {}}}};
  EXPECT_THAT(resolve_properties(given, definition),
              ElementsAre(testing::Pair("Batch Size", "8"), testing::Pair("Folded", "true")));
  const PlainPropertyContext values(definition, resolve_properties(given, definition));
  EXPECT_EQ(values.property("batch-size").text(), "8");
  EXPECT_EQ(values.property("Stamp").text(), "${now()}");
  EXPECT_FALSE(values.property("Kind").is_set());
  EXPECT_THAT(values.dynamic_properties(), IsEmpty());
}

}  // namespace
}  // namespace weir::flow
