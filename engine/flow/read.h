#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "engine/flow/flow.h"

namespace weir::flow {

struct ReadResult {
  Flow flow;
  // Things the reader could go on after: broken references, values of the wrong kind. A problem
  // without component_id concerns the file as a whole.
  std::vector<Problem> problems;
};

// Reads NiFi's flow.json (plain or gzip), an exported group, a registry snapshot, a list with
// one of them, or the short hand-written form; `//` comments are taken in all. The error is the
// list of what makes the file no flow at all (syntax with its place, an imitation of NiFi's
// format), at least one.
std::expected<ReadResult, std::vector<Problem>> read_flow(std::string_view bytes,
                                                          const std::string& file);

}  // namespace weir::flow
