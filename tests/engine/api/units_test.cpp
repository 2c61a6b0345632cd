#include "engine/api/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using std::chrono::nanoseconds;
constexpr std::int64_t ms = 1'000'000, sec = 1000 * ms, minute = 60 * sec, hour = 60 * minute,
                       day = 24 * hour;

struct DurationCase {
  std::string text;
  std::int64_t nanos;
};

// All that public flows hold, and the units nobody used there.
const std::vector<DurationCase> durations = {
    {"0 sec", 0},
    {"1 sec", sec},
    {"30 sec", 30 * sec},
    {"10 mins", 10 * minute},
    {"1 min", minute},
    {"10 sec", 10 * sec},
    {"5 sec", 5 * sec},
    {"1 ms", ms},
    {"1 hour", hour},
    {"10 min", 10 * minute},
    {"1 day", day},
    {"60 sec", minute},
    {"30 min", 30 * minute},
    {"15 min", 15 * minute},
    {"2 sec", 2 * sec},
    {"3 sec", 3 * sec},
    {"365 days", 365 * day},
    {"31 day", 31 * day},
    {"86400 sec", day},
    {"3600 sec", hour},
    {"525600 min", 365 * day},
    {"2 min", 2 * minute},
    {"59 min", 59 * minute},
    {"5 mins", 5 * minute},
    {"120 sec", 2 * minute},
    {"5 min", 5 * minute},
    {"7 min", 7 * minute},
    {"2 secs", 2 * sec},
    {"5 secs", 5 * sec},
    {"600 sec", 10 * minute},
    {"100 ms", 100 * ms},
    {"1 mins", minute},
    {"86400  sec", day},
    {"2 mins", 2 * minute},
    {"20 min", 20 * minute},
    {"100 millis", 100 * ms},
    {"15 sec", 15 * sec},
    {"20 sec", 20 * sec},
    {"99w", 99 * 7 * day},
    {"24 h", day},
    {"100 sec", 100 * sec},
    {"100000 hour", 100000 * hour},
    {"1000 min", 1000 * minute},
    {"4 sec", 4 * sec},
    {"0.1 sec", 100 * ms},
    {"10000 days", 10000 * day},
    {"60 min", hour},
    {"300 sec", 5 * minute},
    {"54000 sec", 15 * hour},
    {"3 hour", 3 * hour},
    {"500 ms", 500 * ms},
    {"2147483647 sec", 2147483647 * sec},
    {"250 ms", 250 * ms},
    {"365 day", 365 * day},
    {"9999 day", 9999 * day},
    {"10000 sec", 10000 * sec},
    {"1 days", day},
    {"10080 min", 7 * day},
    {"60 mins", hour},
    {"10 secs", 10 * sec},
    {"90 sec", 90 * sec},
    {"10000000 sec", 10000000 * sec},
    {"3 min", 3 * minute},
    {"10 minute", 10 * minute},
    {"60sec", minute},
    {"10min", 10 * minute},
    {"100000 sec", 100000 * sec},
    {"10 ns", 10},
    {"0 seconds", 0},
    {"10 MINS", 10 * minute},
    {" 5 \t nanos ", 5},
    {"7 micros", 7000},
    {"1.5 wks", 7 * day * 3 / 2},
    {"2 hrs", 2 * hour},
    {"0.0000000019 sec", 1},
    {".5 s", sec / 2},
    {"3. s", 3 * sec},
    {"1 m", minute},
    {"1 d", day},
    {"300 weeks", 300 * 7 * day},
    {"100000 weeks", INT64_MAX},
    {"99999999999999999999999999 ns", INT64_MAX},
};

TEST(Units, DurationsOfPublicFlowsParse) {
  for (const DurationCase& one : durations) {
    const auto parsed = parse_duration(one.text);
    ASSERT_TRUE(parsed.has_value()) << one.text << ": " << parsed.error();
    EXPECT_EQ(parsed->count(), one.nanos) << one.text;
  }
}

TEST(Units, WhatIsNoDurationIsRefused) {
  for (const char* text : {"", " ", "10", "sec", "ten sec", "-1 sec", "1 fortnight", "1 sec 2",
                           "1,5 sec", "1.5 micros", ".", ". sec", "1..5 sec", "1 s\xff", "0x1 s"}) {
    EXPECT_FALSE(parse_duration(text).has_value()) << text;
  }
  EXPECT_THAT(parse_duration("10 parsec").error(), testing::HasSubstr("no unit 'parsec'"));
}

TEST(Units, SizesOfPublicFlowsParse) {
  constexpr std::uint64_t mb = 1 << 20, gb = 1 << 30;
  const std::vector<std::pair<std::string, std::uint64_t>> cases = {
      {"1 GB", gb},
      {"10 GB", 10 * gb},
      {"50 GB", 50 * gb},
      {"2 GB", 2 * gb},
      {"0 MB", 0},
      {"70 GB", 70 * gb},
      {"100 GB", 100 * gb},
      {"10 MB", 10 * mb},
      {"1.1 GB", 1181116006},
      {"1.25 GB", gb * 5 / 4},
      {"1 MB", mb},
      {"500 mb", 500 * mb},
      {"150 MB", 150 * mb},
      {"1000 GB", 1000 * gb},
      {"20 GB", 20 * gb},
      {"200 MB", 200 * mb},
      {"2.5 GB", gb * 5 / 2},
      {"100 MB", 100 * mb},
      {"500 MB", 500 * mb},
      {"1.5 GB", gb * 3 / 2},
      {"500 GB", 500 * gb},
      {"0B", 0},
      {"0 B", 0},
      {"10MB", 10 * mb},
      {"20 MB", 20 * mb},
      {"1 KB", 1024},
      {"3 TB", 3072 * gb},
      {"16777215 TB", 16777215ull << 40},
  };
  for (const auto& [text, bytes] : cases) {
    const auto parsed = parse_data_size(text);
    ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error();
    EXPECT_EQ(*parsed, bytes) << text;
  }
  for (const char* text : {"", "10", "GB", "-1 B", "1 PB", "1 GB x", "16777216 TB", "1 G B"}) {
    EXPECT_FALSE(parse_data_size(text).has_value()) << text;
  }
}

TEST(Units, BooleansIgnoreCase) {
  for (const char* text : {"true", "True", "TRUE"}) EXPECT_TRUE(parse_boolean(text).value());
  for (const char* text : {"false", "False"}) EXPECT_FALSE(parse_boolean(text).value());
  for (const char* text : {"", "yes", "true "}) EXPECT_FALSE(parse_boolean(text).has_value());
}

TEST(Units, IntegersHaveBounds) {
  EXPECT_EQ(parse_integer("+7").value(), 7);
  EXPECT_EQ(parse_integer("-7").value(), -7);
  EXPECT_EQ(parse_integer("9223372036854775807").value(), INT64_MAX);
  EXPECT_EQ(parse_integer("0", 1).error(), "0 is less than 1");
  EXPECT_EQ(parse_integer("11", 1, 10).error(), "11 is more than 10");
  for (const char* text : {"", "+", "+-1", "1.5", " 1", "1 ", "a", "9223372036854775808"}) {
    EXPECT_FALSE(parse_integer(text).has_value()) << text;
  }
}

TEST(Units, FormattedValuesAreShortAndParseAgain) {
  EXPECT_EQ(format_data_size(0), "0 B");
  EXPECT_EQ(format_data_size(1023), "1023 B");
  EXPECT_EQ(format_data_size(1536 * 1024), "1.5 MB");
  EXPECT_EQ(format_data_size((1 << 20) - 1), "1 MB");
  EXPECT_EQ(format_data_size(UINT64_MAX), "16777216 TB");
  EXPECT_EQ(format_duration(nanoseconds(0)), "0 sec");
  EXPECT_EQ(format_duration(nanoseconds(2500 * ms)), "2.5 sec");
  EXPECT_EQ(format_duration(nanoseconds(250 * ms)), "250 ms");
  EXPECT_EQ(format_duration(nanoseconds(10 * minute)), "10 mins");
  EXPECT_EQ(format_duration(nanoseconds(minute)), "1 min");
  EXPECT_EQ(format_duration(nanoseconds(minute - 1)), "1 min");
  EXPECT_EQ(format_duration(nanoseconds(36 * hour)), "1.5 days");
  EXPECT_EQ(format_duration(nanoseconds(10)), "10 ns");
  for (const DurationCase& one : durations) {
    EXPECT_TRUE(parse_duration(format_duration(nanoseconds(one.nanos))).has_value()) << one.text;
  }
}

TEST(Units, NearestNameForgivesTypingErrors) {
  const std::vector<std::string> names = {"GetFile", "PutFile", "SplitText", "success"};
  EXPECT_EQ(nearest_name("GetFiel", names), "GetFile");
  EXPECT_EQ(nearest_name("splittext", names), "SplitText");
  EXPECT_EQ(nearest_name("sucess", names), "success");
  EXPECT_EQ(nearest_name("QueryDatabaseTable", names), "");
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance(std::string(100000, 'a'), "a"), 100000u);
}

}  // namespace
}  // namespace weir
