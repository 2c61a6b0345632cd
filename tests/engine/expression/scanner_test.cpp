#include "engine/expression/scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::expression {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> found(std::string_view text) {
  std::vector<std::string> expressions;
  for (const Range& range : expression_ranges(text)) {
    expressions.emplace_back(text.substr(range.begin, range.end - range.begin));
  }
  return expressions;
}

TEST(Scanner, FindsCompleteExpressions) {
  EXPECT_THAT(found("a ${b} { ${c:append('}')} }"), ElementsAre("${b}", "${c:append('}')}"));
  EXPECT_THAT(found("${a"), IsEmpty());
  EXPECT_THAT(found("$ {a}"), IsEmpty());
}

TEST(Scanner, TakesAnEvenNumberOfDollarsForText) {
  EXPECT_THAT(found("$${a}"), IsEmpty());
  EXPECT_THAT(found("$$${a}"), ElementsAre("${a}"));
}

TEST(Scanner, CountsBackslashesWithinQuotesFromTheirBeginning) {
  EXPECT_THAT(found(R"(${a:append("\"x")})"), ElementsAre(R"(${a:append("\"x")})"));
  EXPECT_THAT(found(R"(${a:append("\"x\"")})"), IsEmpty());
}

TEST(Scanner, UnescapesDollars) {
  EXPECT_EQ(unescape_leading_dollars("a $$ b{ $$"), "a $ b{ $$");
  EXPECT_EQ(unescape_trailing_dollars("a$$$$", false), "a$$");
  EXPECT_EQ(unescape_trailing_dollars("$$$$", false), "$$$$");
  EXPECT_EQ(unescape_trailing_dollars("$$$$", true), "$$");
  EXPECT_EQ(unescape_dollars("$$${a} $$"), "$${a} $$");
}

}  // namespace
}  // namespace weir::expression
