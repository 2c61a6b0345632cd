#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "tools/flow_test/run.h"

namespace weir::flow_test {

// What all tests of one flow together ran.
struct FlowCoverage {
  std::string flow;
  std::vector<CoveredProcessor> processors;

  std::size_t taken() const;  // relationships that at least one FlowFile took
  std::size_t total() const;  // of processors that at least one test ran for real
};

// One a flow, in the order of the tests.
std::vector<FlowCoverage> merge_coverage(std::span<const TestResult> results);

double percent(std::size_t taken, std::size_t total);  // 0 where nothing was tested
double percent(std::span<const FlowCoverage> flows);

nlohmann::ordered_json coverage_json(std::span<const FlowCoverage> flows);

}  // namespace weir::flow_test
