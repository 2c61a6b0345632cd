#include "processors/text/convert_character_set.h"

#include <gtest/gtest.h>

#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

std::string convert(const std::string& from, const std::string& to, std::string content,
                    Values attributes = {}) {
  TestBench bench(convert_character_set(),
                  {{"Input Character Set", from}, {"Output Character Set", to}});
  bench.enqueue(std::move(content), std::move(attributes));
  bench.run();
  EXPECT_FALSE(bench.last_error()) << *bench.last_error();
  return bench.count("success") ? bench.outputs("success")[0].content : "";
}

TEST(ConvertCharacterSet, Converts) {
  EXPECT_EQ(convert("UTF-8", "UTF-16LE", "ab"), std::string("a\0b\0", 4));
  EXPECT_EQ(convert("${cs}", "UTF-8", "n\xE9", {{"cs", "ISO-8859-1"}}), "n\u00e9");
  EXPECT_EQ(convert("UTF-8", "UTF-16", ""), "");
  EXPECT_EQ(convert("UTF-8", "UTF-16", "a"), std::string("\xFE\xFF\0a", 4));
}

TEST(ConvertCharacterSet, WhatCannotBeConvertedBecomesAQuestionMark) {
  EXPECT_EQ(convert("UTF-8", "US-ASCII", "n\u00e9"), "n?");
  EXPECT_EQ(convert("UTF-8", "UTF-8",
                    "a\xFF"
                    "b\uFFFD"),
            "a?b\uFFFD");
  EXPECT_EQ(convert("windows-1252", "UTF-8", "\x80"), "\u20ac");
}

TEST(ConvertCharacterSet, NamesAreThoseThatJavaKnows) {
  const auto is_known = [](const char* name) {
    return TestBench(convert_character_set(),
                     {{"Input Character Set", name}, {"Output Character Set", "UTF-8"}})
        .validate()
        .empty();
  };
  for (const char* name : {"UTF8", "latin1", "ISO8859_1", "Cp1252", "windows-31j", "GBK"}) {
    EXPECT_TRUE(is_known(name)) << name;
  }
  for (const char* name : {"UTF-8//TRANSLIT", "ASCII//IGNORE", "x-nope", ""}) {
    EXPECT_FALSE(is_known(name)) << name;
  }
}

TEST(ConvertCharacterSet, BuffersAreSeamless) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a\u20ac";
  EXPECT_TRUE(convert("UTF-16", "UTF-8", convert("UTF-8", "UTF-16", text)) == text);
}

TEST(ConvertCharacterSet, AnUnknownSetRollsBack) {
  TestBench bench(convert_character_set(),
                  {{"Input Character Set", "${cs}"}, {"Output Character Set", "UTF-8"}});
  bench.enqueue("a", {{"cs", "nope"}});
  bench.run();
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.queued(), 1u);
  EXPECT_FALSE(TestBench(convert_character_set(),
                         {{"Input Character Set", "UTF-8"}, {"Output Character Set", "NOPE"}})
                   .validate()
                   .empty());
}

}  // namespace
}  // namespace weir::processors
