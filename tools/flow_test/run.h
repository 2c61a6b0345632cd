#pragma once

#include <string>
#include <vector>

#include "tools/flow_test/flow_test.h"

namespace weir::flow_test {

struct Failure {
  std::string file;
  int line = 0;
  std::string message;
  std::string expected;  // may be empty, as `got`: then the message tells all
  std::string got;
};

// How many FlowFiles took each relationship of a processor.
struct CoveredProcessor {
  std::string id;
  std::string path;
  std::string type;
  bool tested = false;  // ran for real: not mocked, disabled or outside of the part under test
  std::vector<std::pair<std::string, std::uint64_t>> relationships;
};

struct TestResult {
  std::string file;
  std::string name;
  int line = 0;
  std::vector<Failure> failures;  // empty: passed
  std::string flow;               // the flow's file; of an inline one the test's
  std::vector<CoveredProcessor> coverage;
  double seconds = 0;  // real time
};

// Runs a test: a whole engine in one thread and in simulated time, its repositories in memory,
// the real processors but for the mocks. Files of processors are in a folder of their own,
// {{dir}}, which is removed afterwards. `seed` gives the order in which tasks run.
TestResult run_flow_test(const FlowTest& test, std::uint64_t seed);

}  // namespace weir::flow_test
