#include "processors/jolt/walked_path.h"

#include <fmt/format.h>

namespace weir::jolt {

std::string_view Matched::part(std::size_t group) const {
  if (group == 0) return text;
  if (group <= stars.size()) return stars[group - 1];
  throw TransformError(fmt::format("key \"{}\" was not matched by {} stars", text, group));
}

const PathStep& WalkedPath::from_end(std::size_t up) const {
  if (up < steps_.size()) return steps_[steps_.size() - 1 - up];
  throw TransformError(fmt::format("a reference goes up {} levels, past the document's root", up));
}

}  // namespace weir::jolt
