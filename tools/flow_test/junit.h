#pragma once

#include <span>
#include <string>

#include "tools/flow_test/run.h"

namespace weir::flow_test {

// The results as JUnit XML: a suite a file, a case a test. What XML cannot hold (control
// characters, bytes that are no UTF-8) appears as escapes.
std::string junit_xml(std::span<const TestResult> results);

// "message", with "expected ..." and "got ..." in lines of their own below.
std::string failure_text(const Failure& failure, std::string_view indent);

}  // namespace weir::flow_test
