#include "engine/api/pattern.h"

#include <gtest/gtest.h>

#include "engine/api/error.h"

namespace weir {
namespace {

Pattern pattern(std::string_view expression) {
  auto compiled = Pattern::compile(expression);
  if (!compiled) ADD_FAILURE() << compiled.error();
  return *compiled;
}

TEST(Pattern, MatchesTheWholeText) {
  EXPECT_TRUE(pattern("[^\\.].*").matches("a.txt"));
  EXPECT_FALSE(pattern("[^\\.].*").matches(".hidden"));
  EXPECT_FALSE(pattern("a").matches("ab"));
  EXPECT_FALSE(pattern("a|ab").matches("abc"));
  EXPECT_TRUE(pattern("a|ab").matches("ab"));
}

TEST(Pattern, FindsAPart) {
  EXPECT_TRUE(pattern("b+").contains("abbc"));
  EXPECT_FALSE(pattern("^b").contains("abbc"));
}

TEST(Pattern, TextThatIsNoUtf8IsMatchedByBytes) {
  EXPECT_TRUE(pattern("[^\\.].*").matches("caf\xe9.txt"));
  EXPECT_TRUE(pattern("....").matches("caf\xe9"));
  EXPECT_TRUE(pattern("....").matches("caf\xc3\xa9"));
}

TEST(Pattern, TakesJavasEscapes) {
  EXPECT_TRUE(pattern("\\u0041b").matches("Ab"));
  EXPECT_TRUE(pattern("\\x{41}b").matches("Ab"));
  EXPECT_TRUE(pattern("(?i)ab\\Q.*\\E").matches("AB.*"));
}

TEST(Pattern, SaysWhatIsWrong) {
  const auto compiled = Pattern::compile("a(b");
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.error().find("parenthesis"), std::string::npos) << compiled.error();
  EXPECT_FALSE(Pattern::compile("[a-z&&[^b]]"));
}

TEST(Pattern, AnExpressionThatNeverEndsIsStopped) {
  const std::string text(40, 'a');
  EXPECT_THROW(pattern("(a+)+(a+)+(a+)+$x|(?:a*)*(?:a*)*b").matches(text + "!"), ProcessException);
}

}  // namespace
}  // namespace weir
