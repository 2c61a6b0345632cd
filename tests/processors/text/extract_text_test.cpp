#include "processors/text/extract_text.h"

#include <gtest/gtest.h>

#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

// The attributes that were added; empty where it went to unmatched.
Values extract(Values properties, std::string text) {
  TestBench bench(extract_text(), std::move(properties));
  bench.enqueue(std::move(text));
  bench.run();
  EXPECT_FALSE(bench.last_error());
  EXPECT_EQ(bench.count("matched") + bench.count("unmatched"), 1u);
  if (bench.count("matched") == 0) return {};
  Values added = bench.outputs("matched")[0].attributes;
  for (const char* name : {"filename", "path", "uuid"}) added.erase(name);
  return added;
}

bool is_valid(Values properties) {
  return TestBench(extract_text(), std::move(properties)).validate().empty();
}

TEST(ExtractText, GroupsBecomeAttributes) {
  EXPECT_EQ(extract({{"p", "(\\d+) for (\\w+)"}}, "order 123 for Ann"),
            (Values{{"p", "123"}, {"p.0", "123 for Ann"}, {"p.1", "123"}, {"p.2", "Ann"}}));
  EXPECT_EQ(extract({{"p", "(\\d+)"}, {"Include Capture Group 0", "false"}}, "a 1"),
            (Values{{"p", "1"}, {"p.1", "1"}}));
  EXPECT_EQ(extract({{"p", "\\d+"}}, "a 1"), (Values{{"p.0", "1"}}));
  EXPECT_EQ(extract({{"p", "(a)|(b)"}}, "b"), (Values{{"p.0", "b"}, {"p.2", "b"}}));
  EXPECT_EQ(extract({{"p", "(z)"}}, "ab"), Values{});
  EXPECT_EQ(extract({{"p", "(a*)"}}, ""), Values{});
}

TEST(ExtractText, RepeatedMatchesCountOn) {
  const Values repeat = {{"Enable repeating capture group", "true"}};
  Values properties = repeat;
  properties["d"] = "([a-z])(\\d)";
  EXPECT_EQ(
      extract(properties, "a1 b2"),
      (Values{{"d", "a"}, {"d.0", "a1"}, {"d.1", "a"}, {"d.2", "1"}, {"d.3", "b"}, {"d.4", "2"}}));
  properties["d"] = "(a)|(b)";
  EXPECT_EQ(extract(properties, "ab"),
            (Values{{"d", "a"}, {"d.0", "a"}, {"d.1", "a"}, {"d.4", "b"}}));
}

TEST(ExtractText, NamedGroups) {
  Values properties = {{"Enable named group support", "true"}, {"kv", "(?<key>\\w)=(?<val>\\w)"}};
  EXPECT_EQ(extract(properties, "k=v m=n"),
            (Values{{"kv", "k=v"}, {"kv.key", "k"}, {"kv.val", "v"}}));
  properties["Enable repeating capture group"] = "true";
  EXPECT_EQ(
      extract(properties, "k=v m=n"),
      (Values{
          {"kv", "k=v"}, {"kv.key", "k"}, {"kv.val", "v"}, {"kv.key.1", "m"}, {"kv.val.1", "n"}}));
  properties["kv"] = "(?<key>\\w)=(\\w)";
  EXPECT_FALSE(is_valid(properties));
}

TEST(ExtractText, Flags) {
  EXPECT_EQ(extract({{"Enable Multiline Mode", "true"}, {"s", "^(b)$"}}, "a\nb\nc"),
            (Values{{"s", "b"}, {"s.0", "b"}, {"s.1", "b"}}));
  EXPECT_EQ(extract({{"Enable Literal Parsing of the Pattern", "true"}, {"s", "(a.b)"}}, "(a.b)"),
            (Values{{"s.0", "(a.b)"}}));
  EXPECT_EQ(extract({{"Enable DOTALL Mode", "true"}, {"s", "a.b"}}, "a\nb"),
            (Values{{"s.0", "a\nb"}}));
  EXPECT_EQ(extract({{"Enable Canonical Equivalence", "true"}, {"s", "\u00e9"}}, "e\u0301"),
            (Values{{"s.0", "\u00e9"}}));
  EXPECT_EQ(extract({{"s", "\u00e9"}}, "e\u0301"), Values{});
}

TEST(ExtractText, LimitsAreThoseThatWereSet) {
  EXPECT_EQ(extract({{"Maximum Capture Group Length", "2"}, {"s", "(.+)"}}, "\u00e9\u00e8x"),
            (Values{{"s", "\u00e9\u00e8"}, {"s.0", "\u00e9\u00e8"}, {"s.1", "\u00e9\u00e8"}}));
  EXPECT_EQ(extract({{"Maximum Buffer Size", "3 B"}, {"s", "\\w+"}}, "abcdef"),
            (Values{{"s.0", "abc"}}));
  EXPECT_FALSE(is_valid({{"s", "(unclosed"}}));
  EXPECT_FALSE(is_valid({{"s", "x"}, {"Include Capture Group 0", "false"}}));
  std::string groups;
  for (int i = 0; i < 41; ++i) groups += "(a)";
  EXPECT_FALSE(is_valid({{"s", groups}}));
}

TEST(ExtractText, MalformedText) {
  EXPECT_EQ(extract({{"s", "(.+)"}, {"Include Capture Group 0", "false"}},
                    "\xFF"
                    "a\xC3"),
            (Values{{"s", "\uFFFDa\uFFFD"}, {"s.1", "\uFFFDa\uFFFD"}}));
  EXPECT_EQ(extract({{"s", "n."}, {"Character Set", "ISO-8859-1"}}, "n\xE9"),
            (Values{{"s.0", "n\u00e9"}}));
}

TEST(ExtractText, AnExplodingExpressionGoesToUnmatchedWithTheReason) {
  TestBench bench(extract_text(), {{"s", "(a|aa)+$"}});
  bench.enqueue(repeated(5000, 'a') + "b");
  bench.run();
  EXPECT_FALSE(bench.last_error());
  EXPECT_NE(bench.outputs("unmatched").at(0).attribute("extractText.error"), "");
}

}  // namespace
}  // namespace weir::processors
