#include "tests/processors/jolt/jolt_cases.h"

#include <gtest/gtest.h>

#include "engine/json/parse.h"
#include "engine/json/write.h"

namespace weir::jolt {

std::string transform(Operation operation, std::string_view spec, std::string_view document) {
  const auto program = Program::compile(operation, std::string(spec));
  if (!program) return "SPEC";
  json::Arena arena;
  auto value = json::parse(document, arena);
  EXPECT_TRUE(value) << document;
  try {
    (*program)->apply(*value, arena);
  } catch (const TransformError&) {
    return "FAIL";
  }
  return json::to_json(*value);
}

void check(Operation operation, const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(transform(operation, each.spec, each.document), each.result)
        << each.spec << "  on  " << each.document;
  }
}

void refuse(Operation operation, const std::vector<std::string_view>& specs) {
  for (const std::string_view spec : specs) {
    EXPECT_FALSE(Program::compile(operation, std::string(spec))) << spec;
  }
}

}  // namespace weir::jolt
