#include "engine/text/date_pattern.h"

#include <gtest/gtest.h>

#include <random>

namespace weir::text {
namespace {

Zone zone(std::string_view id) {
  return Zone::find(id).value();
}

DatePattern pattern(std::string_view text) {
  return DatePattern::compile(text).value();
}

struct FormatCase {
  std::int64_t epoch_ms;
  std::string pattern;
  std::string zone;
  std::string text;
};

const FormatCase format_cases[] = {
    {1700000000123, "yyyy-MM-dd", "UTC", "2023-11-14"},
    {1700000000123, "yyyy/MM/dd HH:mm:ss.SSS", "UTC", "2023/11/14 22:13:20.123"},
    {1700000000123, "yyyy-MM-dd'T'HH:mm:ssXXX", "UTC", "2023-11-14T22:13:20Z"},
    {1700000000123, "y", "UTC", "2023"},
    {1700000000123, "yyyyy", "UTC", "02023"},
    {1700000000123, "MMM", "UTC", "Nov"},
    {1700000000123, "MMMM", "UTC", "November"},
    {1700000000123, "MMMMM", "UTC", "N"},
    {1700000000123, "LLLL", "UTC", "November"},
    {1700000000123, "dd", "UTC", "14"},
    {1700000000123, "D", "UTC", "318"},
    {1700000000123, "DDD", "UTC", "318"},
    {1700000000123, "E", "UTC", "Tue"},
    {1700000000123, "EEEE", "UTC", "Tuesday"},
    {1700000000123, "EEEEE", "UTC", "T"},
    {1700000000123, "e", "UTC", "3"},
    {1700000000123, "c", "UTC", "3"},
    {1700000000123, "W", "UTC", "3"},
    {1700000000123, "Y", "UTC", "2023"},
    {1700000000123, "YYYY", "UTC", "2023"},
    {1700000000123, "QQQQ", "UTC", "4th quarter"},
    {1700000000123, "h", "UTC", "10"},
    {1700000000123, "hh", "UTC", "10"},
    {1700000000123, "H", "UTC", "22"},
    {1700000000123, "HH", "UTC", "22"},
    {1700000000123, "K", "UTC", "10"},
    {1700000000123, "k", "UTC", "22"},
    {1700000000123, "m", "UTC", "13"},
    {1700000000123, "s", "UTC", "20"},
    {1700000000123, "S", "UTC", "1"},
    {1700000000123, "SS", "UTC", "12"},
    {1700000000123, "SSS", "UTC", "123"},
    {1700000000123, "SSSSSSSSS", "UTC", "123000000"},
    {1700000000123, "A", "UTC", "80000123"},
    {1700000000123, "N", "UTC", "80000123000000"},
    {1700000000123, "z", "UTC", "UTC"},
    {1700000000123, "zzzz", "UTC", "Coordinated Universal Time"},
    {1700000000123, "X", "UTC", "Z"},
    {1700000000123, "XX", "UTC", "Z"},
    {1700000000123, "XXX", "UTC", "Z"},
    {1700000000123, "x", "UTC", "+00"},
    {1700000000123, "xxx", "UTC", "+00:00"},
    {1700000000123, "OOOO", "UTC", "GMT"},
    {1700000000123, "VV", "UTC", "UTC"},
    {1700000000123, "v", "UTC", "UTC"},
    {1700000000123, "vvvv", "UTC", "Coordinated Universal Time"},
    {1700000000123, "GGGG", "UTC", "Anno Domini"},
    {1700000000123, "u", "UTC", "2023"},
    {1700000000123, "uuuu", "UTC", "2023"},
    {1700000000123, "g", "UTC", "60262"},
    {1700000000123, "F", "UTC", "2"},
    {1700000000123, "hh:mm a", "UTC", "10:13 PM"},
    {1700000000123, "''", "UTC", "'"},
    {1700000000123, "[HH:mm]", "UTC", "22:13"},
    {1700000000123, "ppH", "UTC", "22"},
    {1700000000123, "EEE MMM dd HH:mm:ss zzz yyyy", "UTC", "Tue Nov 14 22:13:20 UTC 2023"},
    {1700000000123, "yyyyMMddHHmmss", "UTC", "20231114221320"},
    {1700000000123, "EEEE, d MMMM yyyy 'at' h:mm a", "UTC",
     "Tuesday, 14 November 2023 at 10:13 PM"},
    {1700000000123, "", "UTC", ""},
    {1700000000123, " ", "UTC", " "},
    {1700000000123, "|", "UTC", "|"},
    {1700000000123, "日yyyy年", "UTC", "日2023年"},
    {1700000000123, "ww", "UTC", "46"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "Z", "2023-11-14 22:13:20 Z"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "Asia/Tokyo", "2023-11-15 07:13:20 JST"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "America/New_York", "2023-11-14 17:13:20 EST"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "America/Los_Angeles", "2023-11-14 14:13:20 PST"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "Europe/Paris", "2023-11-14 23:13:20 CET"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "Asia/Kolkata", "2023-11-15 03:43:20 IST"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "Australia/Sydney", "2023-11-15 09:13:20 AEDT"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "UTC-05:30", "2023-11-14 16:43:20 UTC-05:30"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "+02:00", "2023-11-15 00:13:20 +02:00"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "-0330", "2023-11-14 18:43:20 -03:30"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "Etc/GMT+5", "2023-11-14 17:13:20 GMT-05:00"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "Pacific/Kiritimati", "2023-11-15 12:13:20 GMT+14:00"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "America/St_Johns", "2023-11-14 18:43:20 NST"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "Asia/Kathmandu", "2023-11-15 03:58:20 GMT+05:45"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "Europe/Kyiv", "2023-11-15 00:13:20 EET"},
    {1700000000123, "yyyy-MM-dd HH:mm:ss z", "CET", "2023-11-14 23:13:20 CET"},
    {1720000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "America/New_York",
     "05:46 EDT Eastern Daylight Time -0400 -04:00 GMT-04:00 America/New_York"},
    {1705000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "America/New_York",
     "14:06 EST Eastern Standard Time -0500 -05:00 GMT-05:00 America/New_York"},
    {1720000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "Europe/Paris",
     "11:46 CEST Central European Summer Time +0200 +02:00 GMT+02:00 Europe/Paris"},
    {1705000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "Europe/Paris",
     "20:06 CET Central European Standard Time +0100 +01:00 GMT+01:00 Europe/Paris"},
    {1720000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "Australia/Sydney",
     "19:46 AEST Australian Eastern Standard Time +1000 +10:00 GMT+10:00 Australia/Sydney"},
    {1705000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "Australia/Sydney",
     "06:06 AEDT Australian Eastern Daylight Time +1100 +11:00 GMT+11:00 Australia/Sydney"},
    {1720000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "Europe/London",
     "10:46 BST British Summer Time +0100 +01:00 GMT+01:00 Europe/London"},
    {1705000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "Europe/London",
     "19:06 GMT Greenwich Mean Time +0000 Z GMT Europe/London"},
    {1705000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "America/Sao_Paulo",
     "16:06 GMT-03:00 Brasilia Standard Time -0300 -03:00 GMT-03:00 America/Sao_Paulo"},
    {1720000000000, "HH:mm zzz zzzz Z XXX OOOO VV", "Africa/Cairo",
     "12:46 EEST Eastern European Summer Time +0300 +03:00 GMT+03:00 Africa/Cairo"},
    {-86400001, "yyyy-MM-dd HH:mm:ss.SSS", "UTC", "1969-12-30 23:59:59.999"},
};

TEST(DatePattern, FormatsAsJava) {
  for (const FormatCase& c : format_cases) {
    std::string out;
    ASSERT_TRUE(pattern(c.pattern).format(c.epoch_ms, zone(c.zone), out)) << c.pattern;
    EXPECT_EQ(out, c.text) << c.pattern << " in " << c.zone;
  }
}

TEST(DatePattern, RefusesMalformedPatternsWithTheirPosition) {
  for (const char* text : {"'open", "HHH", "MMMMMM", "P", "SSSSSSSSSS", "T", "aa", "aaaa",
                           "yyyy-MM-dd]", "zzzzz", "bbb", "{", "pp", "yyyy-MM-dd T"}) {
    EXPECT_FALSE(DatePattern::compile(text)) << text;
  }
  EXPECT_EQ(DatePattern::compile("yyyy-MM-dd T").error().offset, 11u);
  EXPECT_EQ(DatePattern::compile("yyyy 'open").error().offset, 5u);
}

struct ParseCase {
  std::string text;
  std::string pattern;
  std::string zone;
  std::optional<std::int64_t> epoch_ms;
};

const ParseCase lenient_cases[] = {
    {"2023-11-14", "yyyy-MM-dd", "UTC", 1699920000000},
    {"2023-11-14", "yyyy-MM-dd", "America/New_York", 1699938000000},
    {"11/14/2023 10:13 PM", "MM/dd/yyyy hh:mm a", "UTC", 1699999980000},
    {"11/14/2023 10:13 PM", "MM/dd/yyyy HH:mm a", "UTC", std::nullopt},
    {"2023-11-14T22:13:20Z", "yyyy-MM-dd'T'HH:mm:ssXXX", "UTC", 1700000000000},
    {"2023-11-14T23:13:20+01:00", "yyyy-MM-dd'T'HH:mm:ssXXX", "UTC", 1700000000000},
    {"2023-11-14T23:13:20+01:00", "yyyy-MM-dd'T'HH:mm:ssXXX", "Asia/Tokyo", 1700000000000},
    {"2023-11-14T22:13:20.123Z", "yyyy-MM-dd'T'HH:mm:ss.SSSX", "UTC", 1700000000123},
    {"Tue, 14 Nov 2023 22:13:20 GMT", "EEE, dd MMM yyyy HH:mm:ss z", "UTC", 1700000000000},
    {"Tue Nov 14 22:13:20 UTC 2023", "EEE MMM dd HH:mm:ss zzz yyyy", "UTC", 1700000000000},
    {"14-nov-2023", "DD-MMM-YYYY", "UTC", 26265600000},
    {"2024-02-29", "yyyy-MM-dd", "UTC", 1709164800000},
    {"2024-03-10 02:30", "yyyy-MM-dd HH:mm", "America/New_York", 1710055800000},
    {"2024-11-03 01:30", "yyyy-MM-dd HH:mm", "America/New_York", 1730611800000},
    {"1869-12-31", "yyyy-MM-dd", "UTC", -3155760000000},
    {"0044-03-15", "yyyy-MM-dd", "UTC", -60772291200000},
    {"12023-01-01", "yyyy-MM-dd", "UTC", 317242051200000},
    {"12023-01-01", "y-MM-dd", "UTC", 317242051200000},
    {"2023", "yyyy", "UTC", 1672531200000},
    {"22:13", "HH:mm", "UTC", 79980000},
    {"abc", "yyyy", "UTC", std::nullopt},
    {"2023-11-14", "yyyy/MM/dd", "UTC", std::nullopt},
    {"2023-11-14", "yyyy-MM-dd HH", "UTC", std::nullopt},
    {"2023-11-14 22:13:20.123456789", "yyyy-MM-dd HH:mm:ss.SSSSSSSSS", "UTC", 1700000000123},
    {"2023-11-14 22:13:20.123", "yyyy-MM-dd HH:mm:ss", "UTC", std::nullopt},
    {"2023-11-14", "uuuu-MM-dd", "UTC", 1699920000000},
    {"2023-11-14", "yyyy-M-d", "UTC", 1699920000000},
    {"2023-11-14", "YYYY-MM-dd", "UTC", 27388800000},
    {"2023-11-14", "yyyy-dd-MM", "UTC", std::nullopt},
    {"2023-02-31", "yyyy-MM-dd", "UTC", 1677542400000},
    {"2023-02-29", "yyyy-MM-dd", "UTC", 1677542400000},
    {"2023-02-32", "yyyy-MM-dd", "UTC", std::nullopt},
    {"2023-00-10", "yyyy-MM-dd", "UTC", std::nullopt},
    {"2023-11-14 24:00", "yyyy-MM-dd HH:mm", "UTC", 1700006400000},
    {"2023-11-14 24:01", "yyyy-MM-dd HH:mm", "UTC", std::nullopt},
    {"2023-11-14 25:00", "yyyy-MM-dd HH:mm", "UTC", std::nullopt},
    {"2023-11-14 10:60", "yyyy-MM-dd HH:mm", "UTC", std::nullopt},
    {"20231114", "yyyyMMdd", "UTC", 1699920000000},
    {"20231114221320", "yyyyMMddHHmmss", "UTC", 1700000000000},
    {"20231114221320123", "yyyyMMddHHmmssSSS", "UTC", 1700000000123},
    {" 2023-11-14", "yyyy-MM-dd", "UTC", std::nullopt},
    {"2023-11-14x", "yyyy-MM-dd", "UTC", std::nullopt},
    {"23-11-14", "yyyy-MM-dd", "UTC", -61413984000000},
    {"02023-11-14", "yyyy-MM-dd", "UTC", 1699920000000},
    {"2023-318", "yyyy-DDD", "UTC", 1699920000000},
    {"NOVEMBER 2023", "MMMM yyyy", "UTC", 1698796800000},
    {"Nov 2023", "MMMM yyyy", "UTC", 1698796800000},
    {"nov 5 2023", "MMM d yyyy", "UTC", 1699142400000},
    {"12:30 am", "hh:mm a", "UTC", 1800000},
    {"12:30 PM", "hh:mm a", "UTC", 45000000},
    {"7 PM", "h a", "UTC", 68400000},
    {"2023-11-14T10:00:00.5Z", "yyyy-MM-dd'T'HH:mm:ss.SX", "UTC", 1699956000500},
    {"2023-11-14T10:00:00.50Z", "yyyy-MM-dd'T'HH:mm:ss.SSSX", "UTC", 1699956000500},
    {"10:00:00.25", "HH:mm:ss.SS", "UTC", 36000250},
    {"14 Nov 2023 10:00 PST", "dd MMM yyyy HH:mm z", "UTC", 1699984800000},
    {"14 Nov 2023 10:00 Europe/Paris", "dd MMM yyyy HH:mm VV", "UTC", 1699952400000},
    {"Mon 14 Nov 2023", "EEE dd MMM yyyy", "UTC", std::nullopt},
    {"tue 14 nov 2023", "EEE dd MMM yyyy", "UTC", 1699920000000},
    {"99", "yy", "UTC", 4070908800000},
    {"70", "yy", "UTC", 3155760000000},
    {"1999", "yy", "UTC", 915148800000},
    {"2023 W46", "yyyy 'W'ww", "UTC", 1672531200000},
    {"1700000000", "yyyy", "UTC", std::nullopt},
    {"44 BC", "y G", "UTC", -63524131200000},
    {"2023.11.14", "yyyy-MM-dd", "UTC", std::nullopt},
    {"Sept 1 2023", "MMM d yyyy", "UTC", std::nullopt},
    {"2023-11-14T10:00:00+01", "yyyy-MM-dd'T'HH:mm:ssX", "UTC", 1699952400000},
    {"2023-11-14T10:00:00+0100", "yyyy-MM-dd'T'HH:mm:ssXXX", "UTC", std::nullopt},
    {"2023-11-14t10:00:00z", "yyyy-MM-dd'T'HH:mm:ssX", "UTC", 1699956000000},
};

TEST(DatePattern, ParsesLenientlyAsToDate) {
  for (const ParseCase& c : lenient_cases) {
    const auto instant = pattern(c.pattern).parse_lenient(c.text, zone(c.zone));
    ASSERT_EQ(instant.has_value(), c.epoch_ms.has_value()) << c.text << " by " << c.pattern;
    std::int64_t epoch_ms = 0;
    if (instant) {
      EXPECT_TRUE(instant->to_millis(epoch_ms));
    }
    EXPECT_EQ(epoch_ms, c.epoch_ms.value_or(0)) << c.text << " by " << c.pattern;
  }
}

struct StrictCase {
  std::string text;
  std::string pattern;
  std::string zone;
  std::optional<std::string> instant;
};

const StrictCase strict_cases[] = {
    {"2023-11-14 22:13:20.123456789", "yyyy-MM-dd HH:mm:ss.SSSSSSSSS", "UTC",
     "2023-11-14T22:13:20.123456789Z"},
    {"2023-11-14 22:13:20.123", "yyyy-MM-dd HH:mm:ss.SSS", "UTC", "2023-11-14T22:13:20.123Z"},
    {"2023-11-14", "yyyy-MM-dd", "UTC", std::nullopt},
    {"14-nov-2023", "dd-MMM-yyyy HH", "UTC", std::nullopt},
    {"2024-03-10 02:30", "yyyy-MM-dd HH:mm", "America/New_York", "2024-03-10T07:30:00Z"},
    {"14-nov-2023 10", "dd-MMM-yyyy HH", "UTC", std::nullopt},
    {"4-Nov-2023 10", "dd-MMM-yyyy HH", "UTC", std::nullopt},
    {"2023-11-14 24", "yyyy-MM-dd HH", "UTC", "2023-11-15T00:00:00Z"},
    {"2023-11-14 10:00 -0500", "yyyy-MM-dd HH:mm Z", "UTC", "2023-11-14T15:00:00Z"},
    {"2023-11-14 10 PM", "yyyy-MM-dd hh a", "UTC", "2023-11-14T22:00:00Z"},
    {"2023-11-14 10", "yyyy-MM-dd hh", "UTC", std::nullopt},
    {"1700000000", "n", "UTC", std::nullopt},
    {"2023-1-4 5", "yyyy-M-d H", "UTC", "2023-01-04T05:00:00Z"},
    {"2023-1-4 5", "yyyy-MM-dd HH", "UTC", std::nullopt},
    {"", "yyyy", "UTC", std::nullopt},
};

TEST(DatePattern, ParsesStrictlyAsToInstant) {
  for (const StrictCase& c : strict_cases) {
    const auto instant = pattern(c.pattern).parse_strict(c.text, zone(c.zone));
    ASSERT_EQ(instant.has_value(), c.instant.has_value()) << c.text << " by " << c.pattern;
    if (instant) {
      EXPECT_EQ(instant_text(*instant), *c.instant) << c.pattern;
    }
  }
}

// An offset in the text was once ignored, and the local time taken as it stood.
TEST(DatePattern, DoesNotIgnoreTheOffsetOfATimeStamp) {
  const DatePattern with_offset = pattern("dd/MM/yyyy HH:mm:ss Z");
  const std::string text = "03/11/2023 07:20:00 +0545";
  const auto lenient = with_offset.parse_lenient(text, Zone::utc());
  const auto strict = with_offset.parse_strict(text, Zone::utc());
  ASSERT_TRUE(lenient && strict);
  EXPECT_EQ(instant_text(*lenient), "2023-11-03T01:35:00Z");
  EXPECT_EQ(*strict, *lenient);
  std::string out;
  ASSERT_TRUE(with_offset.format(*strict, zone("Asia/Kathmandu"), out));
  EXPECT_EQ(out, text);
}

// A sample flow wrote minutes where months were meant, and so wrong names of files.
TEST(DatePattern, DoubtsWhatIsHardlyMeant) {
  const std::pair<const char*, std::size_t> doubtful[] = {{"yyyy-mm-dd", 5},
                                                          {"HH:MM:ss", 3},
                                                          {"YYYY-MM-dd", 0},
                                                          {"yyyy-MM-DD", 8},
                                                          {"yyyy-MM-dd hh:mm", 11}};
  for (const auto& [text, offset] : doubtful) {
    const auto doubts = pattern(text).doubts();
    ASSERT_EQ(doubts.size(), 1u) << text;
    EXPECT_EQ(doubts[0].offset, offset) << text;
  }
  for (const char* text : {"yyyy-MM-dd HH:mm:ss", "hh:mm a", "YYYY-'W'ww-e", "yyyy-DDD", "mm:ss",
                           "MMM d yyyy", "HHmmss", "yyyyMMddHHmmss"}) {
    EXPECT_TRUE(pattern(text).doubts().empty()) << text;
  }
}

TEST(DatePattern, ReadsBackWhatItWrites) {
  const unsigned seed = 5;
  std::mt19937_64 random(seed);
  const char* const patterns[] = {"yyyy-MM-dd'T'HH:mm:ss.SSSXXXXX",
                                  "EEEE, d MMMM u hh:mm:ss.SSS a xx",
                                  "uuuuMMddHHmmssSSSZ",
                                  "yyyy-DDD N VV",
                                  "YYYY-'W'ww-e A X",
                                  "y-M-d H:m:s.SSS O"};
  const char* const zones[] = {"UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kolkata",
                               "+02:00"};
  for (int i = 0; i < 5000; ++i) {
    const DatePattern each = pattern(patterns[random() % std::size(patterns)]);
    const Zone in = zone(zones[random() % std::size(zones)]);
    // From 1950 to 2090 there are no offsets with seconds. An hour that occurs twice is ambiguous.
    const std::int64_t epoch_s = static_cast<std::int64_t>(random() % 4'417'000'000) - 631'000'000;
    if (in.instant_of_local(epoch_s + in.offset_at(epoch_s)) != epoch_s) continue;
    const Instant instant{epoch_s, static_cast<std::int32_t>(random() % 1000) * 1'000'000};
    std::string text;
    ASSERT_TRUE(each.format(instant, in, text));
    const auto strict = each.parse_strict(text, in);
    ASSERT_TRUE(strict) << text << ": " << strict.error().message << ", seed " << seed;
    ASSERT_EQ(instant_text(*strict), instant_text(instant)) << text << ", seed " << seed;
    // Read leniently, a number ends after nine digits.
    if (text.find("000000 ") != std::string::npos) continue;
    const auto lenient = each.parse_lenient(text, in);
    ASSERT_TRUE(lenient) << text << ": " << lenient.error().message << ", seed " << seed;
    ASSERT_EQ(*lenient, *strict) << text << ", seed " << seed;
  }
}

TEST(DatePattern, NoTextBreaksTheParser) {
  const unsigned seed = 17;
  std::mt19937 random(seed);
  const char* const patterns[] = {"yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "EEE MMM dd HH:mm:ss zzz yyyy",
                                  "[yyyy][ppH]VV OOOO", "yyyyMMddHHmmssSSS", "g QQQ G zzzz"};
  const std::string_view alphabet = "0123456789-+:./ TZzAaPpMNovGMTUC\xC3\xA9\xFF";
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (unsigned length = random() % 40; length > 0; --length) {
      text += alphabet[random() % alphabet.size()];
    }
    const DatePattern each = pattern(patterns[random() % std::size(patterns)]);
    const auto lenient = each.parse_lenient(text, Zone::utc());
    if (!lenient) {
      EXPECT_LE(lenient.error().offset, text.size());
    }
    (void)each.parse_strict(text, Zone::utc());
    (void)DatePattern::compile(text);
    (void)parse_instant_text(text);
    (void)parse_date_text(text, Zone::utc());
  }
}

}  // namespace
}  // namespace weir::text
