#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/api/registry.h"
#include "engine/flow/flow.h"
#include "tools/flow_test/flow_test.h"
#include "tools/flow_test/mock.h"
#include "tools/flow_test/names.h"

namespace weir::flow_test {

// A test's flow, made ready to run: parameters set, cut down to the part under test, mocks in
// place of what they stand for, a hidden connection into each component that the test sends to.
struct FlowUnderTest {
  explicit FlowUnderTest(flow::Flow read) : flow(std::move(read)), names(flow), whole(names) {}

  flow::Flow flow;
  Names names;
  const Names whole;                                         // before it was cut down
  std::set<std::string> tested;                              // processors that run for real
  std::map<std::string, std::shared_ptr<MockedSink>> sinks;  // by component
  std::map<std::string, std::string> sources;  // mocked; by which relationship ("": must be named)
  std::map<std::string, std::string> inputs;   // by component: the hidden connection into it
  std::vector<std::unique_ptr<ProcessorDefinition>> mock_definitions;
  std::vector<Mistake> mistakes;
};

// `read` is the test's flow. Mock definitions are added to `registry`, which must not outlive the
// result. `expand` replaces {{dir}}.
std::unique_ptr<FlowUnderTest> make_flow_under_test(
    flow::Flow read, const FlowTest& test, ComponentRegistry& registry,
    const std::function<std::string(std::string)>& expand);

}  // namespace weir::flow_test
