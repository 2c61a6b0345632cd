#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/expression/expression_bench.h"

namespace weir::expression {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::size_t error_offset(const Bench& bench, std::string_view text) {
  const auto prepared = bench.prepare(text);
  EXPECT_FALSE(prepared) << text;
  return prepared ? std::string::npos : prepared.error().offset;
}

TEST(Prepare, PlainTextHasNoExpression) {
  const auto prepared = Bench().prepare("a $$5 {b} ${c");
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->expression, nullptr);
  EXPECT_EQ(prepared->text, "a $$5 {b} ${c");
}

TEST(Prepare, EscapedExpressionIsPlainText) {
  const auto prepared = Bench().prepare("$${a}");
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->expression, nullptr);
  EXPECT_EQ(prepared->text, "${a}");
}

TEST(Prepare, TellsWhereTheMistakeStands) {
  const Bench bench;
  EXPECT_EQ(error_offset(bench, "${a:nope()}"), 4u);
  EXPECT_EQ(error_offset(bench, "text ${a:toUpper(}"), 17u);
  EXPECT_EQ(error_offset(bench, "${a} and ${b:append(x)}"), 20u);
  EXPECT_EQ(error_offset(bench, "${a:matches('(')}"), 12u);
  EXPECT_EQ(error_offset(bench, "${a:append(\"-${b:nope()}\")}"), 17u);
  EXPECT_EQ(error_offset(bench, "${a:append()}"), 4u);
  EXPECT_EQ(error_offset(bench, "${a:gt(true)}"), 7u);
}

TEST(Prepare, PositionsCountInTheTextBeforeParametersAreIn) {
  const Bench bench({}, {{"p", {"a very long value"}}});
  EXPECT_EQ(error_offset(bench, "#{p} ${a:nope()}"), 9u);
  EXPECT_EQ(error_offset(bench, "#{p} #{q}"), 5u);
  EXPECT_EQ(error_offset(bench, "${a:append(#{q})}"), 11u);
}

TEST(Prepare, NamesWhatIsWrong) {
  const Bench bench;
  EXPECT_THAT(bench.evaluate("${a:toUppercase()}"), HasSubstr("no function 'toUppercase'"));
  EXPECT_THAT(bench.evaluate("${a:append('x','y')}"), HasSubstr("takes 1 arguments, not 2"));
  EXPECT_THAT(bench.evaluate("${#{q}}"), HasSubstr("no parameter 'q'"));
}

TEST(Prepare, PutsParametersInFirst) {
  const Bench bench(Names{{"ship", "Aurora"}}, {{"p", {"x-${ship}"}}, {"two words", {"2"}}});
  EXPECT_EQ(bench.evaluate("#{p}"), "x-Aurora");
  EXPECT_EQ(bench.evaluate("#{'two words'} ##{p} ###{two words}"), "2 #{p} #2");
  EXPECT_EQ(bench.evaluate("${#{p}:toUpper()}"), "X-${SHIP}");
}

// NiFi loses the text in front of an escaped parameter.
TEST(Prepare, KeepsTheTextInFrontOfAnEscapedParameter) {
  const Bench bench(Names{{"ship", "Aurora"}}, {{"p", {"x#{q}y"}}});
  EXPECT_EQ(bench.evaluate("a ##{p} b"), "a #{p} b");
  EXPECT_EQ(bench.evaluate("${ship} a ##{p} b"), "Aurora a #{p} b");
  EXPECT_EQ(bench.evaluate("#{p}"), "x#{q}y");
}

TEST(Prepare, SensitiveParametersCannotBeWorkedOn) {
  const Bench bench(Names{{"a", "1"}}, {{"secret", {"s3cr3t", true}}});
  EXPECT_EQ(bench.evaluate("#{secret}"), "s3cr3t");
  EXPECT_EQ(bench.evaluate("${#{secret}}"), "");
  EXPECT_EQ(bench.evaluate("${a:append(#{secret})}"), "1");
}

TEST(Prepare, UnknownParametersAreAllowedOnDemand) {
  const Bench bench;
  Environment lenient = bench.environment();
  lenient.lenient_parameters = true;
  const auto prepared =
      prepare("x#{q}y${#{q}:isNull()}", ExpressionScope::flow_file_attributes, lenient);
  ASSERT_TRUE(prepared);
  std::string out;
  prepared->expression->evaluate({}, out);
  EXPECT_EQ(out, "x#{q}ytrue");
  EXPECT_EQ(error_offset(bench, "x#{q}y"), 1u);
}

TEST(Prepare, WithoutScopeOnlyParametersCount) {
  const Bench bench({}, {{"p", {"v"}}});
  const auto prepared =
      prepare("${a:#{p}} $${b} ##{p}", ExpressionScope::none, bench.environment());
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->text, "${a:v} $${b} #{p}");
  EXPECT_EQ(prepared->expression, nullptr);
}

TEST(Prepare, KnowsTheTypeOfASingleExpression) {
  const auto type = [](std::string_view text) {
    return Bench().prepare(text)->expression->result();
  };
  EXPECT_EQ(type("${a}"), ExpressionResult::string);
  EXPECT_EQ(type("${a:equals('b')}"), ExpressionResult::boolean);
  EXPECT_EQ(type("${a:equals('b')} "), ExpressionResult::string);
  EXPECT_EQ(type("${a:length()}"), ExpressionResult::whole_number);
  EXPECT_EQ(type("${a:plus(1)}"), ExpressionResult::number);
  EXPECT_EQ(type("${a:toDecimal()}"), ExpressionResult::decimal);
  EXPECT_EQ(type("${now()}"), ExpressionResult::date);
  EXPECT_EQ(type("${now():toNumber():toInstant()}"), ExpressionResult::instant);
  EXPECT_EQ(type("${anyAttribute('a','b'):isNull()}"), ExpressionResult::boolean);
}

TEST(Prepare, RefusesWhatIsNestedTooDeep) {
  const Bench bench;
  std::string nested, quoted, chain = "${a";
  for (int i = 0; i < 100'000; ++i) nested += "${";
  nested += 'a';
  for (int i = 0; i < 100'000; ++i) nested += '}';
  EXPECT_THAT(bench.evaluate(nested), HasSubstr("nested more than"));
  for (int i = 0; i < 100'000; ++i) chain += ":trim()";
  EXPECT_THAT(bench.evaluate(chain + "}"), HasSubstr("in a row"));
  std::string arguments = "${a}";
  for (int i = 0; i < 300; ++i) arguments = "${a:append(" + arguments + ")}";
  EXPECT_EQ(bench.evaluate(arguments), "");
}

// A flow's file names had the minutes in place of the month: yyyy-mm-dd.
TEST(Prepare, WarnsOfMinutesWhereTheMonthIsMeant) {
  const auto warnings = [](std::string_view text) { return Bench().prepare(text)->warnings; };
  const auto minutes = warnings("a-${now():format('yyyy-mm-dd')}");
  ASSERT_THAT(minutes, SizeIs(1));
  EXPECT_EQ(minutes[0].offset, 17u);
  EXPECT_THAT(minutes[0].message, HasSubstr("mm are minutes"));
  EXPECT_THAT(warnings("${d:toDate('YYYY-MM-dd')}"), SizeIs(1));
  EXPECT_THAT(warnings("${now():format('yyyy-MM-dd hh:mm')}"), SizeIs(1));
  EXPECT_THAT(warnings("${now():format('HH:MM')}"), SizeIs(1));
  EXPECT_THAT(warnings("${now():format('yyyy-MM-DD')}"), SizeIs(1));
  EXPECT_THAT(warnings("${now():format(\"yyyy-MM-dd'T'HH:mm:ss.SSS\")} ${a:find('mm')}"),
              IsEmpty());
  EXPECT_THAT(warnings("${now():format('h:mm a')} ${now():format('YYYY-ww')}"), IsEmpty());
  EXPECT_THAT(warnings("${a:append(\"${now():format('dd-mm')}\")}"), SizeIs(1));
}

}  // namespace
}  // namespace weir::expression
