#include "processors/attribute/update_attribute.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::Output;
using bench::TestBench;
using bench::Values;

Output update(Values properties, Values attributes) {
  TestBench bench(update_attribute(), std::move(properties));
  bench.enqueue("x", std::move(attributes));
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u) << bench.last_error().value_or("");
  return bench.count("success") == 1 ? bench.outputs("success")[0] : Output();
}

TEST(UpdateAttribute, ValuesComeFromTheIncomingAttributes) {
  const Output out =
      update({{"a", "${b}"}, {"b", "${a}"}, {"c", "fixed"}}, {{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(out.attribute("a"), "2");
  EXPECT_EQ(out.attribute("b"), "1");
  EXPECT_EQ(out.attribute("c"), "fixed");
}

TEST(UpdateAttribute, EmptyIsAValue) {
  EXPECT_EQ(update({{"a", ""}}, {{"a", "1"}}).attributes.at("a"), "");
  EXPECT_EQ(update({{"a", "${none}"}}, {}).attributes.at("a"), "");
}

TEST(UpdateAttribute, RemovesByTheWholeName) {
  const Output out = update({{"Delete Attributes Expression", "temp.*|filename"}},
                            {{"temp1", "t"}, {"mytemp", "m"}, {"keep", "k"}});
  EXPECT_FALSE(out.attributes.contains("temp1"));
  EXPECT_FALSE(out.attributes.contains("filename"));
  EXPECT_EQ(out.attribute("mytemp"), "m");
  EXPECT_EQ(out.attribute("keep"), "k");
}

TEST(UpdateAttribute, WhatCameInAndMatchesGoesEvenWhereItIsSet) {
  const Output out = update(
      {{"Delete Attributes Expression", "temp.*"}, {"temp1", "set"}, {"temp2", "set"}, {"b", "2"}},
      {{"temp1", "came"}});
  EXPECT_FALSE(out.attributes.contains("temp1"));
  EXPECT_EQ(out.attribute("temp2"), "set");
  EXPECT_EQ(out.attribute("b"), "2");
}

TEST(UpdateAttribute, TheExpressionMayComeFromAttributes) {
  const Output out = update({{"Delete Attributes Expression", "${pattern}"}},
                            {{"pattern", "z\\d+"}, {"z1", "1"}, {"zz", "2"}});
  EXPECT_FALSE(out.attributes.contains("z1"));
  EXPECT_EQ(out.attribute("zz"), "2");
}

TEST(UpdateAttribute, ABrokenExpressionFromAttributesRollsBack) {
  TestBench bench(update_attribute(), {{"Delete Attributes Expression", "${pattern}"}});
  bench.enqueue("x", {{"pattern", "z["}});
  bench.run();
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.queued(), 1u);
}

TEST(UpdateAttribute, AnExplodingExpressionRollsBack) {
  TestBench bench(update_attribute(), {{"Delete Attributes Expression", "(x+x+)+[yz]"}});
  bench.enqueue("x", {{std::string(60, 'x'), "v"}});
  bench.run();
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.queued(), 1u);
}

// The bad one goes back alone; those before and behind it go on.
TEST(UpdateAttribute, OneFlowFileThatThrowsFailsAlone) {
  TestBench bench(update_attribute(), {{"Delete Attributes Expression", "${pattern}"}});
  for (const char* pattern : {"a", "b", "[", "c"}) bench.enqueue("x", {{"pattern", pattern}});
  bench.run(2);
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.count("success"), 2u);
  bench.run();
  EXPECT_EQ(bench.count("success"), 3u);
  EXPECT_EQ(bench.queued(), 1u);
}

TEST(UpdateAttribute, TheUuidStays) {
  TestBench bench(update_attribute(),
                  {{"Delete Attributes Expression", "uuid"}, {"uuid", "1"}, {"a", "2"}});
  bench.enqueue("x");
  bench.run();
  EXPECT_EQ(bench.outputs("success")[0].attribute("uuid").size(), 36u);
  EXPECT_EQ(bench.outputs("success")[0].attribute("a"), "2");
}

TEST(UpdateAttribute, IsReportedEvenWithoutChange) {
  TestBench bench(update_attribute());
  bench.enqueue("x");
  bench.run();
  EXPECT_EQ(bench.count_events("ATTRIBUTES_MODIFIED"), 1u);
}

TEST(UpdateAttribute, AnAlternateIdentifierIsReported) {
  TestBench bench(update_attribute(), {{"alternate.identifier", "urn:${n}"}});
  bench.enqueue("x", {{"n", "7"}});
  bench.run();
  EXPECT_EQ(bench.count_events("ADDINFO") + bench.count_events("ADD_INFO"), 1u);
}

TEST(UpdateAttribute, RemembersFromFlowFileToFlowFile) {
  TestBench bench(update_attribute(), {{"Store State", "Store state locally"},
                                       {"Stateful Variables Initial Value", "10"},
                                       {"total", "${getStateValue('total'):plus(${n})}"}});
  EXPECT_EQ(bench.relationships(), (std::vector<std::string>{"success", "set state fail"}));
  bench.enqueue("x", {{"n", "3"}});
  bench.enqueue("x", {{"n", "4"}});
  bench.run();
  EXPECT_EQ(bench.outputs("success")[0].attribute("total"), "13");
  EXPECT_EQ(bench.outputs("success")[1].attribute("total"), "17");
  EXPECT_EQ(bench.state().at("total"), "17");
  bench.stop();
  bench.enqueue("x", {{"n", "1"}});
  bench.run();
  EXPECT_EQ(bench.outputs("success")[2].attribute("total"), "18");
}

// What a FlowFile that fails would have added must not be remembered.
TEST(UpdateAttribute, AFailureLeavesTheStateAlone) {
  TestBench bench(update_attribute(), {{"Store State", "Store state locally"},
                                       {"Stateful Variables Initial Value", "0"},
                                       {"Delete Attributes Expression", "${pattern}"},
                                       {"n", "${getStateValue('n'):plus(1)}"}});
  bench.enqueue("x", {{"pattern", "a"}});
  bench.enqueue("x", {{"pattern", "["}});
  bench.run(2);
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.state().at("n"), "1");
}

TEST(UpdateAttribute, Validation) {
  const auto is_valid = [](Values properties) {
    return TestBench(update_attribute(), std::move(properties)).validate().empty();
  };
  EXPECT_FALSE(is_valid({{"Store State", "Store state locally"}}));
  EXPECT_TRUE(
      is_valid({{"Store State", "Store state locally"}, {"Stateful Variables Initial Value", ""}}));
  EXPECT_FALSE(is_valid({{"Delete Attributes Expression", "[unclosed"}}));
  EXPECT_FALSE(is_valid({{"canonical-value-lookup-cache-size", "-1"}}));
  EXPECT_FALSE(is_valid({{"a", "${b:noSuchFunction()}"}}));
  EXPECT_FALSE(is_valid({{" ", "x"}}));
}

}  // namespace
}  // namespace weir::processors
