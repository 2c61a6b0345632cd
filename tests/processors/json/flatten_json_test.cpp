#include "processors/json/flatten_json.h"

#include <gtest/gtest.h>

#include "processors/json/json_flattener.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

std::string flattened(Values properties, const std::string& content) {
  TestBench bench(flatten_json(), std::move(properties));
  bench.enqueue(content);
  bench.run();
  EXPECT_FALSE(bench.last_error());
  if (bench.count("success") == 1) return bench.outputs("success")[0].content;
  const auto output = bench.outputs("failure").at(0);
  EXPECT_EQ(output.content, content);
  EXPECT_NE(output.attribute("flattenJson.error"), "");
  return "failure";
}

std::string unflattened(Values properties, const std::string& content) {
  properties["flatten-json-return-type"] = "unflatten";
  return flattened(std::move(properties), content);
}

const std::string nested =
    R"({"a":{"b":1,"c":{"d":"x"}},"l":[1,{"m":2}],"p":["q","r"],"e":{},"ea":[],"n":null,"k.y":3})";

TEST(FlattenJson, Modes) {
  EXPECT_EQ(
      flattened({{"flatten-mode", "normal"}}, nested),
      R"({"a.b":1,"a.c.d":"x","l[0]":1,"l[1].m":2,"p[0]":"q","p[1]":"r","e":{},"ea":[],"n":null,"[\"k.y\"]":3})");
  EXPECT_EQ(
      flattened({}, nested),
      R"({"a.b":1,"a.c.d":"x","l":[1,{"m":2}],"p":["q","r"],"e":{},"ea":[],"n":null,"[\"k.y\"]":3})");
  EXPECT_EQ(
      flattened({{"flatten-mode", "keep primitive arrays"}}, nested),
      R"({"a.b":1,"a.c.d":"x","l[0]":1,"l[1].m":2,"p":["q","r"],"e":{},"ea":[],"n":null,"[\"k.y\"]":3})");
  EXPECT_EQ(flattened({{"flatten-mode", "dot notation"}}, R"({"a":[{"b":1},2],"c":{"d":3}})"),
            R"({"a.0.b":1,"a.1":2,"c.d":3})");
  EXPECT_EQ(flattened({{"flatten-mode", "dot notation"}}, nested), "failure");
}

TEST(FlattenJson, Separators) {
  EXPECT_EQ(flattened({{"flatten-json-separator", "_"}}, R"({"a":{"b":{"c":1}},"k.y":2})"),
            R"({"a_b_c":1,"k.y":2})");
  EXPECT_EQ(flattened({{"flatten-json-separator", "/"}}, R"({"a":{"b":1}})"), R"({"a\/b":1})");
  EXPECT_EQ(flattened({{"flatten-json-separator", "é"}}, R"({"a":{"b":1}})"), R"({"a\u00E9b":1})");
  EXPECT_EQ(flattened({{"flatten-json-separator", "["}}, R"({"a":{"b":1}})"), "failure");
  for (const char* separator : {"", "..", "\"", "\\"}) {
    EXPECT_FALSE(
        TestBench(flatten_json(), {{"flatten-json-separator", separator}}).validate().empty())
        << separator;
  }
  TestBench bench(flatten_json(), {{"flatten-json-separator", "${sep}"}});
  bench.enqueue(R"({"a":{"b":1}})", {{"sep", "-+"}});
  bench.enqueue(R"({"a":{"b":1}})");
  bench.run(2);
  EXPECT_EQ(bench.outputs("success").at(0).content, R"({"a-b":1})");
  EXPECT_TRUE(bench.last_error());  // no separator at all
}

TEST(FlattenJson, ReservedCharacters) {
  EXPECT_EQ(flattened({{"ignore-reserved-characters", "true"}}, R"({"a":{"b.c":1,"d[0]":2}})"),
            R"({"a.b.c":1,"a.d[0]":2})");
  EXPECT_EQ(flattened({}, R"({"a":{"b.c":1,"d[0]":2}})"), R"({"a[\"b.c\"]":1,"a[\"d[0]\"]":2})");
}

TEST(FlattenJson, Roots) {
  EXPECT_EQ(flattened({}, R"([{"a":{"b":1}},{"a":{"b":2}}])"), R"([{"a.b":1},{"a.b":2}])");
  EXPECT_EQ(flattened({{"flatten-mode", "normal"}}, R"([{"a":{"b":1}},2])"),
            R"({"[0].a.b":1,"[1]":2})");
  EXPECT_EQ(flattened({{"flatten-mode", "dot notation"}, {"flatten-json-separator", "_"}},
                      R"([{"a":{"b":1}},2])"),
            R"({"_0_a_b":1,"_1":2})");
  EXPECT_EQ(flattened({}, "5"), "5");
  EXPECT_EQ(flattened({}, "\"s\""), "\"s\"");
  EXPECT_EQ(flattened({}, "null"), "null");
  EXPECT_EQ(flattened({}, ""), "null");
  EXPECT_EQ(flattened({}, "{}"), "{}");
  EXPECT_EQ(flattened({}, "[]"), "[]");
}

TEST(FlattenJson, EscapesAndNumbers) {
  EXPECT_EQ(flattened({}, R"({"a":"é/\"\n","b":[1.50,12345678901234567890,1e10]})"),
            R"({"a":"\u00E9\/\"\n","b":[1.5,12345678901234567890,1.0E10]})");
}

TEST(FlattenJson, CharacterSets) {
  EXPECT_EQ(flattened({{"flatten-json-character-set", "ISO-8859-1"}}, "{\"\xE9\":1}"),
            R"({"\u00E9":1})");
  EXPECT_EQ(unflattened({{"flatten-json-character-set", "ISO-8859-1"}}, "{\"\xE9.a\":1}"),
            "{\"\xE9\":{\"a\":1}}");
}

TEST(FlattenJson, Pretty) {
  EXPECT_EQ(
      flattened({{"flatten-json-pretty-print-json", "true"}}, R"({"a":{"b":[1,2]},"c":"x:{"})"),
      "{\n  \"a.b\" : [ 1, 2 ],\n  \"c\" : \"x:{\"\n}");
}

TEST(FlattenJson, Unflattens) {
  EXPECT_EQ(unflattened({}, R"({"a.b":1,"a.c.d":"x","l":[1,{"m.n":2}],"e":{},"[\"k.y\"]":3})"),
            R"({"a":{"b":1,"c":{"d":"x"}},"l":[1,{"m":{"n":2}}],"e":{},"k.y":3})");
  EXPECT_EQ(unflattened({{"flatten-mode", "normal"}}, R"({"l[0]":1,"l[1].m":2,"l[ 3 ][0]":4})"),
            R"({"l":[1,{"m":2},null,[4]]})");
  EXPECT_EQ(unflattened({{"flatten-mode", "normal"}}, R"({"[0].a.b":1,"[1]":2})"),
            R"([{"a":{"b":1}},2])");
  EXPECT_EQ(unflattened({{"flatten-mode", "dot notation"}}, R"({"a.0.b":1,"a.1":2,"c.d":3})"),
            R"({"a":[{"b":1},2],"c":{"d":3}})");
  EXPECT_EQ(unflattened({{"flatten-json-separator", "_"}}, R"({"a_b":[{"c_d":1}]})"),
            R"({"a":{"b":[{"c":{"d":1}}]}})");
  EXPECT_EQ(unflattened({}, R"([{"a.b":1},[{"c.d":2}],3])"),
            R"([{"a":{"b":1}},[{"c":{"d":2}}],3])");
  EXPECT_EQ(unflattened({}, "{}"), "{}");
  EXPECT_EQ(unflattened({}, "7"), "7");
}

TEST(FlattenJson, TwoWaysGiveTheSame) {
  for (const char* mode : {"normal", "keep arrays", "keep primitive arrays"}) {
    EXPECT_EQ(unflattened({{"flatten-mode", mode}}, flattened({{"flatten-mode", mode}}, nested)),
              nested)
        << mode;
  }
}

TEST(FlattenJson, Failures) {
  EXPECT_EQ(flattened({}, "{bad"), "failure");
  EXPECT_EQ(flattened({}, std::string(100'000, '[')), "failure");
  EXPECT_EQ(unflattened({}, R"({"a":1,"a.b":2})"), "failure");
  EXPECT_EQ(unflattened({}, R"({"a.b":1,"a[0]":2})"), "failure");
  EXPECT_EQ(unflattened({}, R"({"":1})"), "failure");
  EXPECT_EQ(unflattened({}, R"({"a[2000000000]":1})"), "failure");
  EXPECT_EQ(unflattened({}, R"({"a[99999999999999999999]":1})"), "failure");
  std::string deep = "{\"a";
  for (int i = 0; i < 20'000; ++i) deep += ".a";
  EXPECT_EQ(unflattened({}, deep + "\":1}"), "failure");
}

// Each bracket was looked through to the end of the name.
TEST(FlattenJson, NamesOfBracketsAreReadOnce) {
  std::string name;
  for (int i = 0; i < 12'000; ++i) name += "[\\\"x";
  std::string document = "{";
  for (int i = 0; i < 200; ++i) document += "\"" + name + std::to_string(i) + "\":1,";
  document.back() = '}';
  EXPECT_EQ(unflattened({}, document), "failure");  // nested too deep
}

// A document of some megabytes whose names have gigabytes in all.
TEST(FlattenJson, NamesThatMultiplyAreAFailure) {
  std::string document;
  const std::string name(3'000, 'n');
  for (int i = 0; i < 900; ++i) document += "{\"" + name + "\":";
  document += "{";
  for (int i = 0; i < 5'000; ++i) document += "\"" + std::to_string(i) + "\":1,";
  document.back() = '}';
  document += std::string(900, '}');
  EXPECT_EQ(flattened({{"flatten-mode", "normal"}}, document), "failure");
}

}  // namespace
}  // namespace weir::processors
