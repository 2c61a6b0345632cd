#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/api/registry.h"
#include "engine/flow/check.h"
#include "engine/flow/read.h"

namespace weir::flow::test {

// Tests run in the folder of the source tree.
inline std::string sample(const std::string& name) {
  std::ifstream file(std::filesystem::path("tests/engine/flow/samples") / name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The samples that are flows.
inline const std::vector<std::string>& flow_samples() {
  static const std::vector<std::string> names = {
      "nifi-flow.json",   "nifi-1-flow.json",          "exported-group.json",
      "list-of-one.json", "registry-model-2.snapshot", "registry-model-3.snapshot",
      "short.json",       "repeated-identifiers.json"};
  return names;
}

// A flow that must be one.
inline ReadResult read(const std::string& text) {
  auto result = read_flow(text, "flow.json");
  if (result) return std::move(*result);
  for (const Problem& problem : result.error()) ADD_FAILURE() << problem.to_string();
  return {};
}

inline std::vector<std::string> texts(const std::vector<Problem>& problems) {
  std::vector<std::string> lines;
  for (const Problem& problem : problems) lines.push_back(problem.to_string());
  return lines;
}

// The problems of reading something that is no flow.
inline std::vector<std::string> refusal(const std::string& text) {
  auto result = read_flow(text, "flow.json");
  if (result) return {"(was read)"};
  return texts(result.error());
}

inline const Endpoint::Type processor_type = Endpoint::Type::processor;

// A source, a processor that needs input, and a service, with one of each kind of property.
inline const ComponentRegistry& test_registry() {
  static const ProcessorDefinition make_ticket = [] {
    ProcessorDefinition made;
    made.type = "org.apache.nifi.processors.test.MakeTicket";
    made.summary = "Makes tickets.";
    made.properties = {{.name = "Batch Size",
                        .default_value = "1",
                        .required = true,
                        .validator = validators::integer(1),
                        .old_names = {"batch-size"}},
                       {.name = "Kind", .allowable_values = {{"paper", "Paper"}, {"card", "Card"}}},
                       {.name = "Folded", .allowable_values = {{"true"}, {"false"}}},
                       {.name = "Stamp",
                        .default_value = "${now()}",
                        .expression_scope = ExpressionScope::flow_file_attributes}};
    made.relationships = {{"success"}};
    made.input = InputRequirement::forbidden;
    return made;
  }();
  static const ProcessorDefinition send_ticket = [] {
    ProcessorDefinition made;
    made.type = "org.apache.nifi.processors.test.SendTicket";
    made.properties = {{.name = "Service", .controller_service = "Thing"},
                       {.name = "Mode",
                        .default_value = "slow",
                        .required = true,
                        .allowable_values = {{"slow"}, {"fast"}},
                        .old_names = {"dispatch-mode"}},
                       {.name = "Password",
                        .required = true,
                        .sensitive = true,
                        .depends_on = {{"Mode", {"fast"}}}}};
    made.dynamic_properties = DynamicPropertyNote{"a name", "a value", "An attribute."};
    made.relationships = {{"done"}, {"failure"}, {"copy"}};
    made.input = InputRequirement::required;
    return made;
  }();
  static const ControllerServiceDefinition test_service = [] {
    ControllerServiceDefinition made;
    made.type = "org.example.services.TestService";
    made.properties = {{.name = "Address", .required = true}};
    made.interfaces = {"Thing"};
    return made;
  }();
  static const ComponentRegistry registry = [] {
    ComponentRegistry made;
    made.add(make_ticket);
    made.add(send_ticket);
    made.add(test_service);
    return made;
  }();
  return registry;
}

}  // namespace weir::flow::test
