#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/api/flow_file.h"
#include "tests/engine/expression/expression_bench.h"

namespace weir::expression {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A FlowFile outside of any session.
class LooseFlowFile {
 public:
  explicit LooseFlowFile(std::vector<flowfile::Attributes::Entry> attributes) {
    auto* record = new flowfile::FlowFileRecord;
    record->id = 7;
    record->entry_ms = 1'000;
    record->lineage_start_ms = 900;
    record->attributes = flowfile::Attributes::make(std::move(attributes));
    entry_.current = record;
  }
  const FlowFile& get() const { return flow_file_; }

 private:
  SessionEntry entry_;
  const FlowFile flow_file_{&entry_};
};

std::string evaluate(std::string_view text, const ExpressionInputs& inputs) {
  std::string out;
  Bench().prepare(text)->expression->evaluate(inputs, out);
  return out;
}

TEST(Evaluate, ReadsAttributesAndWhatIsKnownOfTheFlowFile) {
  const LooseFlowFile flow_file({{"filename", "a.csv"}, {"fileSize", "wrong"}});
  const ExpressionInputs inputs{.flow_file = &flow_file.get()};
  EXPECT_EQ(evaluate("${filename:substringBefore('.'):toUpper()}", inputs), "A");
  EXPECT_EQ(evaluate("${uuid:length()} ${fileSize} ${flowFileId}", inputs), "36 0 7");
  EXPECT_EQ(evaluate("${entryDate}/${lineageStartDate}", inputs), "1000/900");
}

TEST(Evaluate, VariablesWinOverAttributes) {
  const LooseFlowFile flow_file({{"a", "attribute"}, {"b", "attribute"}});
  const Names variables = {{"a", "variable"}, {"$1", "group"}};
  const ExpressionInputs inputs{.flow_file = &flow_file.get(), .variables = &variables};
  EXPECT_EQ(evaluate("${a} ${b} ${'$1'}", inputs), "variable attribute group");
}

TEST(Evaluate, DecoratesWhatEachExpressionGives) {
  const Names variables = {{"a", "x.y"}};
  const std::function<std::string(std::string)> quote = [](std::string text) {
    return "<" + text + ">";
  };
  const ExpressionInputs inputs{.variables = &variables, .decorate = &quote};
  EXPECT_EQ(evaluate("(${a}) ${a:length()} ${missing}.", inputs), "(<x.y>) <3> .");
}

TEST(Evaluate, AppendsToWhatIsThere) {
  const Names variables = {{"a", "1"}};
  std::string out = "kept ";
  Bench().prepare("${a}")->expression->evaluate({.variables = &variables}, out);
  EXPECT_EQ(out, "kept 1");
}

TEST(Evaluate, MatchingAttributesAreVariablesAndWhatTheFlowFileHas) {
  const LooseFlowFile flow_file({{"a1", "x"}, {"a2", "y"}});
  const Names variables = {{"a2", "z"}, {"a3", "w"}};
  const ExpressionInputs inputs{.flow_file = &flow_file.get(), .variables = &variables};
  EXPECT_EQ(evaluate("${allMatchingAttributes('a.'):join(',')}", inputs), "x,z,w");
  EXPECT_EQ(evaluate("${allMatchingAttributes('PATH|fileSize|uuid'):count()}", inputs), "2");
}

TEST(Evaluate, AsksTheEnvironmentLast) {
  setenv("WEIR_EXPRESSION_TEST", "from outside", 1);
  const Names variables = {{"os.name", "mine"}};
  const ExpressionInputs inputs{.variables = &variables};
  EXPECT_EQ(evaluate("${WEIR_EXPRESSION_TEST} ${os.name}", inputs), "from outside mine");
  EXPECT_EQ(evaluate("${os.name}", {}), "Linux");
  EXPECT_EQ(evaluate("${java.home:isNull()}", {}), "true");
}

TEST(Evaluate, ReadsStateWhereThereIsOne) {
  const std::map<std::string, std::string> state = {{"count", "41"}};
  EXPECT_EQ(evaluate("${getStateValue('count'):plus(1)}", {.state = &state}), "42");
  EXPECT_THROW(evaluate("${getStateValue('count')}", {}), ProcessException);
}

TEST(Evaluate, TakesTimeAndRandomnessFromTheEnvironment) {
  EXPECT_EQ(evaluate("${now():toNumber()}", {}), "1700000000123");
  EXPECT_EQ(evaluate("${UUID()}", {}), evaluate("${UUID()}", {}));
}

TEST(Evaluate, BytesThatAreNoUtf8GoThrough) {
  const Bench bench(Names{{"a", "x\xFF\xC3.\xF0\x9F"}});
  EXPECT_EQ(bench.evaluate("${a}"), "x\xFF\xC3.\xF0\x9F");
  EXPECT_EQ(bench.evaluate("${a:substringBefore('.'):append('!')}"), "x\xFF\xC3!");
  EXPECT_EQ(bench.evaluate("${a:contains('.')} ${a:replace('x','y'):length():gt(3)}"), "true true");
}

TEST(Evaluate, BoundsWhatATextMayGrowTo) {
  const Bench bench(Names{{"a", "0123456789"}, {"many", "0"}});
  EXPECT_THAT(bench.evaluate("${a:repeat(100000000)}"), HasSubstr("64 MB"));
  EXPECT_THAT(bench.evaluate("${a:padLeft(2000000000)}"), HasSubstr("64 MB"));
  EXPECT_THAT(bench.evaluate("${n:replaceNull('n'):padRight(2000000000, 'ab')}"),
              HasSubstr("64 MB"));
  EXPECT_THAT(bench.evaluate("${many:repeat(60000):replace('0',${a:repeat(2000)})}"),
              HasSubstr("64 MB"));
  EXPECT_THAT(bench.evaluate("${many:repeat(60000):replaceAll('0',${a:repeat(2000)})}"),
              HasSubstr("64 MB"));
  EXPECT_THAT(bench.evaluate("${many:repeat(60000):replace('',${a:repeat(2000)})}"),
              HasSubstr("64 MB"));
}

TEST(Evaluate, ATextThatEvaluatesItselfEnds) {
  const Bench bench(Names{{"a", "${a:evaluateELString()}"}, {"b", "${c}"}, {"c", "end"}});
  EXPECT_THAT(bench.evaluate("${a:evaluateELString()}"), HasSubstr("again and again"));
  EXPECT_EQ(bench.evaluate("${b:evaluateELString()}"), "end");
}

TEST(Evaluate, AnExplodingPatternEnds) {
  std::string text(5000, 'a');
  text += 'b';
  const Bench bench(Names{{"a", text}});
  EXPECT_THAT(bench.evaluate("${a:matches('(a|aa)+')}"), StartsWith("failed: "));
}

// One prepared expression serves all tasks of a processor at once.
TEST(Evaluate, ManyThreadsShareOneExpression) {
  const auto prepared = *Bench().prepare(
      "${a:toUpper():append(${b}):replaceAll('[0-9]+','<$0>')} ${a:length()}"
      " ${allAttributes('a','b'):join('+')} ${b:matches(${p})}");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string name(static_cast<std::size_t>(thread) + 1, 'x');
      const Names variables = {{"a", name}, {"b", std::to_string(thread)}, {"p", "[0-9]"}};
      const std::string number = std::to_string(thread);
      const std::string expected = std::string(name.size(), 'X') + "<" + number + "> " +
                                   std::to_string(name.size()) + " " + name + "+" + number +
                                   " true";
      for (int i = 0; i < 2000; ++i) {
        std::string out;
        prepared.expression->evaluate({.variables = &variables}, out);
        if (out != expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace weir::expression
