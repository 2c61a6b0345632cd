#include "engine/api/reference_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::HasSubstr;

TEST(ReferencePage, TellsAllOfTheDeclaration) {
  ProcessorDefinition definition;
  definition.type = "a.b.Thing";
  definition.summary = "Does it.";
  definition.tags = {"one", "two"};
  definition.properties = {{.name = "key",
                            .display_name = "Key",
                            .description = "This | that.",
                            .default_value = "x",
                            .required = true,
                            .allowable_values = {{"x", "Ex"}, {"y"}},
                            .depends_on = {{"Other", {"1", "2"}}}}};
  definition.relationships = {{"success", "All."}};
  definition.writes_attributes = {{"w", "Written."}};
  definition.delivery_note = "Kept.";
  const std::string page = reference_page(definition);
  EXPECT_THAT(page, HasSubstr("# Thing\n\nDoes it."));
  EXPECT_THAT(page, HasSubstr("Tags: one, two"));
  EXPECT_THAT(page, HasSubstr("| **Key** (`key`) | `x` | `x` (Ex), `y` | no | This \\| that. Only "
                              "with \"Other\" = `1` or `2`. |"));
  EXPECT_THAT(page, HasSubstr("| `success` | All. |"));
  EXPECT_THAT(page, HasSubstr("## Attributes written"));
  EXPECT_THAT(page, HasSubstr("## Delivery\n\nKept."));
}

}  // namespace
}  // namespace weir
