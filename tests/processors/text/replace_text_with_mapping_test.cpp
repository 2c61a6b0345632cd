#include "processors/text/replace_text_with_mapping.h"

#include <gtest/gtest.h>

#include "tests/processors/text/dictionary_file.h"
#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

const std::string colors =
    "red\tcrimson\ngreen\tlime $1\nblue\tnavy\\sky\nempty\t\nsp ace\tjoined\n";

std::string replace(TestBench& bench, std::string text, Values attributes = {}) {
  bench.forget_outputs();
  bench.enqueue(std::move(text), std::move(attributes));
  bench.run();
  EXPECT_FALSE(bench.last_error()) << *bench.last_error();
  EXPECT_EQ(bench.count("success"), 1u);
  return bench.count("success") ? bench.outputs("success")[0].content : "";
}

TEST(ReplaceTextWithMapping, ReplacesWhatTheFileHas) {
  const DictionaryFile file(colors);
  TestBench bench(replace_text_with_mapping(), {{"Mapping File", file.path()}});
  EXPECT_EQ(replace(bench, "red green blue other"), "crimson lime $1 navysky other");
  EXPECT_EQ(replace(bench, "red\r\ngreen\n"), "crimson\r\nlime $1\n");
  EXPECT_EQ(replace(bench, "[empty] empty sp"), "[empty]  ace\tjoined");
  EXPECT_EQ(replace(bench, "Red red,"), "Red red,");
  EXPECT_EQ(replace(bench, "C:\\dir $5"), "C:\\dir $5");
  EXPECT_EQ(replace(bench, ""), "");
}

TEST(ReplaceTextWithMapping, OnlyTheGroupIsReplaced) {
  const DictionaryFile file("red\t<$1>\nblue\t$2 a$7\n");
  TestBench bench(replace_text_with_mapping(), {{"Mapping File", file.path()},
                                                {"Regular Expression", "c(=)(\\w+)"},
                                                {"Matching Group", "2"}});
  EXPECT_EQ(replace(bench, "c=red; c=blue; red"), "c=<=>; c=blue a$7; red");
}

TEST(ReplaceTextWithMapping, ExpressionsInTheRegularExpressionAreQuoted) {
  const DictionaryFile file(colors);
  TestBench bench(replace_text_with_mapping(),
                  {{"Mapping File", file.path()}, {"Regular Expression", "${re}"}});
  EXPECT_EQ(replace(bench, "red x", {{"re", "\\w+"}}), "red x");
  EXPECT_EQ(replace(bench, "red x", {{"re", "red"}}), "crimson x");
}

TEST(ReplaceTextWithMapping, ReadsTheFileAgainAfterTheInterval) {
  DictionaryFile file("a\tone\n");
  TestBench bench(replace_text_with_mapping(),
                  {{"Mapping File", file.path()}, {"Mapping File Refresh Interval", "5s"}});
  EXPECT_EQ(replace(bench, "a"), "one");
  file.write("a\ttwo\n");
  EXPECT_EQ(replace(bench, "a"), "one");
  bench.advance(std::chrono::seconds(6));
  EXPECT_EQ(replace(bench, "a"), "two");
  file.remove();
  bench.advance(std::chrono::seconds(6));
  EXPECT_EQ(replace(bench, "a"), "two");
}

TEST(ReplaceTextWithMapping, FailuresStayAsTheyWere) {
  DictionaryFile file("a\t$9\n");
  TestBench bench(replace_text_with_mapping(), {{"Mapping File", file.path()},
                                                {"Regular Expression", "(a|aa)+$"},
                                                {"Maximum Buffer Size", "10 KB"}});
  const std::string explodes = repeated(5000, 'a') + "b";
  bench.enqueue(explodes);
  bench.enqueue(repeated(11'000, 'x'));
  bench.enqueue("a");
  bench.run(3);
  EXPECT_FALSE(bench.last_error());
  ASSERT_EQ(bench.count("failure"), 3u);
  for (const auto& output : bench.outputs("failure")) {
    EXPECT_NE(output.attribute("replaceTextWithMapping.error"), "");
  }
  EXPECT_EQ(bench.outputs("failure")[0].content, explodes);
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 3u);
}

TEST(ReplaceTextWithMapping, AMissingFileIsNeverAnEmptyMapping) {
  DictionaryFile file("a\tb\n");
  TestBench bench(replace_text_with_mapping(), {{"Mapping File", file.path()}});
  bench.enqueue("a");
  EXPECT_TRUE(bench.validate().empty());
  bench.run(0);
  file.remove();
  bench.run();
  EXPECT_EQ(bench.outputs("failure").at(0).content, "a");
  EXPECT_FALSE(
      TestBench(replace_text_with_mapping(), {{"Mapping File", "/no/such"}}).validate().empty());
}

TEST(ReplaceTextWithMapping, TheGroupMustBeThere) {
  const DictionaryFile file(colors);
  const auto problems = TestBench(replace_text_with_mapping(), {{"Mapping File", file.path()},
                                                                {"Regular Expression", "c=(\\w+)"},
                                                                {"Matching Group", "2"}})
                            .validate();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].property, "Insufficient Matching Groups");
}

}  // namespace
}  // namespace weir::processors
