#include "engine/flow/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/flow/short_reader.h"
#include "tests/engine/flow/test_flow.h"

namespace weir::flow {
namespace {

using test::flow_samples;
using test::read;
using test::sample;
using Json = nlohmann::ordered_json;

TEST(WriteNifiFlow, AFlowJsonComesBackUnchanged) {
  for (const char* name : {"nifi-flow.json", "nifi-1-flow.json", "repeated-identifiers.json"}) {
    const std::string text = sample(name);
    EXPECT_EQ(Json::parse(write_nifi_flow(read(text).flow)), Json::parse(text)) << name;
  }
}

TEST(WriteNifiFlow, WhatItWritesReadsTheSame) {
  for (const std::string& name : flow_samples()) {
    const std::string once = write_nifi_flow(read(sample(name)).flow);
    const ReadResult again = read(once);
    EXPECT_EQ(again.flow.form, Flow::Form::nifi_flow);
    EXPECT_EQ(write_nifi_flow(again.flow), once) << name;
    EXPECT_EQ(write_short_flow(again.flow), write_short_flow(read(sample(name)).flow)) << name;
    const ReadResult before = read(sample(name));
    for (std::size_t i = 0; i < before.flow.root.processors.size(); ++i) {
      EXPECT_EQ(again.flow.root.processors[i].id, before.flow.root.processors[i].id) << name;
    }
    for (std::size_t i = 0; i < before.flow.root.connections.size(); ++i) {
      EXPECT_EQ(again.flow.root.connections[i].id, before.flow.root.connections[i].id) << name;
      EXPECT_EQ(again.flow.root.connections[i].to.id, before.flow.root.connections[i].to.id);
    }
  }
}

TEST(WriteNifiFlow, ChangedFieldsAreWrittenOverTheSource) {
  ReadResult result = read(sample("nifi-flow.json"));
  ProcessorNode& make = result.flow.root.processors[0];
  make.state = RunState::disabled;
  make.properties["Batch Size"].value = "9";
  make.concurrent_tasks = 3;
  result.flow.root.connections[0].expiration = "1 hour";
  result.flow.root.processors.pop_back();
  const ReadResult again = read(write_nifi_flow(result.flow));
  const Json root = Json::parse(write_nifi_flow(result.flow))["rootGroup"];
  EXPECT_EQ(root["processors"].size(), 2u);
  EXPECT_EQ(root["processors"][0]["scheduledState"], "DISABLED");
  EXPECT_EQ(root["processors"][0]["properties"]["Batch Size"], "9");
  EXPECT_EQ(root["processors"][0]["concurrentlySchedulableTaskCount"], 3);
  EXPECT_EQ(root["processors"][0]["schedulingPeriod"], "86400  sec");
  EXPECT_EQ(root["connections"][0]["flowFileExpiration"], "1 hour");
  EXPECT_EQ(root["connections"][0]["bends"].size(), 1u);
  EXPECT_EQ(root["labels"][0]["label"], "Hello");
}

TEST(WriteNifiFlow, AnExportsServiceReferencesBecomeInstanceIdentifiers) {
  const Json root =
      Json::parse(write_nifi_flow(read(sample("exported-group.json")).flow))["rootGroup"];
  EXPECT_EQ(root["processors"][1]["properties"]["Service"],
            root["controllerServices"][0]["instanceIdentifier"]);
  EXPECT_EQ(root["processors"][2]["secretField"]["deep"][1], 2.5);
}

TEST(WriteShortFlow, FormattingItsOwnOutputChangesNothing) {
  for (const std::string& name : flow_samples()) {
    const std::string once = write_short_flow(read(sample(name)).flow);
    const ReadResult again = read(once);
    EXPECT_THAT(test::texts(again.problems), testing::IsEmpty()) << name << once;
    EXPECT_EQ(write_short_flow(again.flow), once) << name;
  }
}

TEST(WriteShortFlow, LeavesDefaultsOut) {
  EXPECT_EQ(write_short_flow(read(R"({"connections": ["b.x,y -> c/in"],
    "processors": {"b": {"state": "running", "type": "T", "concurrentTasks": 1}},
    "groups": {"c": {"inputPorts": [{"name": "in"}]}}})")
                                 .flow),
            R"({
  "name": "flow",
  "processors": {
    "b": {
      "type": "T"
    }
  },
  "groups": {
    "c": {
      "inputPorts": [
        "in"
      ]
    }
  },
  "connections": [
    "b.x,y -> c/in"
  ]
}
)");
}

TEST(WriteShortFlow, AwkwardNamesComeBack) {
  const std::string text = R"({
    "processors": [{"name": "a.b", "type": "X"}, {"name": "a", "type": "X"},
                   {"name": "c -> d", "type": "X"}, {"name": " e", "type": "X"}],
    "connections": [{"from": "a", "relationships": ["b"], "to": "c -> d"},
                    {"from": "c -> d", "relationships": ["x,y"], "to": " e"}]})";
  const ReadResult first = read(text);
  const ReadResult again = read(write_short_flow(first.flow));
  EXPECT_THAT(test::texts(again.problems), testing::IsEmpty());
  ASSERT_EQ(again.flow.root.connections.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const ConnectionNode &a = first.flow.root.connections[i], &b = again.flow.root.connections[i];
    EXPECT_EQ(a.from.id, b.from.id);
    EXPECT_EQ(a.to.id, b.to.id);
    EXPECT_EQ(a.relationships.begin()->first, b.relationships.begin()->first);
  }
}

TEST(WriteShortFlow, RepeatedNamesGetANumber) {
  std::string text = sample("nifi-1-flow.json");
  text.replace(text.find("\"name\": \"Send\""), 14, "\"name\": \"Make\"");
  const Json written = Json::parse(write_short_flow(read(text).flow));
  EXPECT_EQ(written["processors"]["Make 2"]["name"], "Make");
  EXPECT_EQ(written["connections"][0], "Make.success -> Make 2");
}

TEST(FlowSchema, NamesEveryKeyAndType) {
  const Json schema = Json::parse(flow_schema(test::test_registry()));
  const auto expect_keys = [](const Json& object, const std::vector<std::string>& keys) {
    std::vector<std::string> found;
    for (const auto& [key, value] : object["properties"].items()) found.push_back(key);
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(keys));
  };
  expect_keys(schema, short_form::flow_keys());
  expect_keys(schema["$defs"]["group"], short_form::group_keys());
  expect_keys(schema["$defs"]["processor"], short_form::processor_keys());
  expect_keys(schema["$defs"]["service"], short_form::service_keys());
  expect_keys(schema["$defs"]["port"], short_form::port_keys());
  expect_keys(schema["$defs"]["connection"]["anyOf"][1], short_form::connection_keys());
  const Json& make = schema["$defs"]["processor"]["allOf"][0];
  EXPECT_EQ(make["if"]["properties"]["type"]["enum"][0], "MakeTicket");
  const Json& properties = make["then"]["properties"]["properties"];
  EXPECT_EQ(properties["properties"]["Batch Size"]["default"], "1");
  EXPECT_EQ(properties["properties"]["Kind"]["enum"], Json::parse(R"(["paper", "card", null])"));
  EXPECT_EQ(properties["additionalProperties"], false);
}

}  // namespace
}  // namespace weir::flow
