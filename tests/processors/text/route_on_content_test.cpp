#include "processors/text/route_on_content.h"

#include <gtest/gtest.h>

#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

// The relationships that one content takes.
Strings route(Values properties, std::string text, Values attributes = {}) {
  TestBench bench(route_on_content(), std::move(properties));
  bench.enqueue(text, std::move(attributes));
  bench.run();
  EXPECT_FALSE(bench.last_error());
  Strings taken;
  for (const std::string& name : bench.relationships()) {
    for (const auto& output : bench.outputs(name)) {
      EXPECT_EQ(output.content, text);
      EXPECT_EQ(output.attribute("RouteOnContent.Route"), name);
      taken.push_back(name);
    }
  }
  return taken;
}

const Values contain = {{"Match Requirement", "content must contain match"}};

Values containing(Values properties) {
  properties.insert(contain.begin(), contain.end());
  return properties;
}

TEST(RouteOnContent, GoesWhereverItMatches) {
  EXPECT_EQ(route({{"h", "hello"}}, "hello"), Strings{"h"});
  EXPECT_EQ(route({{"h", "hello"}}, "hello "), Strings{"unmatched"});
  EXPECT_EQ(route(containing({{"h", "hello"}, {"w", "w.r"}, {"z", "zz"}}), "hello world"),
            (Strings{"h", "w"}));
  EXPECT_EQ(route({{"x", "a.b"}}, "a\nb"), Strings{"unmatched"});
}

TEST(RouteOnContent, OnlyTheBufferIsLookedAt) {
  EXPECT_EQ(
      route(containing({{"x", "fg"}, {"y", "ab"}, {"Content Buffer Size", "4 B"}}), "abcdefgh"),
      Strings{"y"});
  EXPECT_EQ(route({{"x", "abcd"}, {"Content Buffer Size", "4 B"}}, "abcdefgh"), Strings{"x"});
}

TEST(RouteOnContent, AttributesStandForThemselves) {
  EXPECT_EQ(route(containing({{"x", "^${re}c$"}, {"y", "${re}"}}), "abc", {{"re", "[ab]"}}),
            Strings{"unmatched"});
  EXPECT_EQ(route(containing({{"x", "id=${want}"}}), "id=7.", {{"want", "7."}}), Strings{"x"});
}

TEST(RouteOnContent, MalformedText) {
  EXPECT_EQ(route(containing({{"x", "ab"}, {"y", "\\ufffd"}}), std::string("\xFF\xFE\0ab", 5)),
            (Strings{"x", "y"}));
}

TEST(RouteOnContent, BadExpressionsAreRefused) {
  EXPECT_FALSE(TestBench(route_on_content(), {{"x", "("}}).validate().empty());
  EXPECT_FALSE(TestBench(route_on_content(), {{"unmatched", "a"}}).validate().empty());
}

TEST(RouteOnContent, AnExplodingExpressionGoesToUnmatchedWithTheReason) {
  TestBench bench(route_on_content(), {{"x", "(a|aa)+"}});
  bench.enqueue(repeated(5000, 'a') + "!");
  bench.run();
  EXPECT_FALSE(bench.last_error());
  EXPECT_NE(bench.outputs("unmatched").at(0).attribute("routeOnContent.error"), "");
}

}  // namespace
}  // namespace weir::processors
