#include "tools/common/text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace weir::tools {
namespace {

TEST(Text, MakesForeignBytesSafeForATerminal) {
  EXPECT_EQ(printable("plain é ☃"), "plain é ☃");
  EXPECT_EQ(printable("a\nb\tc"), "a\\nb\\tc");
  EXPECT_EQ(printable("\x1b[31m"), "\\x1B[31m");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xFF\xC3"), "\\xFF\\xC3");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xC2\\x9B");           // a control sequence in one character
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80");  // half of a surrogate pair
}

TEST(Text, CountsCharactersNotBytes) {
  EXPECT_EQ(shown_width("é☃a"), 3u);
}

TEST(Text, GroupsThousands) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
}

TEST(Text, ReadsTimes) {
  constexpr std::int64_t now = 1'700'000'000'000;
  EXPECT_EQ(parse_time("2023-11-14T22:13:20Z", now), now);
  EXPECT_EQ(parse_time("2023-11-14 22:13:20.123Z", now), now + 123);
  EXPECT_EQ(parse_time("2023-11-14Z", now), now - (22 * 3600 + 13 * 60 + 20) * 1000);
  EXPECT_EQ(parse_time("1700000000000", now), now);
  EXPECT_EQ(parse_time("10 mins", now), now - 600'000);
  EXPECT_EQ(*parse_time(format_time(now + 5), now), now + 5);
  for (const char* wrong : {"", "soon", "2023-13-01", "2023-11-14 25:00", "2023-11-14 10:00x"}) {
    EXPECT_FALSE(parse_time(wrong, now)) << wrong;
  }
}

}  // namespace
}  // namespace weir::tools
