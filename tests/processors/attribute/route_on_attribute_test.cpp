#include "processors/attribute/route_on_attribute.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

constexpr const char* all = "Route to 'match' if all match";
constexpr const char* any = "Route to 'match' if any matches";

TEST(RouteOnAttribute, EachTrueConditionGetsACopy) {
  TestBench bench(route_on_attribute(), {{"is.a", "${a:equals('1')}"},
                                         {"is.b", "${b:equals('2')}"},
                                         {"is.c", "${c:isEmpty():not()}"}});
  bench.enqueue("x", {{"a", "1"}, {"b", "2"}});
  bench.enqueue("y", {{"a", "9"}});
  bench.run();
  ASSERT_EQ(bench.count("is.a"), 1u);
  ASSERT_EQ(bench.count("is.b"), 1u);
  EXPECT_EQ(bench.count("is.c"), 0u);
  ASSERT_EQ(bench.count("unmatched"), 1u);
  EXPECT_EQ(bench.outputs("is.a")[0].attribute("RouteOnAttribute.Route"), "is.a");
  EXPECT_EQ(bench.outputs("is.b")[0].attribute("RouteOnAttribute.Route"), "is.b");
  EXPECT_EQ(bench.outputs("unmatched")[0].attribute("RouteOnAttribute.Route"), "unmatched");
  EXPECT_EQ(bench.count_events("ROUTE:is.a"), 1u);
  EXPECT_EQ(bench.count_events("ROUTE:is.b"), 1u);
  EXPECT_NE(bench.outputs("is.a")[0].attribute("uuid"), bench.outputs("is.b")[0].attribute("uuid"));
  EXPECT_EQ(bench.content_bytes_stored(), 2u);  // copies share the content
}

TEST(RouteOnAttribute, AllOrAnyConditions) {
  const auto route = [](const char* strategy, Values attributes) {
    TestBench bench(
        route_on_attribute(),
        {{"Routing Strategy", strategy}, {"p", "${a:equals('1')}"}, {"q", "${b:equals('2')}"}});
    bench.enqueue("x", std::move(attributes));
    bench.run();
    return bench.count("matched") == 1;
  };
  EXPECT_TRUE(route(all, {{"a", "1"}, {"b", "2"}}));
  EXPECT_FALSE(route(all, {{"a", "1"}}));
  EXPECT_TRUE(route(any, {{"a", "1"}}));
  EXPECT_FALSE(route(any, {}));
}

TEST(RouteOnAttribute, WithoutConditionsAllMatchAndAnyDoesNot) {
  TestBench of_all(route_on_attribute(), {{"Routing Strategy", all}});
  of_all.enqueue("x");
  of_all.run();
  EXPECT_EQ(of_all.count("matched"), 1u);
  TestBench of_any(route_on_attribute(), {{"Routing Strategy", any}});
  of_any.enqueue("x");
  of_any.run();
  EXPECT_EQ(of_any.count("unmatched"), 1u);
}

TEST(RouteOnAttribute, ConditionsMustBeTrueOrFalse) {
  const auto is_valid = [](const char* condition) {
    return TestBench(route_on_attribute(), {{"p", condition}}).validate().empty();
  };
  EXPECT_TRUE(is_valid("${a:equals('1')}"));
  EXPECT_FALSE(is_valid("true"));
  EXPECT_FALSE(is_valid("${a}"));
  EXPECT_FALSE(is_valid("${a:toUpper()}"));
  EXPECT_FALSE(is_valid("${a:equals('1')} "));
  EXPECT_FALSE(is_valid("${a:equals(}"));
}

TEST(RouteOnAttribute, AConditionMayBeNamedUnmatched) {
  TestBench bench(route_on_attribute(), {{"unmatched", "${a:equals('1')}"}});
  EXPECT_EQ(bench.relationships(), std::vector<std::string>{"unmatched"});
  bench.enqueue("x", {{"a", "1"}});
  bench.enqueue("y", {{"a", "2"}});
  bench.run();
  EXPECT_EQ(bench.count("unmatched"), 2u);
}

// A condition that throws for one FlowFile must not hold up those queued beside it.
TEST(RouteOnAttribute, OneFlowFileThatThrowsFailsAlone) {
  TestBench bench(route_on_attribute(), {{"late", "${when:toDate('yyyy'):toNumber():gt(0)}"}});
  for (const char* when : {"2001", "2002", "no date", "2003"}) bench.enqueue("x", {{"when", when}});
  bench.run();
  EXPECT_EQ(bench.count("late"), 2u);
  EXPECT_FALSE(bench.last_error());
  bench.run();
  EXPECT_TRUE(bench.last_error());
  bench.run();
  EXPECT_FALSE(bench.last_error());
  EXPECT_EQ(bench.count("late"), 3u);
  EXPECT_EQ(bench.queued(), 1u);
}

}  // namespace
}  // namespace weir::processors
