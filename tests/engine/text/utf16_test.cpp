#include "engine/text/utf16.h"

#include <gtest/gtest.h>

namespace weir::text {
namespace {

const std::string rocket = "a\U0001F680b\U0001F600";  // six units

TEST(Utf16, CountsUnits) {
  EXPECT_EQ(utf16_length(""), 0u);
  EXPECT_EQ(utf16_length(std::string(1000, 'x')), 1000u);
  EXPECT_EQ(utf16_length("na\u00EFve"), 5u);
  EXPECT_EQ(utf16_length(rocket), 6u);
  EXPECT_EQ(utf16_length("a\xFF\xC3"), 3u);  // bytes that are not UTF-8 count one each
}

TEST(Utf16, CutsByUnits) {
  EXPECT_EQ(substring("Aurora", 2, 4), "ro");
  EXPECT_EQ(substring("Aurora", 6, 6), "");
  EXPECT_EQ(substring("Aurora", 1), "urora");
  EXPECT_EQ(substring("Aurora", 7), std::nullopt);
  EXPECT_EQ(substring("Aurora", -1, 2), std::nullopt);
  EXPECT_EQ(substring("Aurora", 4, 2), std::nullopt);
  EXPECT_EQ(substring("Aurora", 0, 7), std::nullopt);
  EXPECT_EQ(substring(rocket, 3), "b\U0001F600");
  EXPECT_EQ(substring(rocket, 0, 2), "a?");
  EXPECT_EQ(substring(rocket, 2, 3), "?");
  EXPECT_EQ(substring(rocket, 2, 5), "?b?");
  EXPECT_EQ(substring(rocket, 0, 6), rocket);
}

TEST(Utf16, FindsByUnits) {
  EXPECT_EQ(index_of("na\u00EFve \U0001F680!", "!"), 8);
  EXPECT_EQ(last_index_of("na\u00EFve \U0001F680!", "!"), 8);
  EXPECT_EQ(index_of("abcabc", ""), 0);
  EXPECT_EQ(last_index_of("abcabc", ""), 6);
  EXPECT_EQ(index_of("abcabc", "z"), -1);
  EXPECT_EQ(index_of("abcabc", "b", 2), 4);
  EXPECT_EQ(index_of("abc", "", 9), 3);
}

TEST(Utf16, OffsetsAndUnitsAreEachOthersInverse) {
  for (std::size_t unit = 0; unit <= 6; ++unit) {
    const auto position = offset_of_unit(rocket, unit);
    ASSERT_TRUE(position);
    EXPECT_EQ(unit_of_offset(rocket, position->offset), unit - (position->inside ? 1 : 0));
  }
  EXPECT_FALSE(offset_of_unit(rocket, 7));
  EXPECT_FALSE(offset_of_unit("abc", 4));
}

}  // namespace
}  // namespace weir::text
