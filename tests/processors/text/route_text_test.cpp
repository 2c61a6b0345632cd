#include "processors/text/route_text.h"

#include <gtest/gtest.h>

#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

// Runs one text; what each relationship got, all its FlowFiles joined.
std::map<std::string, std::string> route(Values properties, std::string text,
                                         Values attributes = {}) {
  TestBench bench(route_text(), std::move(properties));
  bench.enqueue(std::move(text), std::move(attributes));
  bench.run();
  EXPECT_FALSE(bench.last_error()) << *bench.last_error();
  std::map<std::string, std::string> got;
  for (const std::string& name : bench.relationships()) {
    for (const auto& output : bench.outputs(name)) {
      EXPECT_EQ(output.attribute("RouteText.Route"), name);
      if (name != "original") got[name] += output.content;
    }
  }
  EXPECT_EQ(bench.count("original"), 1u);
  return got;
}

using Routed = std::map<std::string, std::string>;

const std::string log_text = "ERROR disk\nINFO start\nWARN slow\nERROR net\n";

TEST(RouteText, ContainsSendsEachLineToEveryConditionItMeets) {
  EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"e", "ERROR"}, {"d", "disk"}}, log_text),
            (Routed{{"e", "ERROR disk\nERROR net\n"},
                    {"d", "ERROR disk\n"},
                    {"unmatched", "INFO start\nWARN slow\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"x", "o"}}, "o"), (Routed{{"x", "o"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"x", "no"}}, "o"),
            (Routed{{"unmatched", "o"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"x", "x"}}, ""), Routed{});
}

TEST(RouteText, OtherStrategies) {
  const std::string all = "Route to 'matched' if line matches all conditions";
  const std::string any = "Route to 'matched' if lines matches any condition";
  EXPECT_EQ(
      route({{"Matching Strategy", "Contains"}, {"Routing Strategy", all}, {"x", "a"}, {"y", "b"}},
            "ab\na\nb\nc\n"),
      (Routed{{"matched", "ab\n"}, {"unmatched", "a\nb\nc\n"}}));
  EXPECT_EQ(
      route({{"Matching Strategy", "Contains"}, {"Routing Strategy", any}, {"x", "a"}, {"y", "b"}},
            "ab\nq\nb\nc\n"),
      (Routed{{"matched", "ab\nb\n"}, {"unmatched", "q\nc\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Starts With"},
                   {"Routing Strategy", all},
                   {"x", "a"},
                   {"y", "ab"}},
                  "abc\na\nx\n"),
            (Routed{{"matched", "abc\n"}, {"unmatched", "a\nx\n"}}));
  EXPECT_EQ(
      route({{"Matching Strategy", "Ends With"}, {"Routing Strategy", any}, {"x", "a"}, {"y", "b"}},
            "xa\nxb\nx\n"),
      (Routed{{"matched", "xa\nxb\n"}, {"unmatched", "x\n"}}));
}

TEST(RouteText, CaseAndWhiteSpaceAreIgnoredWhereAsked) {
  EXPECT_EQ(
      route({{"Matching Strategy", "Contains"}, {"Ignore Case", "true"}, {"e", "eRRor"}}, log_text),
      (Routed{{"e", "ERROR disk\nERROR net\n"}, {"unmatched", "INFO start\nWARN slow\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"Ignore Case", "true"}, {"e", "É"}},
                  "caf\u00e9\nx\n"),
            (Routed{{"e", "caf\u00e9\n"}, {"unmatched", "x\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Equals"}, {"Ignore Case", "true"}, {"y", "yes"}},
                  "Yes\nno\n yEs \n"),
            (Routed{{"y", "Yes\n yEs \n"}, {"unmatched", "no\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Equals"},
                   {"Ignore Leading/Trailing Whitespace", "false"},
                   {"a", "a"}},
                  "a\r\na \n a"),
            (Routed{{"a", "a\r\n"}, {"unmatched", "a \n a"}}));
  // White space at the ends of a line is not there to be found, within the line it is.
  EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"s", " b"}}, " b\na b\n"),
            (Routed{{"s", "a b\n"}, {"unmatched", " b\n"}}));
}

TEST(RouteText, ExpressionsSeeTheLine) {
  EXPECT_EQ(
      route({{"Matching Strategy", "Matches Regular Expression"}, {"n", "\\d+"}}, "12\r\nab\n 3\n"),
      (Routed{{"n", "12\r\n 3\n"}, {"unmatched", "ab\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Contains Regular Expression"},
                   {"Ignore Case", "true"},
                   {"n", "^e.*k$"}},
                  log_text),
            (Routed{{"n", "ERROR disk\n"}, {"unmatched", "INFO start\nWARN slow\nERROR net\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Matches Regular Expression"}, {"n", "${a}\\d"}},
                  "x1\ny1\n", {{"a", "x"}}),
            (Routed{{"n", "x1\n"}, {"unmatched", "y1\n"}}));
  EXPECT_FALSE(
      TestBench(route_text(), {{"Matching Strategy", "Matches Regular Expression"}, {"n", "("}})
          .validate()
          .empty());
  EXPECT_FALSE(TestBench(route_text(), {{"Matching Strategy", "Contains"}}).validate().empty());
}

TEST(RouteText, GroupsGetTheirOwnFlowFiles) {
  TestBench bench(route_text(), {{"Matching Strategy", "Contains"},
                                 {"Grouping Regular Expression", "(\\w)(\\w)?,.*"},
                                 {"x", "x"}});
  bench.enqueue("a,x1\nb,x\na,x2\n--x\nab,x\nq,\n");
  bench.run();
  std::map<std::string, std::string> groups;
  for (const auto& output : bench.outputs("x")) {
    groups[output.attribute("RouteText.Group")] += output.content;
  }
  EXPECT_EQ(groups,
            (Routed{{"a, ", "a,x1\na,x2\n"}, {"b, ", "b,x\n"}, {"", "--x\n"}, {"a, b", "ab,x\n"}}));
  EXPECT_EQ(bench.outputs("unmatched").at(0).attribute("RouteText.Group"), "q, ");
}

TEST(RouteText, ManyGroupsKeepTheOrderOfTheirLines) {
  std::string text;
  std::map<std::string, std::string> wanted;
  for (int i = 0; i < 60'000; ++i) {
    const std::string group = std::to_string(i % 700);
    const std::string line = group + "," + std::to_string(i) + repeated(500, '.') + "\n";
    text += line;
    wanted[group] += line;
  }
  TestBench bench(route_text(), {{"Matching Strategy", "Contains"},
                                 {"Grouping Regular Expression", "(\\d+),.*"},
                                 {"x", ","}});
  bench.enqueue(text);
  bench.run();
  ASSERT_EQ(bench.count("x"), wanted.size());
  for (const auto& output : bench.outputs("x")) {
    EXPECT_EQ(output.content, wanted[output.attribute("RouteText.Group")]);
  }
}

// One rule of what a line is, whatever stands at the border of a buffer.
TEST(RouteText, DoesNotTakeALoneCrOrALastLineForSomethingElse) {
  EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"x", "a"}}, "a\rb\nc\r\na"),
            (Routed{{"x", "a\ra"}, {"unmatched", "b\nc\r\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Equals"}, {"x", "a"}}, "a\rb\nc\r\na"),
            (Routed{{"x", "a\ra"}, {"unmatched", "b\nc\r\n"}}));
  for (const std::size_t size : {262'142, 262'143, 262'144, 262'145}) {
    const std::string first(size, 'a');
    EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"x", "b"}}, first + "\r\nb\r"),
              (Routed{{"x", "b\r"}, {"unmatched", first + "\r\n"}}))
        << size;
  }
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    const std::string text = many_lines(100'000, end);
    Routed wanted;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = text.find(end, at) + end.size();
      const std::string line = text.substr(at, next - at);
      wanted[line.find("77") != std::string::npos ? "x" : "unmatched"] += line;
      at = next;
    }
    EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"x", "77"}}, text), wanted);
    EXPECT_EQ(route({{"Matching Strategy", "Contains Regular Expression"}, {"x", "77"}}, text),
              wanted);
  }
}

// Whether a block is searched as a whole or line by line makes no difference.
TEST(RouteText, SearchingBlocksFindsWhatALookAtEachLineFinds) {
  std::uint64_t seed = 5;
  std::string text;
  const Strings words = {"ab", "Ab", "abc", "b", "x", "\n", "\r", "\r\n", " ", "\u00e9"};
  for (int i = 0; i < 200'000; ++i) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    text += words[(seed >> 40) % (i < 100'000 ? words.size() - 1 : words.size())];
  }
  for (const char* strategy :
       {"Route to each matching Property Name", "Route to 'matched' if line matches all conditions",
        "Route to 'matched' if lines matches any condition"}) {
    for (const char* ignore_case : {"false", "true"}) {
      const auto with = [&](const std::string& matching) {
        return route({{"Matching Strategy", matching},
                      {"Routing Strategy", strategy},
                      {"Ignore Case", ignore_case},
                      {"p", "abab"},
                      {"q", "bx"},
                      {"r", "cb"}},
                     text);
      };
      EXPECT_TRUE(with("Contains") == with("Contains Regular Expression")) << strategy;
    }
  }
}

TEST(RouteText, MalformedTextIsRepairedAndGoodTextIsNotTouched) {
  EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"x", "a"}},
                  "\xFF"
                  "a\nb\xC3\n"),
            (Routed{{"x", "\uFFFDa\n"}, {"unmatched", "b\uFFFD\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"x", "a"}}, "a\xE2\x82"),
            (Routed{{"x", "a\uFFFD"}}));
  // A character at the border of two reads.
  for (const std::size_t size : {262'141, 262'142, 262'143, 262'144}) {
    const std::string line = repeated(size, 'a') + "\U0001F600\n";
    EXPECT_EQ(route({{"Matching Strategy", "Contains"}, {"x", "\U0001F600"}}, line + "b\n"),
              (Routed{{"x", line}, {"unmatched", "b\n"}}));
  }
}

TEST(RouteText, OtherCharacterSets) {
  // A byte order mark is part of the first line; in UTF-16 it only tells the order.
  EXPECT_EQ(route({{"Matching Strategy", "Starts With"}, {"x", "\uFEFFa"}}, "\uFEFFa\nb\n"),
            (Routed{{"x", "\uFEFFa\n"}, {"unmatched", "b\n"}}));
  EXPECT_EQ(route({{"Matching Strategy", "Equals"}, {"Character Set", "UTF-16"}, {"x", "a"}},
                  std::string("\xFF\xFE"
                              "a\0\n\0b\0",
                              8)),
            (Routed{{"x", std::string("\xFE\xFF\0a\0\n", 6)},
                    {"unmatched", std::string("\xFE\xFF\0b", 4)}}));
  EXPECT_EQ(
      route({{"Matching Strategy", "Contains"}, {"Character Set", "ISO-8859-1"}, {"x", "\u00e9"}},
            "n\xE9\nb\n"),
      (Routed{{"x", "n\xE9\n"}, {"unmatched", "b\n"}}));
}

// NiFi holds a line of any length. Here the FlowFile goes aside with the reason.
TEST(RouteText, ALineThatIsTooLongTakesTheWholeFlowFileToUnmatched) {
  TestBench bench(route_text(), {{"Matching Strategy", "Contains"}, {"x", "x"}});
  const std::string text = "x\n" + repeated(18u << 20, 'a') + "\nx\n";
  bench.enqueue(text);
  bench.enqueue("x\n");
  bench.run(2);
  EXPECT_FALSE(bench.last_error());
  ASSERT_EQ(bench.count("unmatched"), 1u);
  const auto output = bench.outputs("unmatched")[0];
  EXPECT_TRUE(output.content == text);
  EXPECT_EQ(output.attribute("routeText.error"), "a line is longer than 16777216 characters");
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 1u);
  EXPECT_EQ(contents(bench, "x"), Strings{"x\n"});
  EXPECT_EQ(bench.count("original"), 1u);
}

TEST(RouteText, AnExplodingExpressionTakesTheWholeFlowFileToUnmatched) {
  TestBench bench(route_text(),
                  {{"Matching Strategy", "Matches Regular Expression"}, {"x", "(a|aa)+"}});
  bench.enqueue("aa\n" + repeated(5000, 'a') + "!\n");
  bench.enqueue("aa\n");
  bench.run(2);
  EXPECT_FALSE(bench.last_error());
  ASSERT_EQ(bench.count("unmatched"), 1u);
  EXPECT_NE(bench.outputs("unmatched")[0].attribute("routeText.error"), "");
  EXPECT_EQ(contents(bench, "x"), Strings{"aa\n"});
}

}  // namespace
}  // namespace weir::processors
