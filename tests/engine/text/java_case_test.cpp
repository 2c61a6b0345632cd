#include "engine/text/java_case.h"

#include <gtest/gtest.h>

namespace weir::text {
namespace {

TEST(JavaCase, MapsFully) {
  EXPECT_EQ(to_upper("Stra\u00DFe"), "STRASSE");
  EXPECT_EQ(to_upper("\u0149\uFB01\u01C6"), "\u02BCNFI\u01C4");
  EXPECT_EQ(to_upper("a\U00010428"), "A\U00010400");
  EXPECT_EQ(to_upper("i\u0131"), "II");
  EXPECT_EQ(to_lower("\u039F\u0394\u039F\u03A3 \u03A3"), "\u03BF\u03B4\u03BF\u03C2 \u03C3");
  EXPECT_EQ(to_lower("I\u0130"), "ii\u0307");
  EXPECT_EQ(to_lower("AZ[`{09"), "az[`{09");
  EXPECT_EQ(to_upper("\xC3\xA9\xFF\xC3"), "\xC3\x89\xFF\xC3");
}

TEST(JavaCase, ComparesCharacterByCharacter) {
  EXPECT_TRUE(equals_ignore_case("Aurora", "aURORA"));
  EXPECT_TRUE(equals_ignore_case("\u212A", "k"));
  EXPECT_TRUE(equals_ignore_case("\u0130", "i"));
  EXPECT_TRUE(equals_ignore_case("\u03C2", "\u03C3"));
  EXPECT_FALSE(equals_ignore_case("\u00DF", "SS"));
  EXPECT_FALSE(equals_ignore_case("a", "ab"));
}

TEST(JavaCase, OrdersByUtf16Units) {
  EXPECT_TRUE(compare("a", "b") < 0);
  EXPECT_TRUE(compare("ab", "a") > 0);
  EXPECT_TRUE(compare("\u00E9", "\u00E9") == 0);
  EXPECT_TRUE(compare("\U00010000", "\uFFFD") < 0);
  EXPECT_TRUE(compare("\U00010000", "\uD7FF") > 0);
}

TEST(JavaCase, KnowsWhiteSpace) {
  for (const char32_t c : {0x20, 0x9, 0xB, 0x1C, 0x1F, 0x2003, 0x3000, 0x2028}) {
    EXPECT_TRUE(is_whitespace(c)) << static_cast<unsigned>(c);
  }
  for (const char32_t c : {0xA0, 0x85, 0x200B, 0x0, 0x202F, 0x41}) {
    EXPECT_FALSE(is_whitespace(c)) << static_cast<unsigned>(c);
  }
  EXPECT_TRUE(is_blank(" \t\u2003"));
  EXPECT_FALSE(is_blank("\u00A0"));
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(trim("\0\x01\x1Fx\x7F "sv), "x\x7F");
  EXPECT_EQ(trim("\u2003x"), "\u2003x");
  EXPECT_EQ(strip("\u2003 x\u3000"), "x");
  EXPECT_EQ(strip("\u00A0x"), "\u00A0x");
}

}  // namespace
}  // namespace weir::text
