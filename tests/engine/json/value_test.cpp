#include "engine/json/value.h"

#include <gtest/gtest.h>

#include "engine/json/parse.h"
#include "engine/json/write.h"

namespace weir::json {
namespace {

TEST(Value, ArraysGrowAndShrink) {
  Arena arena;
  Value array = Value::array(arena);
  for (int i = 0; i < 10; ++i) array.push_back(arena, Value::integer(i));
  array.erase_item(0);
  array.erase_item(8);
  array.set_item(1, Value());
  const std::size_t indexes[] = {2, 5};
  array.erase_items(indexes);
  EXPECT_EQ(to_json(array), R"([1,null,4,5,7,8])");
}

TEST(Value, ACopyIsTheSameObject) {
  Arena arena;
  Value object = Value::object(arena);
  Value copy = object;
  copy.set(arena, "a", Value::integer(1));
  EXPECT_EQ(to_json(object), R"({"a":1})");
  EXPECT_EQ(object.identity(), copy.identity());
  Value deep = object.clone(arena);
  deep.set(arena, "b", Value::integer(2));
  EXPECT_EQ(to_json(object), R"({"a":1})");
  EXPECT_EQ(to_json(deep), R"({"a":1,"b":2})");
}

TEST(Value, MembersOfSmallAndLargeObjects) {
  for (const int count : {3, 200}) {
    Arena arena;
    Value object = Value::object(arena);
    for (int i = 0; i < count; ++i) {
      object.set(arena, arena.copy("k" + std::to_string(i)), Value::integer(i));
    }
    object.set(arena, "k1", Value::string("one"));
    ASSERT_EQ(object.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(object.members()[1].value.as_text(), "one");
    EXPECT_TRUE(object.erase("k0"));
    EXPECT_FALSE(object.erase("k0"));
    EXPECT_EQ(object.find("k0"), nullptr);
    EXPECT_EQ(object.find("k2")->as_integer(), 2);
    object.set(arena, "k0", Value());
    EXPECT_EQ(object.members().back().name, "k0");
    EXPECT_EQ(object.size(), static_cast<std::size_t>(count));
    const std::string_view names[] = {"k0", "k1", "no", "k1"};
    object.erase(names);
    EXPECT_EQ(object.size(), static_cast<std::size_t>(count) - 2);
    EXPECT_EQ(object.find("k1"), nullptr);
  }
}

TEST(Value, EqualsAsInJava) {
  Arena arena;
  const auto equal = [&](std::string_view left, std::string_view right) {
    return parse(left, arena)->equals(*parse(right, arena));
  };
  EXPECT_TRUE(equal(R"({"a":1,"b":[2.50,null]})", R"({"b":[2.5,null],"a":1})"));
  EXPECT_FALSE(equal("1", "1.0"));
  EXPECT_FALSE(equal("[1,2]", "[2,1]"));
  EXPECT_FALSE(equal(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(equal(R"({"a":1})", R"({"b":1})"));
  EXPECT_TRUE(equal("12345678901234567890", "12345678901234567890"));
}

TEST(Value, Numbers) {
  Arena arena;
  EXPECT_EQ(parse("1e3", arena)->as_double(), 1000.0);
  EXPECT_EQ(parse("12345678901234567890", arena)->as_double(), 12345678901234567890.0);
  EXPECT_EQ(parse("1e-999", arena)->as_double(), 0.0);
  EXPECT_EQ(to_json(Value::decimal(2, arena)), "2.0");
  EXPECT_EQ(to_json(Value::decimal(1e30, arena)), "1.0E30");
}

}  // namespace
}  // namespace weir::json
