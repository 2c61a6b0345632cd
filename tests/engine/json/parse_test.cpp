#include "engine/json/parse.h"

#include <gtest/gtest.h>

#include "engine/json/write.h"

namespace weir::json {
namespace {

std::string round_trip(std::string_view text, const ParseOptions& options = {}) {
  Arena arena;
  const auto value = parse(text, arena, options);
  return value ? to_json(*value) : value.error().describe();
}

TEST(Parse, WritesWhatItRead) {
  for (const char* text : {"null", "true", "false", "0", "-1", "\"\"", "[]", "{}", "[1,[2,{}]]",
                           R"({"a":{"b":[null,"c"]},"d":""})"}) {
    EXPECT_EQ(round_trip(text), text);
  }
  EXPECT_EQ(round_trip(" { \"b\" : [ 1 ,\n2 ] , \"a\" : {\t} } "), R"({"b":[1,2],"a":{}})");
}

// Users sent numbers through and got others: digits lost, or an exponent where there was none.
TEST(Parse, NumbersKeepTheirDigits) {
  EXPECT_EQ(round_trip("[12345678901234567890, 1e3, 0.1, -0, 1.0, 1.50, -0.0, 11.50]"),
            "[12345678901234567890,1000.0,0.1,0,1.0,1.5,-0.0,11.5]");
  EXPECT_EQ(round_trip("[9223372036854775807,-9223372036854775808,-9223372036854775809]"),
            "[9223372036854775807,-9223372036854775808,-9223372036854775809]");
  EXPECT_EQ(round_trip("[70000000.25,1e-7,1e999,-1e999]"),
            R"([7.000000025E7,1.0E-7,"Infinity","-Infinity"])");
  Arena arena;
  const auto value = parse("[70000000.25,1e-7,12345678901234567890,0.1,1.0,-0.0]", arena);
  EXPECT_EQ(to_json(*value, {.plain_decimals = true}),
            "[70000000.25,0.0000001,12345678901234567890,0.1,1.0,-0.0]");
}

TEST(Parse, TheLastOfDoubledNamesWinsAtTheFirstsPlace) {
  EXPECT_EQ(round_trip(R"({"a":1,"b":2,"a":3,"b":4,"a":5})"), R"({"a":5,"b":4})");
  std::string many = "{";
  for (int i = 0; i < 1000; ++i)
    many += "\"k" + std::to_string(i % 500) + "\":" + std::to_string(i) + ",";
  many.back() = '}';
  Arena arena;
  const auto value = parse(many, arena);
  ASSERT_TRUE(value);
  ASSERT_EQ(value->size(), 500u);
  EXPECT_EQ(value->members()[3].name, "k3");
  EXPECT_EQ(value->find("k3")->as_integer(), 503);
}

TEST(Parse, Strings) {
  EXPECT_EQ(round_trip(R"("\"\\\/\b\f\n\r\tA\u00e9\u20AC\ud83d\ude00")"),
            "\"\\\"\\\\/\\b\\f\\n\\r\\tAé€😀\"");
  EXPECT_EQ(round_trip("\"\\u0001\\u001f\\u007f\""), "\"\\u0001\\u001F\x7f\"");
  // Half of a pair has no bytes in UTF-8.
  EXPECT_EQ(round_trip(R"("\ud83d\ud83d\ude00\ude00x")"), "\"?😀?x\"");
  EXPECT_EQ(round_trip("\"a\xFF\xC3(\xE2\x82\""), "\"a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\"");
  EXPECT_EQ(round_trip("\"a\xFF\\n\""), "\"a\xEF\xBF\xBD\\n\"");
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string text = "\"" + std::string(size, 'x') + "\"";
    EXPECT_EQ(round_trip(text), text);
    EXPECT_EQ(round_trip("[" + text + ",\"é\"]"), "[" + text + ",\"é\"]");
  }
}

TEST(Parse, WhatFollowsTheDocumentIsLeftAlone) {
  EXPECT_EQ(round_trip("[1,2]\xFF"), "[1,2]");
  EXPECT_EQ(round_trip("{}}"), "{}");
  EXPECT_EQ(round_trip("\"a\"b"), "\"a\"");
  EXPECT_EQ(round_trip("1 x"), "1");
  EXPECT_EQ(round_trip("{} x", {.whole_text = true}),
            "'x' where the end should be at line 1, column 4");
}

TEST(Parse, Errors) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "the text ends where a value should be at line 1, column 1"},
      {"  ", "the text ends where a value should be at line 1, column 3"},
      {"\xEF\xBB\xBF[1]", "byte 0xEF where a value should be at line 1, column 1"},
      {"{bad", "'b' where a name in double quotes should be at line 1, column 2"},
      {"[1,2,]", "']' where a value should be at line 1, column 6"},
      {"[1,\n 2 3]", "'3' where ',' or ']' should be at line 2, column 4"},
      {"{\"a\":NaN}", "'N' where a value should be at line 1, column 6"},
      {"{\"a\" 1}", "'1' where a colon should be at line 1, column 6"},
      {"{\"a\":1,}", "'}' where a name in double quotes should be at line 1, column 8"},
      {"\"abc", "a string without its end at line 1, column 1"},
      {"\"a\tb\"", "byte 0x09 where a character of a string should be at line 1, column 3"},
      {"\"\\x\"", "'x' where an escaped character should be at line 1, column 3"},
      {"\"\\u12g4\"", "\\u without four hexadecimal digits at line 1, column 4"},
      {"01", "a number that begins with 0 at line 1, column 1"},
      {"1.", "the text ends where a digit after the point should be at line 1, column 3"},
      {"1e", "the text ends where a digit of the exponent should be at line 1, column 3"},
      {"-", "the text ends where a digit should be at line 1, column 2"},
      {".5", "'.' where a value should be at line 1, column 1"},
      {"truex", "a word that is not true at line 1, column 1"},
      {"17,", "',' where white space after the number should be at line 1, column 3"},
      {"// c\n{}", "'/' where a value should be at line 1, column 1"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(round_trip(text), message) << text;
}

TEST(Parse, DeepNestingIsAnError) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(round_trip(nested(1000)), nested(1000));
  EXPECT_EQ(round_trip(nested(1001)), "nested more than 1000 levels deep at line 1, column 1001");
  EXPECT_EQ(round_trip(std::string(100'000, '[')),
            "nested more than 1000 levels deep at line 1, column 1001");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(round_trip(objects).starts_with("nested more than 1000 levels deep"));
}

TEST(Parse, LongPiecesAreErrors) {
  const ParseOptions options{.longest_string_bytes = 5};
  EXPECT_EQ(round_trip("\"12345\"", options), "\"12345\"");
  EXPECT_EQ(round_trip("\"ééééé\"", options), "\"ééééé\"");
  EXPECT_EQ(round_trip("\"123456\"", options),
            "a string of more than 5 characters at line 1, column 1");
  EXPECT_EQ(round_trip("\"12345\\n\"", options),
            "a string of more than 5 characters at line 1, column 1");
  EXPECT_EQ(round_trip(std::string(1001, '1')),
            "a number of more than 1000 characters at line 1, column 1");
  EXPECT_EQ(round_trip("{\"" + std::string(50'001, 'a') + "\":1}"),
            "a name of more than 50000 characters at line 1, column 2");
}

TEST(Parse, TooManyValuesAreAnError) {
  EXPECT_EQ(round_trip("[1,[2]]", {.most_values = 4}), "[1,[2]]");
  EXPECT_EQ(round_trip("[1,[2],3]", {.most_values = 4}), "more than 4 values at line 1, column 8");
}

TEST(Write, Pretty) {
  Arena arena;
  const auto value = parse(R"({"a":[1,{"b":2}],"c":{},"d":[]})", arena);
  EXPECT_EQ(to_json(*value, {.layout = Layout::pretty}),
            "{\n  \"a\" : [ 1, {\n    \"b\" : 2\n  } ],\n  \"c\" : { },\n  \"d\" : [ ]\n}");
}

TEST(Write, AsJavaPrintsItself) {
  Arena arena;
  const auto value = parse(R"({"a":[1,"x",null,{"b":2.0}],"c":{}})", arena);
  std::string text;
  append_java_text(*value, text);
  EXPECT_EQ(text, "{a=[1, x, null, {b=2.0}], c={}}");
}

}  // namespace
}  // namespace weir::json
