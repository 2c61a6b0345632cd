#include "engine/json/path_text.h"

#include <gtest/gtest.h>

namespace weir::json {
namespace {

using Text = std::expected<std::string, std::string>;

constexpr std::string_view crate =
    R"({"name":"crate","price":2.50,"nil":null,"list":[1,"two",{"t":3}],"sub":{"y":"z"},"none":[]})";
constexpr std::string_view unchanged =
    R"({"name":"crate","price":2.5,"nil":null,"list":[1,"two",{"t":3}],"sub":{"y":"z"},"none":[]})";

JsonPath path(std::string_view text) {
  return *JsonPath::compile(text);
}

TEST(PathText, Reads) {
  EXPECT_EQ(path_text(crate, path("$.name")), "crate");
  EXPECT_EQ(path_text(crate, path("$.price")), "2.5");
  EXPECT_EQ(path_text(crate, path("$.nil")), "");
  EXPECT_EQ(path_text(crate, path("$.nothing")), "");
  EXPECT_EQ(path_text(crate, path("$.list.min()")), "1.0");
  EXPECT_EQ(path_text(crate, path("$.none.min()")), "");
  EXPECT_EQ(path_text(crate, path("$.list[2:]")), R"({"t":3})");
  EXPECT_EQ(path_text(crate, path("$.none")), "[]");
  EXPECT_EQ(path_text("[[[1]]]", path("$")), "1");
  EXPECT_EQ(path_text("[null]", path("$")), "");
  EXPECT_EQ(path_text(crate, path("$.sub.keys()")), "[y]");
  EXPECT_EQ(path_text(R"("x")", path("$")), "x");
}

TEST(PathText, SubjectsThatAreNoJson) {
  for (const char* text : {"", "  ", "not json", "{x", "null"}) {
    EXPECT_FALSE(path_text(text, path("$.a"))) << text;
    EXPECT_FALSE(path_delete(text, path("$.a"))) << text;
    EXPECT_FALSE(path_put(text, path("$"), "a", "b")) << text;
  }
}

TEST(PathText, Deletes) {
  EXPECT_EQ(path_delete(crate, path("$.list[*]")),
            R"({"name":"crate","price":2.5,"nil":null,"list":[],"sub":{"y":"z"},"none":[]})");
  EXPECT_EQ(path_delete(crate, path("$['name','list']")),
            R"({"price":2.5,"nil":null,"sub":{"y":"z"},"none":[]})");
  EXPECT_EQ(path_delete(crate, path("$.*")), "{}");
  EXPECT_EQ(path_delete(crate, path("$.nothing")), unchanged);
  EXPECT_EQ(path_delete(crate, path("$.list[9]")), unchanged);
  EXPECT_EQ(path_delete(crate, path("$.list[-1]")), "");
  EXPECT_EQ(path_delete(crate, path("$")), "");
  EXPECT_EQ(path_delete(R"(["a","b"])", path("$[0]")), R"(["b"])");
  EXPECT_EQ(path_delete(R"([{"i":1},{"i":2},{"i":3}])", path("$[?(@.i != 2)]")), R"([{"i":2}])");
  EXPECT_EQ(path_delete(R"([{"i":1,"j":0},{"i":2}])", path("$..i")), R"([{"j":0},{}])");
  EXPECT_EQ(path_delete("7", path("$.x")), "7");
  EXPECT_EQ(path_delete("[1,[2,3],4]", path("$..[0]")), "[[3],4]");
  EXPECT_EQ(path_delete("[1,2,3]", path("$[0,0,2]")), "[2]");
}

TEST(PathText, Sets) {
  const auto set = [](std::string_view where, const Scalar& value) {
    return path_set(R"({"a":[1,2],"b":{"c":"d"}})", path(where), value);
  };
  EXPECT_EQ(set("$.b.c", "x\"y"), R"({"a":[1,2],"b":{"c":"x\"y"}})");
  EXPECT_EQ(set("$.b.c", std::int64_t{5}), R"({"a":[1,2],"b":{"c":5}})");
  EXPECT_EQ(set("$.b.c", 1e30), R"({"a":[1,2],"b":{"c":1.0E30}})");
  EXPECT_EQ(set("$.b.c", true), R"({"a":[1,2],"b":{"c":true}})");
  EXPECT_EQ(set("$.b.c", std::monostate()), R"({"a":[1,2],"b":{"c":null}})");
  EXPECT_EQ(set("$.a[*]", "v"), R"({"a":["v","v"],"b":{"c":"d"}})");
  EXPECT_EQ(set("$['a','z']", "v"), R"({"a":"v","b":{"c":"d"},"z":"v"})");
  EXPECT_EQ(set("$.nothing", "v"), R"({"a":[1,2],"b":{"c":"d"}})");
  EXPECT_EQ(set("$.a[7]", "v"), R"({"a":[1,2],"b":{"c":"d"}})");
  EXPECT_EQ(set("$.a[-1]", "v"), "");
  EXPECT_EQ(set("$", "v"), "");
}

TEST(PathText, Adds) {
  const auto add = [](std::string_view json, std::string_view where) {
    return path_add(json, path(where), "x");
  };
  EXPECT_EQ(add(R"({"a":[1]})", "$.a"), R"({"a":[1,"x"]})");
  EXPECT_EQ(add("[1]", "$"), R"([1,"x"])");
  EXPECT_EQ(add(R"({"a":[1]})", "$"), "");
  EXPECT_EQ(add(R"({"a":"s"})", "$.a"), "");
  EXPECT_EQ(add(R"({"a":null})", "$.a"), R"({"a":null})");
  EXPECT_EQ(add(R"({"a":[{}]})", "$.a[*]"), "");
  EXPECT_EQ(add(R"({"a":[]})", "$.b"), R"({"a":[]})");
}

TEST(PathText, Puts) {
  EXPECT_EQ(path_put(R"({"a":{}})", path("$.a"), "k", "v"), R"({"a":{"k":"v"}})");
  EXPECT_EQ(path_put(R"({"a":1})", path("$"), "a", "v"), R"({"a":"v"})");
  EXPECT_EQ(path_put(R"({"a":1})", path("$"), "b", std::nullopt), R"({"a":1,"b":null})");
  EXPECT_EQ(path_put(R"([{},{}])", path("$[*]"), "k", "v"), R"([{"k":"v"},{"k":"v"}])");
  EXPECT_EQ(path_put(R"({"a":null})", path("$.a"), "k", "v"), R"({"a":null})");
  EXPECT_EQ(path_put(R"({"a":1})", path("$.a"), "k", "v"), "");
  EXPECT_EQ(path_put(R"({"a":1})", path("$.b"), "k", "v"), "");
  EXPECT_EQ(path_put("[1]", path("$"), "k", "v"), "");
  EXPECT_EQ(path_put("{}", path("$"), "", ""), "");
}

}  // namespace
}  // namespace weir::json
