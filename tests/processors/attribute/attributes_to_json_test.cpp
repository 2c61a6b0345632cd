#include "processors/attribute/attributes_to_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::Output;
using bench::TestBench;
using bench::Values;
using testing::HasSubstr;

std::string to_json(Values properties, Values attributes) {
  TestBench bench(attributes_to_json(), std::move(properties));
  bench.enqueue("x", std::move(attributes));
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u);
  const Output out = bench.outputs("success").at(0);
  return out.attributes.contains("JSONAttributes") ? out.attribute("JSONAttributes") : out.content;
}

TEST(AttributesToJSON, AListAndAPattern) {
  EXPECT_EQ(to_json({{"Attributes List", " b , a "}}, {{"a", "1"}, {"b", "two"}}),
            R"({"b":"two","a":"1"})");
  EXPECT_EQ(to_json({{"Attributes List", "key"}, {"attributes-to-json-regex", "k\\d"}},
                    {{"k1", "1"}, {"key", "3"}, {"z", "9"}}),
            R"({"key":"3","k1":"1"})");
}

TEST(AttributesToJSON, MissingAttributes) {
  EXPECT_EQ(to_json({{"Attributes List", "a,m"}}, {{"a", ""}}), R"({"a":"","m":""})");
  EXPECT_EQ(to_json({{"Attributes List", "a,m"}, {"Null Value", "true"}}, {{"a", ""}}),
            R"({"a":"","m":null})");
}

TEST(AttributesToJSON, CoreAttributes) {
  const Values attributes = {{"a", "1"}, {"filename", "f"}, {"mime.type", "t"}};
  EXPECT_EQ(to_json({{"Include Core Attributes", "false"}}, attributes), R"({"a":"1"})");
  EXPECT_EQ(
      to_json({{"Include Core Attributes", "false"}, {"Attributes List", "filename"}}, attributes),
      R"({"filename":"f"})");
  EXPECT_THAT(to_json({}, attributes), HasSubstr(R"("uuid":")"));
}

TEST(AttributesToJSON, EscapesAsJacksonDoes) {
  EXPECT_EQ(to_json({{"Attributes List", "a"}}, {{"a", "\"\\/\b\t\n\x1F\xC3\xA9\xFF"}}),
            "{\"a\":\"\\\"\\\\/\\b\\t\\n\\u001F\xC3\xA9\xEF\xBF\xBD\"}");
}

TEST(AttributesToJSON, ToContent) {
  TestBench bench(
      attributes_to_json(),
      {{"Attributes List", "a"}, {"Destination", "flowfile-content"}, {"Pretty Print", "true"}});
  bench.enqueue("x", {{"a", "1"}, {"mime.type", "text/plain"}});
  bench.run();
  EXPECT_EQ(bench.outputs("success")[0].content, "{\n  \"a\" : \"1\"\n}");
  EXPECT_EQ(bench.outputs("success")[0].attribute("mime.type"), "application/json");
  // Only the content is pretty.
  EXPECT_EQ(to_json({{"Attributes List", "a"}, {"Pretty Print", "true"}}, {{"a", "1"}}),
            R"({"a":"1"})");
}

TEST(AttributesToJSON, NestsObjectsAndArrays) {
  const Values nested = {{"Attributes List", "j,k,n,b"}, {"JSON Handling Strategy", "NESTED"}};
  EXPECT_EQ(to_json(nested, {{"j", " {\"a\":[1,2.50]} "}, {"k", "[]"}, {"n", "12"}, {"b", "{bad"}}),
            R"({"j":{"a":[1,2.5]},"k":[],"n":"12","b":"{bad"})");
}

TEST(AttributesToJSON, WhatOnlyLooksLikeJsonFails) {
  TestBench bench(attributes_to_json(),
                  {{"Attributes List", "j"}, {"JSON Handling Strategy", "NESTED"}});
  bench.enqueue("x", {{"j", "{bad}"}});
  bench.enqueue("x", {{"j", std::string(100'000, '[') + std::string(100'000, ']')}});
  bench.enqueue("x", {{"j", "{}"}});
  bench.run();
  ASSERT_EQ(bench.count("failure"), 2u);
  EXPECT_EQ(bench.count("success"), 1u);
  EXPECT_THAT(bench.outputs("failure")[0].attribute("attributesToJSON.error"),
              HasSubstr("attribute j is no JSON"));
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 2u);
}

TEST(AttributesToJSON, Validation) {
  EXPECT_FALSE(
      TestBench(attributes_to_json(), {{"attributes-to-json-regex", "("}}).validate().empty());
}

}  // namespace
}  // namespace weir::processors
