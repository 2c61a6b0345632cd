#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "processors/jolt/transform.h"

namespace weir::jolt {

// What an operation makes of a document.
struct Case {
  std::string_view spec;
  std::string_view document;
  std::string_view result;  // "FAIL": the document cannot be transformed; "SPEC": a bad spec
};

void check(Operation operation, const std::vector<Case>& cases);
void refuse(Operation operation, const std::vector<std::string_view>& specs);
// As `Case::result`.
std::string transform(Operation operation, std::string_view spec, std::string_view document);

}  // namespace weir::jolt
