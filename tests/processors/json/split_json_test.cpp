#include "processors/json/split_json.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using Strings = std::vector<std::string>;

Strings split(bench::Values properties, std::string text) {
  TestBench bench(split_json(), std::move(properties));
  bench.enqueue(std::move(text), {{"filename", "a.json"}, {"fragment.identifier", "old"}});
  bench.run();
  EXPECT_FALSE(bench.last_error());
  EXPECT_EQ(bench.count("original"), 1u);
  const auto original = bench.outputs("original").at(0);
  EXPECT_EQ(original.attribute("fragment.count"), std::to_string(bench.count("split")));
  EXPECT_FALSE(original.attributes.contains("fragment.index"));
  Strings contents;
  for (const auto& output : bench.outputs("split")) {
    EXPECT_EQ(output.attribute("fragment.index"), std::to_string(contents.size()));
    EXPECT_EQ(output.attribute("fragment.count"), original.attribute("fragment.count"));
    EXPECT_EQ(output.attribute("fragment.identifier"), original.attribute("fragment.identifier"));
    EXPECT_EQ(output.attribute("segment.original.filename"), "a.json");
    contents.push_back(output.content);
  }
  EXPECT_EQ(bench.count_events("FORK"), contents.size());
  return contents;
}

TEST(SplitJson, ElementsBecomeFlowFiles) {
  EXPECT_EQ(split({{"JsonPath Expression", "$"}}, R"([{"a":1},{"b":2}])"),
            (Strings{R"({"a":1})", R"({"b":2})"}));
  EXPECT_EQ(split({{"JsonPath Expression", "$.items"}}, R"({"items":[1,2],"x":0})"),
            (Strings{"1", "2"}));
  EXPECT_EQ(split({{"JsonPath Expression", "$.items[*].id"}}, R"({"items":[{"id":1},{"id":2}]})"),
            (Strings{"1", "2"}));
  EXPECT_EQ(split({{"JsonPath Expression", "$[?(@.n > 1)]"}}, R"([{"n":1},{"n":2},{"n":3}])"),
            (Strings{R"({"n":2})", R"({"n":3})"}));
  EXPECT_EQ(split({{"JsonPath Expression", "$.items"}}, R"({"items":[]})"), Strings{});
}

TEST(SplitJson, ScalarsAreWrittenAsText) {
  const std::string text = R"(["s",null,true,1.50,[1],{"k":"v"},"\u00e9\/"])";
  EXPECT_EQ(split({{"JsonPath Expression", "$[*]"}}, text),
            (Strings{"s", "", "true", "1.5", "[1]", R"({"k":"v"})", "é/"}));
  EXPECT_EQ(
      split({{"JsonPath Expression", "$[*]"}, {"Null Value Representation", "the string 'null'"}},
            "[null]"),
      Strings{"null"});
}

// Whole numbers past 64 bits came out with other digits.
TEST(SplitJson, NumbersKeepTheirDigits) {
  EXPECT_EQ(split({{"JsonPath Expression", "$[*]"}},
                  "[12345678901234567890, 1e3, 0.1, -0, 1.0, 70000000.25]"),
            (Strings{"12345678901234567890", "1000.0", "0.1", "0", "1.0", "7.000000025E7"}));
}

TEST(SplitJson, WhatFollowsTheDocumentIsLeftAlone) {
  EXPECT_EQ(split({{"JsonPath Expression", "$[*]"}}, "[1,2]\xFF"), (Strings{"1", "2"}));
}

TEST(SplitJson, Failures) {
  const std::pair<std::string, std::string> cases[] = {
      {"$", R"({"a":1})"},        {"$.missing", R"({"items":[]})"}, {"$.items", R"({"items":"s"})"},
      {"$[*]", "[1,2,]"},         {"$[*]", "\xEF\xBB\xBF[1]"},      {"$[*]", ""},
      {"$.keys()", R"({"a":1})"}, {"$", std::string(100'000, '[')}};
  for (const auto& [path, content] : cases) {
    TestBench bench(split_json(), {{"JsonPath Expression", path}});
    bench.enqueue(content);
    bench.run();
    ASSERT_EQ(bench.count("failure"), 1u) << path;
    EXPECT_EQ(bench.outputs("failure")[0].content, content);
    EXPECT_NE(bench.outputs("failure")[0].attribute("splitJson.error"), "");
    EXPECT_EQ(bench.messages(LogLevel::error).size(), 1u);
  }
}

TEST(SplitJson, AMalformedPathDoesNotValidate) {
  for (const char* path : {"not a path[", "${path}", ""}) {
    EXPECT_FALSE(TestBench(split_json(), {{"JsonPath Expression", path}}).validate().empty());
  }
}

TEST(SplitJson, ManyElements) {
  std::string text = "[";
  for (int i = 0; i < 50'000; ++i) text += "{\"i\":" + std::to_string(i) + "},";
  text.back() = ']';
  const Strings contents = split({{"JsonPath Expression", "$"}}, text);
  ASSERT_EQ(contents.size(), 50'000u);
  EXPECT_EQ(contents[49'999], R"({"i":49999})");
}

// More splits than one commit holds: the original goes back with its progress.
TEST(SplitJson, VeryManyElementsTakeSeveralCommits) {
  constexpr std::size_t count = 110'000;
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += std::to_string(i) + ",";
  text.back() = ']';
  TestBench bench(split_json(), {{"JsonPath Expression", "$"}});
  bench.enqueue(text);
  bench.run();
  EXPECT_EQ(bench.count("split"), 100'000u);
  EXPECT_EQ(bench.count("original"), 0u);
  bench.stop();  // as a restart would
  bench.run();
  ASSERT_EQ(bench.count("split"), count);
  ASSERT_EQ(bench.count("original"), 1u);
  const auto outputs = bench.outputs("split");
  const std::string identifier = outputs[0].attribute("fragment.identifier");
  for (std::size_t i = 0; i < count; i += 999) {
    ASSERT_EQ(outputs[i].content, std::to_string(i));
    ASSERT_EQ(outputs[i].attribute("fragment.index"), std::to_string(i));
    ASSERT_EQ(outputs[i].attribute("fragment.count"), std::to_string(count));
    ASSERT_EQ(outputs[i].attribute("fragment.identifier"), identifier);
    ASSERT_FALSE(outputs[i].attributes.contains("weir.split.index"));
  }
  EXPECT_FALSE(bench.outputs("original")[0].attributes.contains("weir.split.index"));
  EXPECT_EQ(bench.outputs("original")[0].attribute("fragment.identifier"), identifier);
}

}  // namespace
}  // namespace weir::processors
