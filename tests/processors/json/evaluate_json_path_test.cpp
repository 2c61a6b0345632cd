#include "processors/json/evaluate_json_path.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::Output;
using bench::TestBench;
using bench::Values;

const std::string person =
    R"({"name":"Zed","age":41,"none":null,"score":1.50,"tags":["a","b"],"home":{"city":"Oslo"}})";

Values to_attributes(Values more) {
  more["Destination"] = "flowfile-attribute";
  return more;
}

Output evaluated(Values properties, const std::string& content = person,
                 const std::string& relationship = "matched") {
  TestBench bench(evaluate_json_path(), std::move(properties));
  EXPECT_TRUE(bench.validate().empty());
  bench.enqueue(content, {{"before", "x"}});
  bench.run();
  EXPECT_FALSE(bench.last_error()) << *bench.last_error();
  const auto outputs = bench.outputs(relationship);
  EXPECT_EQ(outputs.size(), 1u);
  return outputs.empty() ? Output() : outputs[0];
}

TEST(EvaluateJsonPath, ContentFromOnePath) {
  EXPECT_EQ(evaluated({{"r", "$.home"}}).content, R"({"city":"Oslo"})");
  EXPECT_EQ(evaluated({{"r", "$.name"}}).content, "Zed");
  EXPECT_EQ(evaluated({{"r", "$.none"}}).content, "");
  EXPECT_EQ(
      evaluated({{"r", "$.none"}, {"Null Value Representation", "the string 'null'"}}).content,
      "null");
  EXPECT_EQ(evaluated({{"r", "$.missing"}}, person, "unmatched").content, person);
}

TEST(EvaluateJsonPath, TheContentTakesExactlyOnePath) {
  EXPECT_FALSE(TestBench(evaluate_json_path()).validate().empty());
  EXPECT_FALSE(TestBench(evaluate_json_path(), {{"a", "$.a"}, {"b", "$.b"}}).validate().empty());
  EXPECT_TRUE(TestBench(evaluate_json_path(), to_attributes({{"a", "$.a"}, {"b", "$.b"}}))
                  .validate()
                  .empty());
}

TEST(EvaluateJsonPath, AMalformedPathIsAProblemWithItsPlace) {
  const auto problems = TestBench(evaluate_json_path(), {{"a", "$.a[x]"}}).validate();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].property, "a");
  EXPECT_NE(problems[0].message.find("at character 4"), std::string::npos) << problems[0].message;
}

TEST(EvaluateJsonPath, Attributes) {
  const Output output = evaluated(to_attributes(
      {{"n", "$.name"}, {"a", "$.age"}, {"s", "$.score"}, {"c", "$..city.length()"}}));
  EXPECT_EQ(output.attribute("n"), "Zed");
  EXPECT_EQ(output.attribute("a"), "41");
  EXPECT_EQ(output.attribute("s"), "1.5");
  EXPECT_EQ(output.attribute("c"), "0");
  EXPECT_EQ(output.content, person);
}

// Paths that found nothing made empty attributes, and hid what was missing, null or empty.
TEST(EvaluateJsonPath, MissingNullAndEmptyCanBeToldApart) {
  const Output output = evaluated(to_attributes({{"Path Not Found Behavior", "skip"},
                                                 {"Null Value Representation", "the string 'null'"},
                                                 {"a", "$.a"},
                                                 {"b", "$.b"},
                                                 {"c", "$.c"}}),
                                  R"({"a":"","b":null})");
  EXPECT_EQ(output.attributes.at("a"), "");
  EXPECT_EQ(output.attributes.at("b"), "null");
  EXPECT_FALSE(output.attributes.contains("c"));
}

TEST(EvaluateJsonPath, SkippingLeavesAnAttributeAlone) {
  EXPECT_EQ(evaluated(to_attributes({{"before", "$.missing"}})).attribute("before"), "");
  EXPECT_EQ(evaluated(to_attributes({{"before", "$.missing"}, {"Path Not Found Behavior", "skip"}}))
                .attribute("before"),
            "x");
  TestBench bench(evaluate_json_path(),
                  to_attributes({{"m", "$.missing"}, {"Path Not Found Behavior", "warn"}}));
  bench.enqueue(person);
  bench.run();
  EXPECT_EQ(bench.messages(LogLevel::warn).size(), 1u);
  EXPECT_EQ(bench.outputs("matched")[0].attributes.at("m"), "");
}

TEST(EvaluateJsonPath, TheUuidStays) {
  const Output output = evaluated(to_attributes({{"uuid", "$.name"}, {"n", "$.name"}}));
  EXPECT_EQ(output.attribute("n"), "Zed");
  EXPECT_NE(output.attribute("uuid"), "Zed");
}

TEST(EvaluateJsonPath, Failures) {
  const std::pair<Values, std::string> cases[] = {
      {to_attributes({{"a", "$.home"}, {"n", "$.name"}}), person},
      {{{"Return Type", "scalar"}, {"a", "$.tags"}}, person},
      {to_attributes({{"a", "$.a"}}), "not json"},
      {to_attributes({{"a", "$.a"}}), ""},
      {to_attributes({{"a", "$.a"}}), "\xEF\xBB\xBF{}"},
      {to_attributes({{"a", "$.a"}}), R"({"a":NaN})"},
      {to_attributes({{"a", "$.a"}}), std::string(100'000, '[')},
      {to_attributes({{"a", "$.a"}, {"Max String Length", "3 B"}}), R"({"a":"long"})"},
      {to_attributes({{"a", "$[?(@ =~ /(a|aa)+d?/)].length()"}}),
       "[\"" + std::string(60, 'a') + "c\"]"},
  };
  for (const auto& [properties, content] : cases) {
    TestBench bench(evaluate_json_path(), properties);
    bench.enqueue(content);
    bench.run();
    ASSERT_EQ(bench.count("failure"), 1u) << content.substr(0, 20);
    const Output output = bench.outputs("failure")[0];
    EXPECT_EQ(output.content, content);
    EXPECT_NE(output.attribute("evaluateJsonPath.error"), "");
    EXPECT_FALSE(output.attributes.contains("n"));
    EXPECT_EQ(bench.messages(LogLevel::error).size(), 1u);
  }
}

TEST(EvaluateJsonPath, WhatCannotBeEvaluatedRollsBack) {
  for (const char* path : {"$.tags.min()", "$.tags.nothing()"}) {
    TestBench bench(evaluate_json_path(), to_attributes({{"a", path}}));
    bench.enqueue(person);
    bench.run();
    EXPECT_TRUE(bench.last_error());
    EXPECT_EQ(bench.queued(), 1u);
  }
}

TEST(EvaluateJsonPath, ReportsTheNewContent) {
  TestBench bench(evaluate_json_path(), {{"a", "$.name"}});
  bench.enqueue(person);
  bench.run();
  EXPECT_EQ(bench.count_events("CONTENT_MODIFIED"), 1u);
}

}  // namespace
}  // namespace weir::processors
