#include "processors/text/count_text.h"

#include <gtest/gtest.h>

#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

// "lines/filled lines/words/characters"
std::string count(std::string text, Values properties = {}) {
  for (const char* name :
       {"text-line-count", "text-line-nonempty-count", "text-word-count", "text-character-count"}) {
    properties[name] = "true";
  }
  TestBench bench(count_text(), std::move(properties));
  bench.enqueue(text);
  bench.run();
  EXPECT_FALSE(bench.last_error());
  const auto output = bench.outputs("success").at(0);
  EXPECT_TRUE(output.content == text);
  return output.attribute("text.line.count") + "/" + output.attribute("text.line.nonempty.count") +
         "/" + output.attribute("text.word.count") + "/" + output.attribute("text.character.count");
}

TEST(CountText, LinesWordsAndCharacters) {
  EXPECT_EQ(count("the quick\nbrown  fox\n\njumps-over it.\n"), "4/3/6/33");
  EXPECT_EQ(
      count("the quick\nbrown  fox\n\njumps-over it.\n", {{"split-words-on-symbols", "true"}}),
      "4/3/7/33");
  EXPECT_EQ(count(""), "0/0/0/0");
  EXPECT_EQ(count("\n"), "1/0/0/0");
  EXPECT_EQ(count("a\rb\r\nc"), "3/3/3/3");
  EXPECT_EQ(count("   \n\t\nx"), "3/1/1/5");
  EXPECT_EQ(count("h\u00e9\u00e9 \u00f1 \u65e5\u672c \U0001F600"), "1/1/4/11");
  EXPECT_EQ(count("\u2003\u2003\n\u2003a"), "2/1/1/4");
  EXPECT_EQ(count("...\n", {{"split-words-on-symbols", "true"}}), "1/1/0/3");
}

TEST(CountText, CharacterSetsAndMalformedText) {
  EXPECT_EQ(count("\xFF\xFE a\n"), "1/1/2/4");
  EXPECT_EQ(count(std::string("\xFF\xFE"
                              "a\0b\0 \0c\0\n\0d\0",
                              14),
                  {{"character-encoding", "UTF-16"}}),
            "2/2/3/5");
}

TEST(CountText, PiecesAreSeamless) {
  for (const std::size_t size : {65'534, 65'535, 65'536}) {
    EXPECT_EQ(count(repeated(size, 'a') + "\r\n\u20ac b"), "2/2/3/" + std::to_string(size + 3));
  }
  EXPECT_EQ(count(repeated(5u << 20, 'x')), "1/1/1/5242880");
}

TEST(CountText, OnlyWhatWasAskedFor) {
  TestBench bench(count_text(), {});
  bench.enqueue("a b", {{"text.line.count", "99"}});
  bench.run();
  const auto output = bench.outputs("success").at(0);
  EXPECT_EQ(output.attribute("text.line.count"), "1");
  EXPECT_FALSE(output.attributes.contains("text.word.count"));
}

}  // namespace
}  // namespace weir::processors
