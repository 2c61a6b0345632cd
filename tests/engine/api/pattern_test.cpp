#include "engine/api/pattern.h"

#include <gtest/gtest.h>

#include "engine/api/error.h"

namespace weir {
namespace {

Pattern pattern(std::string_view expression) {
  auto compiled = Pattern::compile(expression);
  if (!compiled) ADD_FAILURE() << compiled.error();
  return *compiled;
}

TEST(Pattern, MatchesTheWholeText) {
  EXPECT_TRUE(pattern("[^\\.].*").matches("a.txt"));
  EXPECT_FALSE(pattern("[^\\.].*").matches(".hidden"));
  EXPECT_FALSE(pattern("a").matches("ab"));
  EXPECT_FALSE(pattern("a|ab").matches("abc"));
  EXPECT_TRUE(pattern("a|ab").matches("ab"));
}

TEST(Pattern, FindsAPart) {
  EXPECT_TRUE(pattern("b+").contains("abbc"));
  EXPECT_FALSE(pattern("^b").contains("abbc"));
}

TEST(Pattern, TextThatIsNoUtf8IsMatchedByBytes) {
  EXPECT_TRUE(pattern("[^\\.].*").matches("caf\xe9.txt"));
  EXPECT_TRUE(pattern("....").matches("caf\xe9"));
  EXPECT_TRUE(pattern("....").matches("caf\xc3\xa9"));
}

TEST(Pattern, TakesJavasEscapes) {
  EXPECT_TRUE(pattern("\\u0041b").matches("Ab"));
  EXPECT_TRUE(pattern("\\x{41}b").matches("Ab"));
  EXPECT_TRUE(pattern("(?i)ab\\Q.*\\E").matches("AB.*"));
}

TEST(Pattern, SaysWhatIsWrong) {
  const auto compiled = Pattern::compile("a(b");
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.error().find("parenthesis"), std::string::npos) << compiled.error();
}

TEST(Pattern, AnExpressionThatNeverEndsIsStopped) {
  const std::string text(40, 'a');
  EXPECT_THROW(pattern("(a+)+(a+)+(a+)+$x|(?:a*)*(?:a*)*b").matches(text + "!"), ProcessException);
}

std::string replaced(std::string_view text, std::string_view expression, std::string_view with) {
  const Pattern compiled = pattern(expression);
  const auto replacement = Replacement::parse(with, compiled);
  if (!replacement) return "error: " + replacement.error();
  return replace_all(text, compiled, *replacement);
}

TEST(Pattern, UnionsAndIntersectionsOfClasses) {
  EXPECT_TRUE(pattern("[a-z&&[^aeiou]]+").matches("xyz"));
  EXPECT_FALSE(pattern("[a-z&&[^aeiou]]+").matches("xaz"));
  EXPECT_TRUE(pattern("[a-c[x-z]]+").matches("abcxyz"));
  EXPECT_FALSE(pattern("[a-c[x-z]]+").matches("d"));
  EXPECT_TRUE(pattern("[^a-c[x-z]]").matches("d"));
  EXPECT_FALSE(pattern("[^a-c[x-z]]").matches("y"));
  EXPECT_TRUE(pattern("[a-z&&def]+").matches("fed"));
  EXPECT_FALSE(pattern("[a-z&&def]").matches("a"));
  EXPECT_TRUE(pattern("[\\w&&[^\\d]&&[^x]]+").matches("ab_"));
  EXPECT_FALSE(pattern("[\\w&&[^\\d]&&[^x]]").matches("x"));
  EXPECT_TRUE(pattern("[[^0-9]a1]+").matches("a1b"));
  EXPECT_TRUE(pattern("[]a]+").matches("]a"));
  EXPECT_TRUE(pattern("[a-]+").matches("a-"));
  EXPECT_TRUE(pattern("[\\Q^]-\\E]+").matches("^]-"));
}

TEST(Pattern, PropertiesByJavasNames) {
  EXPECT_TRUE(pattern("\\p{Lower}+").matches("abc"));
  EXPECT_FALSE(pattern("\\p{Lower}").matches("\u00e9"));
  EXPECT_TRUE(pattern("(?U)\\p{Lower}").matches("\u00e9"));
  EXPECT_TRUE(pattern("\\p{L}\\pL\\p{IsL}\\p{IsAlphabetic}").matches("a\u00e9\u03b1z"));
  EXPECT_TRUE(pattern("\\p{IsGreek}\\p{InGreek}").matches("\u03b1\u03b2"));
  EXPECT_TRUE(pattern("\\P{InGreek}\\P{L}\\P{Lower}").matches("a1\u00e9"));
  EXPECT_TRUE(
      pattern("\\p{javaUpperCase}\\p{javaLetterOrDigit}\\p{javaWhitespace}").matches("A1\t"));
  EXPECT_TRUE(pattern("[\\p{Punct}&&[^.]]+").matches("!?"));
  EXPECT_FALSE(Pattern::compile("\\p{Nonsense}"));
}

TEST(Pattern, CaseIsFoldedForAsciiUnlessToldOtherwise) {
  EXPECT_FALSE(pattern("(?i)\u00c9").matches("\u00e9"));
  EXPECT_TRUE(pattern("(?iu)\u00c9").matches("\u00e9"));
  EXPECT_TRUE(pattern("(?i:A)b").matches("ab"));
  EXPECT_FALSE(pattern("(?i:A)b").matches("aB"));
  EXPECT_TRUE(pattern("x(?i)a|b").matches("B"));
  EXPECT_FALSE(pattern("(x(?i)a)B").matches("xAb"));
  EXPECT_TRUE(Pattern::compile("a.b", {.case_insensitive = true, .literal = true})->matches("A.B"));
}

TEST(Pattern, FlagsOfLines) {
  EXPECT_FALSE(pattern("a.b").matches("a\nb"));
  EXPECT_FALSE(
      pattern("a.b").matches("a\u2028"
                             "b"));
  EXPECT_TRUE(pattern("(?s)a.b").matches("a\nb"));
  EXPECT_TRUE(pattern("(?d)a.b").matches("a\rb"));
  EXPECT_TRUE(pattern("(?m)^b$").contains("a\nb\nc"));
  EXPECT_FALSE(pattern("^b$").contains("a\nb\nc"));
  EXPECT_TRUE(pattern("b$").contains("ab\n"));
  EXPECT_FALSE(pattern("b\\z").contains("ab\n"));
  EXPECT_TRUE(pattern("(?x) a # comment\n b").matches("ab"));
}

TEST(Pattern, LookBehindOfVaryingLength) {
  EXPECT_TRUE(pattern("(?<=\\d{1,3})x").contains("12x"));
  EXPECT_FALSE(pattern("(?<=\\d{1,3})x").contains("x"));
  EXPECT_TRUE(pattern("(?<!ab?)c").contains("bc"));
  EXPECT_FALSE(pattern("(?<!ab?)c").contains("abc"));
  EXPECT_FALSE(pattern("(?<!ab?)c").contains("ac"));
  EXPECT_TRUE(pattern("(?<=x|(?i:yz))c").contains("YZc"));
  EXPECT_FALSE(Pattern::compile("(?<=a+)b"));
}

TEST(Pattern, WhatOnlyPcreKnowsIsRefused) {
  for (const char* expression :
       {"(*ACCEPT)a", "(?P<n>a)", "(?|a)", "(?R)", "(?1)", "a\\Kb", "\\N{U+41}", "\\o{101}",
        "(?#c)a", "a{", "a{,3}", "a{2,1}", "*a", "\\y", "(?<1a>x)", "[a", "a)", "\\", "[z-a]"}) {
    EXPECT_FALSE(Pattern::compile(expression)) << expression;
  }
}

TEST(Pattern, DeepNestingIsAnErrorNotACrash) {
  EXPECT_FALSE(Pattern::compile(std::string(100'000, '(')));
  EXPECT_FALSE(Pattern::compile(std::string(100'000, '[')));
}

TEST(Pattern, EscapesOfCharacters) {
  EXPECT_TRUE(pattern("\\x41\\0101\\u0041\\x{1F600}").matches("AAA\U0001F600"));
  EXPECT_TRUE(pattern("\\ud83d\\ude00").matches("\U0001F600"));
  EXPECT_TRUE(pattern("\\t\\n\\cA\\e").matches("\t\n\x01\x1b"));
  EXPECT_TRUE(pattern(Pattern::quote("a\\Eb.")).matches("a\\Eb."));
}

TEST(Pattern, AByteByItsNumberWhereTheTextIsNoUtf8) {
  EXPECT_TRUE(pattern("a\\xb5[\\xe9\\x{ff}]").matches("a\xb5\xff"));
  EXPECT_TRUE(pattern("a\\xb5").matches("a\u00b5"));
}

TEST(Pattern, ABackReferenceTakesAsManyDigitsAsThereAreGroups) {
  EXPECT_TRUE(pattern("(a)(b)\\11").matches("aba1"));
  EXPECT_TRUE(pattern("(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)(x)\\11").matches("abcdefghijxx"));
  EXPECT_TRUE(pattern("(a)\\1+").matches("aaa"));
}

TEST(Pattern, MatchesOneAfterTheOther) {
  const Pattern digits = pattern("(?<first>\\d)(\\d)?");
  EXPECT_EQ(digits.group_count(), 2u);
  ASSERT_EQ(digits.group_names().size(), 1u);
  EXPECT_EQ(digits.group_names()[0].first, "first");
  Match match;
  const std::string text = "a12b3";
  ASSERT_TRUE(digits.find(text, 0, match));
  EXPECT_EQ(match.group(), "12");
  EXPECT_EQ(match.group(2), "2");
  ASSERT_TRUE(digits.find_next(text, match));
  EXPECT_EQ(match.group(), "3");
  EXPECT_EQ(match.start(), 4u);
  EXPECT_FALSE(match.participated(2));
  EXPECT_FALSE(digits.find_next(text, match));
}

TEST(Pattern, BadUtf8BehindTheFirstMatchIsNoDanger) {
  const Pattern any = pattern("a|\u00e9");
  Match match;
  std::string text =
      "a\xff\xfe"
      "a\xc3";
  ASSERT_TRUE(any.find(text, 0, match));
  ASSERT_TRUE(any.find_next(text, match));
  EXPECT_EQ(match.start(), 3u);
  EXPECT_FALSE(any.find_next(text, match));
}

TEST(Replacement, GroupsByNumberAndName) {
  EXPECT_EQ(replaced("banana", "(a)(n)", "$2$1"), "bnanaa");
  EXPECT_EQ(replaced("2023-11", "(?<y>\\d{4})-(?<m>\\d\\d)", "${m}/${y}"), "11/2023");
  EXPECT_EQ(replaced("banana", "(n)", "$10"), "ban0an0a");
  EXPECT_EQ(replaced("banana", "a", "\\$1"), "b$1n$1n$1");
  EXPECT_EQ(replaced("banana", "", "-"), "-b-a-n-a-n-a-");
  EXPECT_EQ(replaced("\u00e9\u00e9", "", "-"), "-\u00e9-\u00e9-");
  EXPECT_EQ(replaced("ab", "(a)|(b)", "[$1|$2]"), "[a|][|b]");
}

TEST(Replacement, ComplainsAsJavaDoes) {
  EXPECT_EQ(replaced("a", "a", "$1"), "error: no group 1");
  EXPECT_TRUE(replaced("a", "a", "$").starts_with("error: "));
  EXPECT_TRUE(replaced("a", "a", "\\").starts_with("error: "));
  EXPECT_TRUE(replaced("a", "a", "${x}").starts_with("error: "));
}

}  // namespace
}  // namespace weir
