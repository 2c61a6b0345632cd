#include <gtest/gtest.h>

#include "engine/api/error.h"
#include "processors/support/character_set.h"
#include "processors/support/declare.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

TEST(CharacterSet, ConvertsWithReplacements) {
  EXPECT_EQ(encode_text("a\xE2\x82\xAC\x62", "ISO-8859-1"), "a?b");
  EXPECT_EQ(decode_text("a\xFFz", "UTF-8"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(decode_text("\xE9", "ISO-8859-1"), "\xC3\xA9");
  EXPECT_EQ(decode_text(std::string(20'000, 'x'), "UTF-8"), std::string(20'000, 'x'));
  EXPECT_EQ(decode_text("", "UTF-8"), "");
  EXPECT_THROW(encode_text("a", "nonsense"), ProcessException);
}

TEST(JavaText, FileTimesGoThereAndBack) {
  EXPECT_EQ(parse_file_time("2023-11-14T22:13:20+0000"), 1'700'000'000'000);
  EXPECT_EQ(parse_file_time("2023-11-14T22:13:20Z"), 1'700'000'000'000);
  EXPECT_EQ(parse_file_time("2023-11-15T00:13:20+0200"), 1'700'000'000'000);
  EXPECT_EQ(parse_file_time(file_time(1'700'000'000'000)), 1'700'000'000'000);
  EXPECT_THROW(parse_file_time("yesterday"), ProcessException);
}

TEST(JavaText, Lists) {
  EXPECT_EQ(split_list(" a , b,,c "), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(split_list("  ").empty());
}

TEST(RandomUuid, IsVersionFour) {
  const std::string uuid = random_uuid(system_random());
  EXPECT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(random_uuid(system_random()), uuid);
}

}  // namespace
}  // namespace weir::processors
