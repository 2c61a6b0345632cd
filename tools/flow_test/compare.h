#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/flow_test/flow_test.h"
#include "tools/flow_test/mock.h"

namespace weir::flow_test {

// What an expectation found instead of what it says. `expected` and `got` may be empty where the
// message tells all.
struct Difference {
  int line = 0;
  std::string message;
  std::string expected;
  std::string got;
};

// Bytes as a test shows them: in quotes, what cannot be printed as escapes, cut where it is long.
std::string shown(std::string_view text);

// `pattern` has been compiled by the parser.
bool pattern_matches(const std::string& pattern, std::string_view text, bool whole);

// Whether the FlowFiles of `step` are those that were seen; `where` for the message. {{dir}} is
// replaced already.
std::optional<Difference> compare_flow_files(const Step& step, const std::vector<Seen>& seen,
                                             const std::string& folder);

}  // namespace weir::flow_test
