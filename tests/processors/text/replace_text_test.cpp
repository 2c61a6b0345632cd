#include "processors/text/replace_text.h"

#include <gtest/gtest.h>

#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

std::string replace(Values properties, std::string text, Values attributes = {}) {
  TestBench bench(replace_text(), std::move(properties));
  bench.enqueue(std::move(text), std::move(attributes));
  bench.run();
  EXPECT_FALSE(bench.last_error()) << *bench.last_error();
  EXPECT_EQ(bench.count("success"), 1u);
  return bench.count("success") ? bench.outputs("success")[0].content : "";
}

std::string regex(const std::string& search, const std::string& value, std::string text,
                  Values attributes = {}, const std::string& mode = "Line-by-Line") {
  return replace(
      {{"Regular Expression", search}, {"Replacement Value", value}, {"Evaluation Mode", mode}},
      std::move(text), std::move(attributes));
}

TEST(ReplaceText, ARegularExpressionSeesEachLineWithItsEnd) {
  EXPECT_EQ(regex("cat", "dog", "one cat\ntwo cat\n"), "one dog\ntwo dog\n");
  EXPECT_EQ(regex("$", ";", "a\n"), "a;\n;");
  EXPECT_EQ(regex("(?s)(^.*$)", "[$1]", "a\r\nb\r\n\r\nc"), "[a\r\n][b\r\n][\r\n][c]");
  EXPECT_EQ(regex("a*", "-", "baac"), "-b--c-");
  EXPECT_EQ(regex("(.)(.)?", "$2$1", "abc"), "bac");
  EXPECT_EQ(regex("a\nb", "x", "a\nb\n"), "a\nb\n");
  EXPECT_EQ(regex("a\nb", "x", "a\nb\n", {}, "Entire text"), "x\n");
  EXPECT_EQ(regex(".*", "all", "a\nb"), "all\nall");
}

TEST(ReplaceText, ReferencesInTheReplacement) {
  EXPECT_EQ(regex("(\\w+) (\\w+)", "$2-$1", "one cat"), "cat-one");
  EXPECT_EQ(regex("a", "\\$5", "banana"), "b$5n$5n$5");
  EXPECT_EQ(regex("a", "cost \\ slash", "a"), "cost  slash");
  // Groups that the expression does not have.
  EXPECT_EQ(regex("(a)", "I owe $8 and $9", "a"), "I owe $8 and $9");
  EXPECT_EQ(regex("(a)", "-$12", "a"), "-a2");
  // A $ without a number: the whole text is taken as it is.
  EXPECT_EQ(regex("(a)", "$1 and $x \\ y", "a"), "$1 and $x \\ y");
  EXPECT_EQ(regex("(a)", "v=${v}", "a", {{"v", "$1"}}), "v=$1");
}

TEST(ReplaceText, AReferenceToNoGroupRollsBack) {
  for (const char* value : {"$5", "a\\"}) {
    TestBench bench(replace_text(), {{"Regular Expression", "a"}, {"Replacement Value", value}});
    bench.enqueue("banana");
    bench.run();
    EXPECT_TRUE(bench.last_error()) << value;
    EXPECT_EQ(bench.queued(), 1u);
  }
}

TEST(ReplaceText, ValuesOfExpressionsInTheSearchAreQuoted) {
  EXPECT_EQ(regex("${needle}", "X", "a.b.c aXb", {{"needle", "."}}), "aXbXc aXb");
  EXPECT_EQ(regex("<(${needle})>", "$1", "<.> <x>", {{"needle", "."}}), ". <x>");
}

// R089: quoting got into literal replacements.
TEST(ReplaceText, DoesNotQuoteAnythingInALiteralReplacement) {
  const std::string odd = "a.b*c$1\\Q";
  for (const char* mode : {"Line-by-Line", "Entire text"}) {
    EXPECT_EQ(replace({{"Replacement Strategy", "Literal Replace"},
                       {"Regular Expression", "here"},
                       {"Replacement Value", "${odd}"},
                       {"Evaluation Mode", mode}},
                      "<here>", {{"odd", odd}}),
              "<" + odd + ">");
    EXPECT_EQ(replace({{"Replacement Strategy", "Literal Replace"},
                       {"Regular Expression", "${odd}"},
                       {"Replacement Value", "$1"},
                       {"Evaluation Mode", mode}},
                      "<" + odd + "> aabbc", {{"odd", odd}}),
              "<$1> aabbc");
  }
  EXPECT_EQ(regex("here", "${odd}", "<here>", {{"odd", "a.b*c$1"}}), "<a.b*c$1>");
}

TEST(ReplaceText, LiteralsAcrossLines) {
  const Values literal = {{"Replacement Strategy", "Literal Replace"}, {"Replacement Value", "x"}};
  const auto with = [&](const std::string& search, const std::string& mode) {
    Values properties = literal;
    properties["Regular Expression"] = search;
    properties["Evaluation Mode"] = mode;
    return properties;
  };
  EXPECT_EQ(replace(with("a\nb", "Line-by-Line"), "a\nb\n"), "a\nb\n");
  EXPECT_EQ(replace(with("a\n", "Line-by-Line"), "a\nb\na\n"), "xb\nx");
  EXPECT_EQ(replace(with("a\nb", "Entire text"), "a\nb\n"), "x\n");
  EXPECT_EQ(replace(with("aa", "Line-by-Line"), "aaaaa"), "xxa");
  EXPECT_EQ(replace(with("${no}", "Line-by-Line"), "ab"), "xaxbx");
  EXPECT_FALSE(TestBench(replace_text(), with("", "Entire text")).validate().empty());
}

TEST(ReplaceText, AddsTextBeforeAndAfter) {
  const std::string mixed = "l1\r\nl2\rl3\nl4";
  EXPECT_EQ(replace({{"Replacement Strategy", "Append"}, {"Replacement Value", ";"}}, mixed),
            "l1;\r\nl2;\rl3;\nl4;");
  EXPECT_EQ(replace({{"Replacement Strategy", "Prepend"}, {"Replacement Value", "#"}}, mixed),
            "#l1\r\n#l2\r#l3\n#l4");
  const Values surround = {
      {"Replacement Strategy", "Surround"}, {"Text to Prepend", "${a}"}, {"Text to Append", ">"}};
  EXPECT_EQ(replace(surround, "q\nr", {{"a", "<"}}), "<q>\n<r>");
  Values entire = surround;
  entire["Evaluation Mode"] = "Entire text";
  EXPECT_EQ(replace(entire, "q\nr\n", {{"a", "<"}}), "<q\nr\n>");
  EXPECT_EQ(
      replace({{"Replacement Strategy", "Always Replace"}, {"Replacement Value", "x"}}, mixed),
      "x\r\nx\rx\nx");
  EXPECT_EQ(replace({{"Replacement Strategy", "Always Replace"},
                     {"Replacement Value", "x"},
                     {"Evaluation Mode", "Entire text"}},
                    ""),
            "x");
  EXPECT_EQ(replace({{"Replacement Strategy", "Prepend"}, {"Replacement Value", "x"}}, ""), "");
}

TEST(ReplaceText, OnlyTheLinesThatWereAskedFor) {
  const auto with = [&](const std::string& mode, const std::string& text) {
    return replace({{"Replacement Strategy", "Append"},
                    {"Replacement Value", "!"},
                    {"Line-by-Line Evaluation Mode", mode}},
                   text);
  };
  EXPECT_EQ(with("First-Line", "x\ny\nz"), "x!\ny\nz");
  EXPECT_EQ(with("Last-Line", "x\ny\nz"), "x\ny\nz!");
  EXPECT_EQ(with("Last-Line", "x\ny\nz\r\n"), "x\ny\nz!\r\n");
  EXPECT_EQ(with("Except-First-Line", "x\ny\nz"), "x\ny!\nz!");
  EXPECT_EQ(with("Except-Last-Line", "x\ry\rz"), "x!\ry!\rz");
  EXPECT_EQ(with("Except-First-Line", "only"), "only");
  EXPECT_EQ(with("Except-Last-Line", "only"), "only");
  EXPECT_EQ(with("First-Line", "only"), "only!");
  EXPECT_EQ(with("Last-Line", "only"), "only!");
  const std::string text = many_lines(100'000);
  EXPECT_TRUE(with("Last-Line", text) == text.substr(0, text.size() - 1) + "!\n");
  EXPECT_TRUE(with("First-Line", text) == "line 0!" + text.substr(6));
}

TEST(ReplaceText, SubstitutesAttributes) {
  for (const char* mode : {"Line-by-Line", "Entire text"}) {
    const auto with = [&](const std::string& text, Values attributes) {
      return replace({{"Replacement Strategy", "Substitute Variables"}, {"Evaluation Mode", mode}},
                     text, std::move(attributes));
    };
    EXPECT_EQ(with("Hi ${name}, ${missing}! ${name:toUpper()}", {{"name", "Kim"}}),
              "Hi Kim, ${missing}! ${name:toUpper()}");
    EXPECT_EQ(with("a=${a}\nb=${b}\n$a {a} ${a", {{"a", "1"}}), "a=1\nb=${b}\n$a {a} ${a");
    EXPECT_EQ(with("${a} ${x:-none} $${a}", {{"a", "<${b}>"}, {"b", "2"}}), "<2> none ${a}");
  }
}

// Thirty attributes would give a text of a billion pieces.
TEST(ReplaceText, AttributesThatReferToEachOtherWithoutEndGoToFailure) {
  Values bomb = {{"a0", "ha"}, {"self", "<${self}>"}};
  for (int i = 1; i <= 30; ++i) {
    const std::string before = "${a" + std::to_string(i - 1) + "}";
    bomb["a" + std::to_string(i)] = before + before;
  }
  for (const char* mode : {"Line-by-Line", "Entire text"}) {
    TestBench bench(replace_text(),
                    {{"Replacement Strategy", "Substitute Variables"}, {"Evaluation Mode", mode}});
    bench.enqueue("${a30}", bomb);
    bench.enqueue("${self}", bomb);
    bench.enqueue("${a3}", bomb);
    bench.run(3);
    EXPECT_FALSE(bench.last_error());
    EXPECT_EQ(contents(bench, "failure"), (Strings{"${a30}", "${self}"}));
    EXPECT_EQ(contents(bench, "success"), Strings{"hahahahahahahaha"});
  }
}

TEST(ReplaceText, BlocksAreSeamless) {
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    const std::string text = many_lines(100'000, end);
    std::string wanted = text;
    for (std::size_t at = 0; (at = wanted.find("line 9", at)) != std::string::npos; at += 3) {
      wanted.replace(at, 6, "L-9");
    }
    EXPECT_TRUE(regex("line (9)", "L-$1", text) == wanted);
    EXPECT_TRUE(replace({{"Replacement Strategy", "Literal Replace"},
                         {"Regular Expression", "line 9"},
                         {"Replacement Value", "L-9"}},
                        text) == wanted);
  }
}

TEST(ReplaceText, CharacterSetsAndMalformedText) {
  EXPECT_EQ(regex("^b", "B", "\uFEFFb\nb"), "\uFEFFb\nB");
  for (const char* mode : {"Line-by-Line", "Entire text"}) {
    EXPECT_EQ(replace({{"Replacement Strategy", "Literal Replace"},
                       {"Regular Expression", "b"},
                       {"Replacement Value", "c"},
                       {"Evaluation Mode", mode},
                       {"Character Set", "UTF-16"}},
                      std::string("\xFF\xFE"
                                  "a\0\n\0b\0",
                                  8)),
              std::string("\xFE\xFF\0a\0\n\0c", 8));
  }
  EXPECT_EQ(regex("b", "B",
                  "a\xFF\xFE"
                  "b\n\xC3"),
            "a\uFFFD\uFFFDB\n\uFFFD");
  EXPECT_EQ(regex("\u00e9", "e", "caf\u00e9 cr\u00e8me"), "cafe cr\u00e8me");
  EXPECT_EQ(replace({{"Regular Expression", "\u00e9"},
                     {"Replacement Value", "\u20ac\u00e8"},
                     {"Character Set", "ISO-8859-1"}},
                    "n\xE9"),
            "n?\xE8");
}

TEST(ReplaceText, NothingFoundInAnEntireTextLeavesTheContentAlone) {
  TestBench bench(replace_text(),
                  {{"Regular Expression", "z"}, {"Evaluation Mode", "Entire text"}});
  bench.enqueue("banana\xFF");
  const std::uint64_t stored = bench.content_bytes_stored();
  bench.run();
  EXPECT_EQ(bench.outputs("success").at(0).content, "banana\xFF");
  EXPECT_EQ(bench.content_bytes_stored(), stored);
}

// The limits are NiFi's: a line may fill the buffer that starts with 8192 characters and doubles.
TEST(ReplaceText, TooLargeGoesToFailure) {
  const auto fails = [](Values properties, std::string text) {
    properties["Regular Expression"] = "b";
    properties["Replacement Value"] = "c";
    TestBench bench(replace_text(), std::move(properties));
    bench.enqueue(text);
    bench.run();
    EXPECT_FALSE(bench.last_error());
    if (bench.count("failure") == 0) return false;
    EXPECT_TRUE(bench.outputs("failure")[0].content == text);
    EXPECT_NE(bench.outputs("failure")[0].attribute("replaceText.error"), "");
    EXPECT_EQ(bench.messages(LogLevel::error).size(), 1u);
    return true;
  };
  const Values entire = {{"Maximum Buffer Size", "8 B"}, {"Evaluation Mode", "Entire text"}};
  EXPECT_TRUE(fails(entire, "abcdefghij"));
  EXPECT_FALSE(fails(entire, "abcdefgh"));
  const Values small = {{"Maximum Buffer Size", "8 B"}};
  EXPECT_FALSE(fails(small, "abcdefghij\nb\n"));
  EXPECT_FALSE(fails(small, repeated(8191, 'a') + "\nb\n"));
  EXPECT_TRUE(fails(small, "a\n" + repeated(8193, 'a') + "\nb\n"));
  EXPECT_FALSE(fails({}, repeated(1'000'000, 'x')));
  EXPECT_TRUE(fails({}, repeated(1'100'000, 'x')));
  // Characters count, not bytes.
  std::string wide;
  for (int i = 0; i < 8000; ++i) wide += "\u20ac";
  EXPECT_FALSE(fails(small, "a\n" + wide + "\n" + wide + "\nb\n"));
  EXPECT_TRUE(fails(small, "a\n" + wide + wide + "\nb\n"));
}

// R040: the engine's stack overflowed, and the FlowFile came back for ever.
TEST(ReplaceText, OnePoisonousFlowFileDoesNotHoldUpTheOthers) {
  std::string poison;
  for (int i = 0; i < 2'500'000; ++i) poison += "ab";
  for (const char* expression : {"(a|b|ab)*c", "(a|b)*$", "((a|b)*)*!"}) {
    TestBench bench(replace_text(), {{"Regular Expression", expression},
                                     {"Replacement Value", "x"},
                                     {"Evaluation Mode", "Entire text"},
                                     {"Maximum Buffer Size", "10 MB"}});
    bench.enqueue(poison);
    for (int i = 0; i < 100; ++i) bench.enqueue("ac");
    bench.run(101);
    EXPECT_EQ(bench.count("success"), 100u);
    ASSERT_EQ(bench.count("failure"), 1u) << expression;
    EXPECT_NE(bench.outputs("failure")[0].attribute("replaceText.error"), "");
  }
}

}  // namespace
}  // namespace weir::processors
