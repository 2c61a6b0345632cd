#include "processors/attribute/filter_attribute.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

// The names that are left, without uuid.
std::vector<std::string> left(Values properties, Values attributes) {
  TestBench bench(filter_attribute(), std::move(properties));
  bench.enqueue("x", std::move(attributes));
  bench.run();
  std::vector<std::string> names;
  for (const auto& output : bench.outputs("success")) {
    for (const auto& [name, value] : output.attributes) {
      if (name != "uuid") names.push_back(name);
    }
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(FilterAttribute, RetainsOrRemovesAList) {
  const Values attributes = {{"a", "1"}, {"b", "2"}, {"c", "3"}};
  EXPECT_EQ(left({{"Filtered Attributes", " a , ,b"}}, attributes), (Names{"a", "b"}));
  EXPECT_EQ(
      left({{"Filtered Attributes", "a,filename,uuid"}, {"Filter Mode", "Remove"}}, attributes),
      (Names{"b", "c", "path"}));
  EXPECT_EQ(left({{"Filtered Attributes", "none"}}, attributes), Names{});
}

TEST(FilterAttribute, ByPatternOfTheWholeName) {
  EXPECT_EQ(left({{"Attribute Matching Strategy", "Use regular expression"},
                  {"Filtered Attributes Pattern", "a\\d"}},
                 {{"a1", "1"}, {"a11", "2"}, {"ba1", "3"}}),
            Names{"a1"});
}

TEST(FilterAttribute, NamesMayComeFromAttributes) {
  EXPECT_EQ(left({{"Filtered Attributes", "${w}"}}, {{"w", "a,b"}, {"a", "1"}, {"c", "3"}}),
            Names{"a"});
}

TEST(FilterAttribute, ABrokenPatternFromAttributesRollsBack) {
  TestBench bench(filter_attribute(), {{"Attribute Matching Strategy", "Use regular expression"},
                                       {"Filtered Attributes Pattern", "${w}"}});
  bench.enqueue("x", {{"w", "("}});
  bench.run();
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.queued(), 1u);
}

TEST(FilterAttribute, Validation) {
  EXPECT_FALSE(TestBench(filter_attribute()).validate().empty());
  EXPECT_FALSE(TestBench(filter_attribute(), {{"Filtered Attributes", " "}}).validate().empty());
  EXPECT_FALSE(
      TestBench(filter_attribute(), {{"Attribute Matching Strategy", "Use regular expression"},
                                     {"Filtered Attributes Pattern", "("}})
          .validate()
          .empty());
}

}  // namespace
}  // namespace weir::processors
