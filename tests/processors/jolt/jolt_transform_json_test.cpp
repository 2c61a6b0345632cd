#include "processors/jolt/jolt_transform_json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

constexpr const char* shift = "jolt-transform-shift";

bench::Values shifting(std::string spec) {
  return {{"Jolt Transform", shift}, {"Jolt Specification", std::move(spec)}};
}

std::string transformed(bench::Values values, std::string content) {
  TestBench bench(jolt_transform_json(), std::move(values));
  EXPECT_TRUE(bench.validate().empty());
  bench.enqueue(std::move(content));
  bench.run();
  EXPECT_FALSE(bench.last_error());
  return bench.count("success") == 1 ? bench.outputs("success")[0].content : "failure";
}

TEST(JoltTransformJSON, WritesTheContentAnew) {
  TestBench bench(jolt_transform_json(), shifting(R"({"a":"b.c"})"));
  bench.enqueue(R"({"a":1.50})");
  bench.run();
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.outputs("success")[0].content, R"({"b":{"c":1.5}})");
  EXPECT_EQ(bench.outputs("success")[0].attribute("mime.type"), "application/json");
  EXPECT_EQ(bench.count_events("CONTENT_MODIFIED"), 1u);
}

TEST(JoltTransformJSON, PrettyPrint) {
  auto values = shifting(R"({"*":"&"})");
  values["Pretty Print"] = "true";
  EXPECT_EQ(transformed(values, R"({"a":{"b":[1,2]},"c":[],"d":{}})"),
            "{\n  \"a\" : {\n    \"b\" : [ 1, 2 ]\n  },\n  \"c\" : [ ],\n  \"d\" : { }\n}");
}

TEST(JoltTransformJSON, TheSpecificationMayStandInAFile) {
  const auto path = std::filesystem::path(testing::TempDir()) / "jolt_specification.json";
  std::ofstream(path) << R"({"a": "from.file"})";
  EXPECT_EQ(transformed(shifting(path.string()), R"({"a":1})"), R"({"from":{"file":1}})");
  std::filesystem::remove(path);
}

TEST(JoltTransformJSON, AnExpressionInTheSpecification) {
  TestBench bench(jolt_transform_json(), shifting(R"({"a":"${to}"})"));
  EXPECT_TRUE(bench.validate().empty());
  for (const char* name : {"x", "y", "x", "[["}) bench.enqueue(R"({"a":1})", {{"to", name}});
  bench.run(4);
  ASSERT_EQ(bench.count("success"), 3u);
  EXPECT_EQ(bench.outputs("success")[1].content, R"({"y":1})");
  EXPECT_EQ(bench.outputs("success")[2].content, R"({"x":1})");
  ASSERT_EQ(bench.count("failure"), 1u);
  EXPECT_TRUE(bench.outputs("failure")[0]
                  .attribute("joltTransformJson.error")
                  .starts_with("the specification is wrong: /a: "));
}

TEST(JoltTransformJSON, OfAnAttribute) {
  auto values = shifting(R"({"a":"b"})");
  values["JSON Source"] = "ATTRIBUTE";
  values["JSON Source Attribute"] = "doc";
  TestBench bench(jolt_transform_json(), values);
  bench.enqueue("body", {{"doc", R"({"a":5})"}});
  bench.enqueue("body", {{"doc", "  "}});
  bench.enqueue("body", {{"doc", "{"}});
  bench.run(3);
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.outputs("success")[0].attribute("doc"), R"({"b":5})");
  EXPECT_EQ(bench.outputs("success")[0].content, "body");
  EXPECT_EQ(bench.outputs("success")[0].attribute("mime.type"), "");
  EXPECT_EQ(bench.count("failure"), 2u);
}

TEST(JoltTransformJSON, WhatIsNoDocumentFailsWithTheReason) {
  TestBench bench(jolt_transform_json(), shifting(R"({"a":"b"})"));
  for (const char* content : {"", "  ", "{\"a\":", "not json", "{\"a\":01}"}) {
    bench.enqueue(content);
  }
  bench.enqueue(std::string(100'000, '['));
  bench.run(6);
  ASSERT_EQ(bench.count("failure"), 6u);
  for (const auto& output : bench.outputs("failure")) {
    EXPECT_TRUE(output.attribute("joltTransformJson.error").starts_with("no JSON document: "));
  }
  EXPECT_EQ(bench.outputs("failure")[3].content, "not json");
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 6u);
}

TEST(JoltTransformJSON, ADocumentThatCannotBeTransformedFails) {
  TestBench bench(jolt_transform_json(), shifting(R"({"*":"list[&]"})"));
  bench.enqueue(R"({"999999999":1})");
  bench.run();
  EXPECT_EQ(bench.count("failure"), 1u);
}

TEST(JoltTransformJSON, AStringLongerThanAllowedFails) {
  auto values = shifting(R"({"*":"&"})");
  values["Max String Length"] = "10 B";
  EXPECT_EQ(transformed(values, R"({"a":"0123456789"})"), R"({"a":"0123456789"})");
  EXPECT_EQ(transformed(values, R"({"a":"0123456789x"})"), "failure");
}

TEST(JoltTransformJSON, TakesCommentsAndAByteOrderMark) {
  EXPECT_EQ(transformed(shifting(R"({"*":"&"})"), "\xEF\xBB\xBF{/* c */\"a\":\"//\"}"),
            R"({"a":"//"})");
}

TEST(JoltTransformJSON, SortNeedsNoSpecification) {
  EXPECT_EQ(transformed({{"Jolt Transform", "jolt-transform-sort"}}, R"({"b":1,"a":2})"),
            R"({"a":2,"b":1})");
}

TEST(JoltTransformJSON, WhatIsNotValid) {
  const auto property = [](bench::Values values) {
    const auto problems = TestBench(jolt_transform_json(), std::move(values)).validate();
    return problems.empty() ? std::string() : problems[0].property;
  };
  EXPECT_EQ(property({{"Jolt Transform", shift}}), "Jolt Specification");
  EXPECT_EQ(property(shifting("{bad")), "Jolt Specification");
  EXPECT_EQ(property(shifting("{}")), "Jolt Specification");
  EXPECT_EQ(property({{"Jolt Transform", "jolt-transform-custom"}, {"Jolt Specification", "{}"}}),
            "Jolt Transform");
  EXPECT_EQ(property({{"Jolt Specification", R"({"a":"b"})"}}), "Jolt Specification");
}

}  // namespace
}  // namespace weir::processors
