#include "engine/text/zone.h"

#include <gtest/gtest.h>

namespace weir::text {
namespace {

TEST(Zone, FindsWhatJavaFinds) {
  const std::pair<const char*, const char*> known[] = {{"UTC", "UTC"},
                                                       {"GMT", "GMT"},
                                                       {"Z", "Z"},
                                                       {"+2", "+02:00"},
                                                       {"-0330", "-03:30"},
                                                       {"+02:00", "+02:00"},
                                                       {"+00:00", "Z"},
                                                       {"UTC+01:30", "UTC+01:30"},
                                                       {"GMT+0", "GMT"},
                                                       {"UT-5", "UT-05:00"},
                                                       {"Europe/Berlin", "Europe/Berlin"},
                                                       {"CET", "CET"},
                                                       {"Etc/GMT+5", "Etc/GMT+5"},
                                                       {"US/Pacific", "US/Pacific"}};
  for (const auto& [text, id] : known) {
    ASSERT_TRUE(Zone::find(text)) << text;
    EXPECT_EQ(Zone::find(text)->id(), id);
  }
  for (const char* text : {"", "PST", "IST", "EST", "utc", "asia/tokyo", "Mars/Base", "UTC+25",
                           "+19", "+1:30", "z", "+02:60", "Etc/Unknown"}) {
    EXPECT_FALSE(Zone::find(text)) << text;
  }
}

TEST(Zone, KnowsOffsetsOverTime) {
  const Zone berlin = Zone::find("Europe/Berlin").value();
  EXPECT_EQ(berlin.offset_at(1700000000), 3600);
  EXPECT_EQ(berlin.offset_at(1720000000), 7200);
  EXPECT_FALSE(berlin.daylight_at(1700000000));
  EXPECT_TRUE(berlin.daylight_at(1720000000));
  EXPECT_EQ(berlin.offset_at(-10'000'000'000), 3208);  // local mean time
  EXPECT_EQ(berlin.offset_at(16'740'864'000), 7200);   // July 2500
  EXPECT_EQ(berlin.offset_at(253'400'000'000), 3600);  // the winter of 9999
  EXPECT_EQ(Zone::find("Asia/Kolkata")->offset_at(0), 19800);
  EXPECT_EQ(Zone::find("UTC+02:00")->offset_at(0), 7200);
}

TEST(Zone, MovesGapsForwardAndTakesTheEarlierOfTwo) {
  const Zone york = Zone::find("America/New_York").value();
  EXPECT_EQ(york.instant_of_local(1710037800), 1710055800);  // 2024-03-10T02:30 is 03:30 EDT
  EXPECT_EQ(york.instant_of_local(1730597400), 1730611800);  // 2024-11-03T01:30 EDT
  EXPECT_EQ(york.instant_of_local(1730597400, -5 * 3600), 1730615400);
  for (std::int64_t local_s = 1709251200; local_s < 1735689600; local_s += 1800) {
    const std::int64_t instant_s = york.instant_of_local(local_s);
    const std::int64_t back_s = instant_s + york.offset_at(instant_s);
    EXPECT_TRUE(back_s == local_s || back_s == local_s + 3600) << local_s;
  }
}

TEST(Zone, NamesAreThoseOfTheDatabaseOrOffsets) {
  const auto name = [](std::string_view id, std::int64_t at, bool full) {
    return zone_name(Zone::find(id).value(), at, full, false);
  };
  EXPECT_EQ(name("Europe/Paris", 1720000000, false), "CEST");
  EXPECT_EQ(name("Europe/Paris", 1720000000, true), "Central European Summer Time");
  EXPECT_EQ(name("America/Sao_Paulo", 1720000000, false), "GMT-03:00");
  EXPECT_EQ(name("Etc/GMT+5", 0, true), "GMT-05:00");
  EXPECT_EQ(name("+02:00", 0, true), "+02:00");
  EXPECT_EQ(zone_name(Zone::find("America/Los_Angeles").value(), 0, false, true), "PT");
}

TEST(Zone, WritesOffsetsAsJava) {
  EXPECT_EQ(offset_id(0), "Z");
  EXPECT_EQ(offset_id(-2670), "-00:44:30");
  EXPECT_EQ(offset_id(19800), "+05:30");
}

}  // namespace
}  // namespace weir::text
