#include <gtest/gtest.h>

#include "processors/jolt/program_cache.h"
#include "tests/processors/jolt/jolt_cases.h"

namespace weir::jolt {
namespace {

std::string place(Operation operation, std::string spec) {
  const auto program = Program::compile(operation, std::move(spec));
  EXPECT_FALSE(program);
  return program ? std::string() : program.error().place;
}

TEST(Program, NamesThePlaceInTheSpec) {
  const std::string chain =
      R"([{"operation":"sort"},{"operation":"shift","spec":{"a":{"b":"x[q]"}}}])";
  EXPECT_EQ(place(Operation::chain, chain), "/1/spec/a/b");
  EXPECT_EQ(place(Operation::shift, R"({"a":{"b":5}})"), "/a/b");
  EXPECT_EQ(place(Operation::modify_overwrite, R"j({"a":{"*":"=f)"}})j"), "/a/*");
  EXPECT_EQ(place(Operation::shift, "{\n  \"a\": bad}"), "line 2, column 8");
  EXPECT_EQ(place(Operation::remove, "5"), "");
}

TEST(Program, TakesComments) {
  const char* const spec =
      "{ // the key\n"
      "\"a\": \"x//y\", /* not\n"
      "\"b\": \"z\", */ \"c\": \"q\\\"//\" }";
  EXPECT_EQ(transform(Operation::shift, spec, R"({"a":1,"b":2,"c":3})"), R"({"x//y":1,"q\"//":3})");
}

TEST(Program, AChainOfDoublingEndsBeforeMemoryDoes) {
  std::string spec = "[";
  for (int step = 0; step < 40; ++step) {
    if (step > 0) spec += ',';
    spec += R"({"operation":"shift","spec":{"@":["a","b"]}})";
  }
  EXPECT_EQ(transform(Operation::chain, spec + "]", R"({"x":1})"), "FAIL");
}

TEST(Program, AChainOfNestingEndsBeforeTheStackDoes) {
  std::string path = "a";
  for (int step = 1; step < 150; ++step) path += ".a";
  std::string spec = "[";
  for (int step = 0; step < 2'000; ++step) {
    if (step > 0) spec += ',';
    spec += R"({"operation":"shift","spec":{"@":")" + path + R"("}})";
  }
  EXPECT_EQ(transform(Operation::chain, spec + "]", "[1]"), "FAIL");
}

TEST(Program, AnArrayDoesNotGrowToAnIndexOutOfTheData) {
  EXPECT_EQ(transform(Operation::shift, R"({"*":"list[&]"})", R"({"2000000000":1})"), "FAIL");
  EXPECT_EQ(transform(Operation::modify_overwrite, R"({"a":{"[2000000000]":1}})", R"({"a":[]})"),
            "FAIL");
  EXPECT_EQ(transform(Operation::default_values, R"({"a[]":{"2000000000":1}})", "{}"), "FAIL");
}

TEST(Program, AValueWithinItselfIsACopy) {
  EXPECT_EQ(transform(Operation::modify_overwrite, R"j({"all":"=squashNulls(@(1))"})j",
                      R"({"a":null,"b":1})"),
            R"({"b":1,"all":{"b":1}})");
  const std::string spec = R"({"list":{"@":"out","*":"out"}})";
  EXPECT_EQ(transform(Operation::shift, spec, R"({"list":[1,2]})"), R"({"out":[1,2,1,2]})");
}

TEST(Program, IsUsedManyTimes) {
  const auto program = Program::compile(Operation::shift, R"({"*":"all[#1]"})");
  ASSERT_TRUE(program);
  EXPECT_EQ(transform(Operation::shift, R"({"*":"all"})", R"({"a":1,"b":2})"), R"({"all":[1,2]})");
}

TEST(ProgramCache, ForgetsTheOneUsedLongestAgo) {
  ProgramCache cache(2);
  const auto program = *Program::compile(Operation::sort, "");
  cache.put("a", program);
  cache.put("b", program);
  EXPECT_TRUE(cache.find("a"));
  cache.put("c", program);
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("c"));
}

}  // namespace
}  // namespace weir::jolt
