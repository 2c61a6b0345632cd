#include <gtest/gtest.h>

#include "engine/text/date_pattern.h"

namespace weir::text {
namespace {

Zone zone(std::string_view id) {
  return Zone::find(id).value();
}

TEST(DateText, PrintsDatesAsJava) {
  EXPECT_EQ(date_text(1700000000123, Zone::utc()), "Tue Nov 14 22:13:20 UTC 2023");
  EXPECT_EQ(date_text(0, zone("America/New_York")), "Wed Dec 31 19:00:00 EST 1969");
  EXPECT_EQ(date_text(-12219292800000, Zone::utc()), "Fri Oct 15 00:00:00 UTC 1582");
  EXPECT_EQ(date_text(-12219292800001, Zone::utc()), "Thu Oct 04 23:59:59 UTC 1582");
  EXPECT_EQ(date_text(-62135769600000, Zone::utc()), "Sat Jan 01 00:00:00 UTC 1");
  EXPECT_EQ(date_text(-62135769600001, Zone::utc()), "Fri Dec 31 23:59:59 UTC 1");
}

TEST(DateText, PrintsInstantsAsJava) {
  EXPECT_EQ(instant_text({1700000000, 0}), "2023-11-14T22:13:20Z");
  EXPECT_EQ(instant_text({1700000000, 120000000}), "2023-11-14T22:13:20.120Z");
  EXPECT_EQ(instant_text({1700000000, 123456000}), "2023-11-14T22:13:20.123456Z");
  EXPECT_EQ(instant_text({1700000000, 1}), "2023-11-14T22:13:20.000000001Z");
  EXPECT_EQ(instant_text({253402300800, 0}), "+10000-01-01T00:00:00Z");
  EXPECT_EQ(instant_text({-62198755200, 0}), "-0001-01-01T00:00:00Z");
}

TEST(DateText, ReadsWhatFormatTakes) {
  const Zone tokyo = zone("Asia/Tokyo");
  EXPECT_EQ(parse_date_text(" 1700000000123 ", tokyo), 1700000000123);
  EXPECT_EQ(parse_date_text("2023/11/14 22:13:20", Zone::utc()), 1700000000000);
  EXPECT_EQ(parse_date_text("2023/11/15 07:13:20.123", tokyo), 1700000000123);
  EXPECT_EQ(parse_date_text("Tue Nov 14 22:13:20 UTC 2023", tokyo), 1700000000000);
  EXPECT_EQ(parse_date_text("Tue Nov 14 17:13:20 EST 2023", tokyo), 1700000000000);
  for (const char* text : {"", "abc", "-1", "1.5", "2023-11-14", "2023-11-14T22:13:20Z",
                           "Wed Nov 14 22:13:20 UTC 2023", "99999999999999999999",
                           "2023/11/14 22:13", "2023/13/14 22:13:20"}) {
    EXPECT_FALSE(parse_date_text(text, tokyo)) << text;
  }
}

TEST(DateText, ReadsWhatFormatInstantTakes) {
  const Instant expected{1700000000, 0};
  for (const char* text :
       {"1700000000000", " 1700000000000 ", "2023-11-14T22:13:20Z", "2023-11-14t22:13:20z",
        "2023-11-14T23:13:20+01:00", "2023-11-14T23:13:20+01", "2023-11-14T22:13:20.000Z",
        "Tue, 14 Nov 2023 22:13:20 GMT", "14 nov 2023 23:13:20 +0100"}) {
    ASSERT_TRUE(parse_instant_text(text))
        << text << ": " << parse_instant_text(text).error().message;
    EXPECT_EQ(*parse_instant_text(text), expected) << text;
  }
  EXPECT_EQ(parse_instant_text("2023-11-14T22:13:20.123456789Z")->nano, 123456789);
  EXPECT_EQ(parse_instant_text("2023-11-14T22:13Z")->epoch_s, 1699999980);
  for (const char* text : {"", "2023-11-14", "2023-11-14T22:13:20", "2023/11/14 22:13:20",
                           "Wed, 14 Nov 2023 22:13:20 GMT", "1700000000123.9",
                           "Tue Nov 14 22:13:20 UTC 2023", "2023-11-14 22:13:20.123"}) {
    EXPECT_FALSE(parse_instant_text(text)) << text;
  }
}

TEST(Instant, ScalesUpToTheLimitsOf64Bits) {
  std::int64_t value = 0;
  EXPECT_TRUE(Instant::from_millis(-86400001).to_millis(value));
  EXPECT_EQ(value, -86400001);
  EXPECT_TRUE(Instant::from_millis(INT64_MIN).to_millis(value));
  EXPECT_EQ(value, INT64_MIN);
  EXPECT_TRUE(Instant::from_millis(INT64_MAX).to_millis(value));
  EXPECT_EQ(value, INT64_MAX);
  EXPECT_FALSE(Instant::from_millis(INT64_MAX).to_micros(value));
  EXPECT_FALSE(Instant::from_millis(9999999999999).to_nanos(value));
}

}  // namespace
}  // namespace weir::text
