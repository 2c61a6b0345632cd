#include "engine/expression/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/expression/expression_bench.h"

namespace weir::expression {
namespace {

using testing::AnyOf;
using testing::Not;
using testing::StartsWith;

// ${subject:name(argument,...)}, or ${name(argument,...)} where it stands alone.
std::string call(const Function& function, std::string_view subject, std::string_view argument,
                 std::size_t count) {
  std::string text = "${";
  if (function.place != Place::alone) text += std::string(subject) + ":";
  text += std::string(function.name) + "(";
  for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + std::string(argument);
  return text + ")}";
}

TEST(Functions, AreAllThere) {
  EXPECT_EQ(functions().size() + 6, 101u);  // and six that run over several attributes
  for (const Function& function : functions()) {
    EXPECT_EQ(find_function(function.name), &function);
    EXPECT_TRUE(is_keyword(function.name));
  }
  EXPECT_FALSE(is_keyword("counter"));
  EXPECT_TRUE(is_keyword("anyAttribute"));
}

// Turning a missing attribute into a date ended in an error that named nothing.
TEST(Functions, AMissingOrEmptyValueDoesNotCrashThem) {
  const Bench bench(Names{{"empty", ""}});
  for (const Function& function : functions()) {
    const std::size_t most = std::min<std::size_t>(function.most, 7);
    for (std::size_t count = function.least; count <= most; ++count) {
      for (const std::string_view subject : {"missing", "empty"}) {
        for (const std::string_view argument :
             {"${missing}", "${empty}", "''", "null", "0", "'x'"}) {
          const std::string text = call(function, subject, argument, count);
          const std::string value = bench.evaluate(text);
          if (value.starts_with("failed: ")) {
            EXPECT_GT(value.size(), 12u) << text << " fails without a reason";
          }
        }
      }
    }
  }
  EXPECT_EQ(bench.evaluate("${missing:toDate('yyyy')}"), "");
  EXPECT_EQ(bench.evaluate("${empty:toNumber()}"), "");
  EXPECT_EQ(bench.evaluate("${missing:substring(0,3)}"), "");
  EXPECT_EQ(bench.evaluate("${missing:format('yyyy')}"), "");
  EXPECT_THAT(bench.evaluate("${missing:format('x')}"), Not(StartsWith("failed")));
  EXPECT_THAT(bench.evaluate("${empty:toDate('yyyy')}"), StartsWith("failed: toDate: "));
}

TEST(Functions, OddTextsDoNotCrashThem) {
  const std::vector<std::string> odd = {"\xFF\xFE",
                                        "\xED\xA0\x80",
                                        std::string("\0", 1),
                                        "\xF0\x9F\x9A\x80",
                                        "-9223372036854775808",
                                        "9223372036854775807",
                                        "1e999",
                                        "NaN",
                                        "%",
                                        "\\",
                                        "(",
                                        "{\"a\":[1,2]}",
                                        "$",
                                        "\\u12",
                                        std::string(3000, '[')};
  for (const std::string& text : odd) {
    const Bench bench(Names{{"s", text}, {"t", text}});
    for (const Function& function : functions()) {
      const std::size_t most = std::min<std::size_t>(function.most, 7);
      for (std::size_t count = function.least; count <= most; ++count) {
        bench.evaluate(call(function, "s", "${t}", count));
        bench.evaluate(call(function, "s:toNumber()", "${t}", count));
      }
    }
  }
}

TEST(Functions, WholeNumbersWrapAndTheirDivisionHasNoTrap) {
  const Bench bench(Names{{"least", "-9223372036854775808"}});
  EXPECT_EQ(bench.evaluate("${least:divide(-1)}"), "-9223372036854775808");
  EXPECT_EQ(bench.evaluate("${least:mod(-1)}"), "0");
  EXPECT_EQ(bench.evaluate("${least:minus(1)}"), "9223372036854775807");
  EXPECT_THAT(bench.evaluate("${least:divide(0)}"), StartsWith("failed: divide: "));
}

TEST(Functions, PatternsThatAreNotKnownBeforehandAreCheckedWhenEvaluated) {
  const Bench bench(Names{{"a", "x1"}, {"bad", "("}, {"good", "x[0-9]"}});
  EXPECT_EQ(bench.evaluate("${a:matches(${good})}"), "true");
  EXPECT_THAT(bench.evaluate("${a:matches(${bad})}"), StartsWith("failed: "));
  EXPECT_THAT(bench.evaluate("${a:matches('(')}"), StartsWith("invalid at "));
  EXPECT_THAT(bench.evaluate("${a:replaceAll('(','')}"), StartsWith("failed: "));
}

TEST(Functions, MappingsOfPatternsAreSplitAsJavaDoes) {
  const Bench bench(Names{{"a", "x1"}, {"m", "y:1,x.:hit:ignored,("}});
  EXPECT_EQ(bench.evaluate("${a:replaceByPattern('y:1, x.:hit:ignored')}"), "hit");
  EXPECT_EQ(bench.evaluate("${a:replaceByPattern('(:1,x1:$1')}"), "$1");
  EXPECT_EQ(bench.evaluate("${a:replaceByPattern(',')}"), "x1");
  EXPECT_EQ(bench.evaluate("${a:replaceByPattern('  ')}"), "x1");
  EXPECT_THAT(bench.evaluate("${a:replaceByPattern('x1')}"), StartsWith("invalid at "));
  EXPECT_THAT(bench.evaluate("${a:replaceByPattern(${m})}"), StartsWith("failed: "));
}

TEST(Functions, LoopsWithinLoopsKeepTheirTurns) {
  const Bench bench(Names{{"a", "1"}, {"b", "2"}, {"l", "1;2;3"}});
  EXPECT_EQ(bench.evaluate("${allAttributes('a','b'):in('1','2')}"), "true");
  EXPECT_EQ(
      bench.evaluate("${allAttributes('a','b'):le(${allDelineatedValues('${l}',';'):count()})}"),
      "true");
  EXPECT_EQ(
      bench.evaluate("${anyDelineatedValue('${l}',';'):equals(${anyAttribute('b'):isNull()})}"),
      "false");
}

}  // namespace
}  // namespace weir::expression
