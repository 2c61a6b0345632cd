#include "engine/api/cron.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/api/time_zone.h"
#include "repositories/storage/error.h"

namespace weir {
namespace {

// Rules instead of zone names: the tests do not depend on the machine's zone files.
const std::string cairo = "EET-2EEST,M4.5.5/0,M10.5.4/24";
const std::string berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
const std::string utc = "UTC";

// "2026-04-24 02:00:00" on the clock of an offset.
std::int64_t at(const std::string& text, std::int64_t offset_hours = 0) {
  int year, month, day, hour, minute, second;
  EXPECT_EQ(
      std::sscanf(text.c_str(), "%d-%d-%d %d:%d:%d", &year, &month, &day, &hour, &minute, &second),
      6);
  return ((days_from_civil(year, month, day) * 24 + hour - offset_hours) * 3600 + minute * 60 +
          second) *
         1000;
}

std::string text_of(std::int64_t time_ms) {
  const std::int64_t seconds = time_ms / 1000, days = seconds / 86400;
  const CivilDate date = civil_from_days(days);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", date.year, date.month, date.day,
                     seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

// The next `count` times in UTC, after `from`.
std::vector<std::string> times(const std::string& rule, const std::string& from, int count,
                               const std::string& zone = utc) {
  const auto schedule = CronSchedule::parse(rule);
  if (!schedule) return {schedule.error()};
  std::vector<std::string> found;
  std::int64_t after = at(from);
  for (int i = 0; i < count; ++i) {
    const auto next = schedule->next_after(after, zone);
    found.push_back(next ? text_of(*next) : "never");
    if (!next) break;
    after = *next;
  }
  return found;
}

TEST(Cron, RulesOfPublicFlowsFireWhenTheySay) {
  struct Case {
    std::string rule;
    std::vector<std::string> expected;  // after 2026-03-10 05:17:42, a Tuesday
  };
  const std::vector<Case> cases = {
      {"0 0/10 * * * ?", {"2026-03-10 05:20:00", "2026-03-10 05:30:00"}},
      {"0 0 12 */1 * ?", {"2026-03-10 12:00:00", "2026-03-11 12:00:00"}},
      {"0 */5 * ? * *", {"2026-03-10 05:20:00", "2026-03-10 05:25:00"}},
      {"0 0 6 * * ?", {"2026-03-10 06:00:00", "2026-03-11 06:00:00"}},
      {"0 0/30 * * * ?", {"2026-03-10 05:30:00", "2026-03-10 06:00:00"}},
      {"00 00 08 * * ?", {"2026-03-10 08:00:00", "2026-03-11 08:00:00"}},
      {"0 0/5 * * * ?", {"2026-03-10 05:20:00", "2026-03-10 05:25:00"}},
      {"0 */4 * ? * *", {"2026-03-10 05:20:00", "2026-03-10 05:24:00"}},
      {"0 0 */1 * * ?", {"2026-03-10 06:00:00", "2026-03-10 07:00:00"}},
      {"0 15/10 * * * ?", {"2026-03-10 05:25:00", "2026-03-10 05:35:00"}},
      {"0 0 3 * * ?", {"2026-03-11 03:00:00", "2026-03-12 03:00:00"}},
      {"0 10/10 * * * ?", {"2026-03-10 05:20:00", "2026-03-10 05:30:00"}},
      {"0 5 * * * ?", {"2026-03-10 06:05:00", "2026-03-10 07:05:00"}},
      {"0 5/10 * * * ?", {"2026-03-10 05:25:00", "2026-03-10 05:35:00"}},
      {"0 0/15 * * * ?", {"2026-03-10 05:30:00", "2026-03-10 05:45:00"}},
      {"0 0 */6 ? * *", {"2026-03-10 06:00:00", "2026-03-10 12:00:00"}},
      {"0 20/10 * * * ?", {"2026-03-10 05:20:00", "2026-03-10 05:30:00"}},
      {"0 0/20 * * * ?", {"2026-03-10 05:20:00", "2026-03-10 05:40:00"}},
      {"0 */30 * ? * *", {"2026-03-10 05:30:00", "2026-03-10 06:00:00"}},
      {"0 5/15 * * * ?", {"2026-03-10 05:20:00", "2026-03-10 05:35:00"}},
      {"0 5/30 * * * ?", {"2026-03-10 05:35:00", "2026-03-10 06:05:00"}},
      {"0 0 9 * * ?", {"2026-03-10 09:00:00", "2026-03-11 09:00:00"}},
      {"0 0/14 * * * ?", {"2026-03-10 05:28:00", "2026-03-10 05:42:00"}},
      {"0 */15 * ? * *\t", {"2026-03-10 05:30:00", "2026-03-10 05:45:00"}},
      {"0 10/30 * * * ?", {"2026-03-10 05:40:00", "2026-03-10 06:10:00"}},
      {"0 0 * ? * *", {"2026-03-10 06:00:00", "2026-03-10 07:00:00"}},
      {"0 25 * * * ?", {"2026-03-10 05:25:00", "2026-03-10 06:25:00"}},
      {"0 9/15 * * * ?", {"2026-03-10 05:24:00", "2026-03-10 05:39:00"}},
      {"3 11/30 * * * ?", {"2026-03-10 05:41:03", "2026-03-10 06:11:03"}},
      {"0 30 0,3,6,9,12,15,18,21 * * ?", {"2026-03-10 06:30:00", "2026-03-10 09:30:00"}},
      {"0 52 * * * ? *", {"2026-03-10 05:52:00", "2026-03-10 06:52:00"}},
      {"7 3/15 0 ? * * *", {"2026-03-11 00:03:07", "2026-03-11 00:18:07"}},
      {"0 0 1 1 9 ? 2020-2020", {"never"}},
      {"11 11/10 * * * ?", {"2026-03-10 05:21:11", "2026-03-10 05:31:11"}},
      {"* * * * * ?", {"2026-03-10 05:17:43", "2026-03-10 05:17:44"}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(times(one.rule, "2026-03-10 05:17:42", static_cast<int>(one.expected.size())),
              one.expected)
        << one.rule;
  }
}

TEST(Cron, DaysOfMonthAndWeek) {
  const std::string from = "2026-03-10 12:00:00";
  using Times = std::vector<std::string>;
  EXPECT_EQ(times("0 0 0 L * ?", from, 2), (Times{"2026-03-31 00:00:00", "2026-04-30 00:00:00"}));
  EXPECT_EQ(times("0 0 0 L-3 * ?", from, 2), (Times{"2026-03-28 00:00:00", "2026-04-27 00:00:00"}));
  EXPECT_EQ(times("0 0 0 LW 5 ?", from, 1), (Times{"2026-05-29 00:00:00"}));
  EXPECT_EQ(times("0 0 0 15W * ?", from, 3),
            (Times{"2026-03-16 00:00:00", "2026-04-15 00:00:00", "2026-05-15 00:00:00"}));
  EXPECT_EQ(times("0 0 0 1W 8 ?", from, 1), (Times{"2026-08-03 00:00:00"}));
  EXPECT_EQ(times("0 0 0 31W * ?", from, 2), (Times{"2026-03-31 00:00:00", "2026-05-29 00:00:00"}));
  EXPECT_EQ(times("0 0 0 ? * 6L", from, 2), (Times{"2026-03-27 00:00:00", "2026-04-24 00:00:00"}));
  EXPECT_EQ(times("0 0 0 ? * FRIL", from, 1), (Times{"2026-03-27 00:00:00"}));
  EXPECT_EQ(times("0 0 0 ? * FRI#3", from, 2),
            (Times{"2026-03-20 00:00:00", "2026-04-17 00:00:00"}));
  EXPECT_EQ(times("0 0 0 ? * 6#5", from, 2), (Times{"2026-05-29 00:00:00", "2026-07-31 00:00:00"}));
  EXPECT_EQ(times("0 0 0 ? * L", from, 1), (Times{"2026-03-14 00:00:00"}));
  EXPECT_EQ(times("0 0 0 ? * sat-mon", from, 4),
            (Times{"2026-03-14 00:00:00", "2026-03-15 00:00:00", "2026-03-16 00:00:00",
                   "2026-03-21 00:00:00"}));
  EXPECT_EQ(times("0 0 0 29 feb ? *", from, 2),
            (Times{"2028-02-29 00:00:00", "2032-02-29 00:00:00"}));
  EXPECT_EQ(times("0 0 22-1 * * ?", from, 5),
            (Times{"2026-03-10 22:00:00", "2026-03-10 23:00:00", "2026-03-11 00:00:00",
                   "2026-03-11 01:00:00", "2026-03-11 22:00:00"}));
  EXPECT_EQ(times("0 0 0 1 1 ? 2030,2040/100", from, 3),
            (Times{"2030-01-01 00:00:00", "2040-01-01 00:00:00", "2140-01-01 00:00:00"}));
  EXPECT_EQ(times("0 0 0 31 2 ?", from, 1), (Times{"never"}));
  EXPECT_EQ(times("  0   0\t0 ? NOV-JAN/2 MON  ", from, 1), (Times{"2026-11-02 00:00:00"}));
}

// R037: a search that takes each period to start at zero skipped the whole day.
TEST(Cron, EveryTwoHoursOnADayWithoutMidnight) {
  EXPECT_EQ(times("0 0 */2 * * ?", "2026-04-23 21:30:00", 2, cairo),
            (std::vector<std::string>{"2026-04-23 23:00:00", "2026-04-24 01:00:00"}));
  const auto schedule = CronSchedule::parse("0 0 */2 * * ?").value();
  EXPECT_EQ(schedule.next_after(at("2026-04-23 23:59:59", 2), cairo), at("2026-04-24 02:00:00", 3));
}

TEST(Cron, ANamedHourThatTheClockSkipsFiresAfterTheGap) {
  const auto daily = CronSchedule::parse("0 30 2 * * ?").value();
  EXPECT_EQ(daily.next_after(at("2026-03-28 12:00:00"), berlin), at("2026-03-29 01:00:00"));
  EXPECT_EQ(daily.next_after(at("2026-03-29 01:00:00"), berlin), at("2026-03-30 02:30:00", 2));
  EXPECT_EQ(times("0 */30 * * * ?", "2026-03-29 00:31:00", 2, berlin),
            (std::vector<std::string>{"2026-03-29 01:00:00", "2026-03-29 01:30:00"}));
}

TEST(Cron, ANamedHourThatOccursTwiceFiresOnce) {
  EXPECT_EQ(times("0 30 2 * * ?", "2026-10-24 12:00:00", 2, berlin),
            (std::vector<std::string>{"2026-10-25 00:30:00", "2026-10-26 01:30:00"}));
  // By the clock as it shows: no silent hour.
  EXPECT_EQ(
      times("0 */30 * * * ?", "2026-10-24 23:40:00", 5, berlin),
      (std::vector<std::string>{"2026-10-25 00:00:00", "2026-10-25 00:30:00", "2026-10-25 01:00:00",
                                "2026-10-25 01:30:00", "2026-10-25 02:00:00"}));
}

TEST(Cron, WhatIsNoRuleIsRefusedWithTheField) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "0 fields"},
      {"* * * * *", "5 fields"},
      {"* * * * * * * *", "8 fields"},
      {"60 * * * * ?", "second: 60 is not in 0-59"},
      {"* x * * * ?", "minute: 'X' is not a value"},
      {"* * 24 * * ?", "hour: 24"},
      {"* * * 0 * ?", "day of month: 0"},
      {"* * * ? 13 *", "month: 13"},
      {"* * * ? JNA *", "did you mean JAN?"},
      {"* * * ? * 8", "day of week: 8"},
      {"* * * ? * 6#6", "#"},
      {"* * * L-31 * ?", "L-"},
      {"* * * * * ? 1969", "year: 1969"},
      {"* * * * * ? 2030-2020", "ends before"},
      {"*/0 * * * * ?", "step"},
      {"1- * * * * ?", "missing"},
      {"1,,2 * * * * ?", "missing"},
      {"-1 * * * * ?", "missing"},
      {"99999999999 * * * * ?", "not a value"},
  };
  for (const auto& [rule, reason] : cases) {
    const auto parsed = CronSchedule::parse(rule);
    ASSERT_FALSE(parsed.has_value()) << rule;
    EXPECT_THAT(parsed.error(), testing::HasSubstr(reason)) << rule;
  }
}

TEST(TimeZone, PosixRules) {
  const auto zone = TimeZone::from_posix_rule(berlin);
  ASSERT_NE(zone, nullptr);
  EXPECT_EQ(zone->offset_at(at("2026-03-29 00:59:59") / 1000), 3600);
  EXPECT_EQ(zone->offset_at(at("2026-03-29 01:00:00") / 1000), 7200);
  EXPECT_EQ(zone->offset_at(at("2026-10-25 00:59:59") / 1000), 7200);
  EXPECT_EQ(zone->offset_at(at("2026-10-25 01:00:00") / 1000), 3600);
  EXPECT_EQ(TimeZone::from_posix_rule("<+0545>-5:45")->offset_at(0), 20700);
  // The southern half of the world begins its year in summer.
  const auto sydney = TimeZone::from_posix_rule("AEST-10AEDT,M10.1.0,M4.1.0/3");
  EXPECT_EQ(sydney->offset_at(at("2026-01-01 00:00:00") / 1000), 11 * 3600);
  EXPECT_EQ(sydney->offset_at(at("2026-07-01 00:00:00") / 1000), 10 * 3600);
  for (const char* text : {"", "X", "CET", "CET-1CEST,M13.1.0,M1.1.0", "CET-1CEST,M3.5.0",
                           "CET-1CEST,J0,J1", "CET-1 ", "Europe/Berlin"}) {
    EXPECT_EQ(TimeZone::from_posix_rule(text), nullptr) << text;
  }
}

// A zone file of version 2 with one change at 1970-01-02 and a rule behind it.
std::string zone_file() {
  const auto number = [](std::int64_t value, int width) {
    std::string bytes;
    for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
  };
  std::string file;
  for (const int width : {4, 8}) {
    file += "TZif2" + std::string(15, '\0');
    for (const int count : {0, 0, 0, 1, 2, 8}) file += number(count, 4);
    file += number(86400, width) + std::string(1, '\1');
    file += number(1800, 4) + std::string(2, '\0') + number(3600, 4) + std::string("\0\4", 2);
    file += std::string("LMT\0CET\0", 8);
  }
  return file + "\n" + berlin + "\n";
}

TEST(TimeZone, ZoneFile) {
  const std::string file = zone_file();
  const auto zone = TimeZone::from_file_bytes(file);
  ASSERT_NE(zone, nullptr);
  EXPECT_EQ(zone->offset_at(0), 1800);
  EXPECT_EQ(zone->offset_at(86400), 3600);
  EXPECT_EQ(zone->offset_at(at("2026-07-01 00:00:00") / 1000), 7200);
}

TEST(TimeZone, DamagedZoneFilesNeverCrash) {
  const std::string file = zone_file();
  for (std::size_t size = 0; size < file.size(); ++size) {
    TimeZone::from_file_bytes(file.substr(0, size));
  }
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      const auto zone = TimeZone::from_file_bytes(damaged);
      if (zone) {
        EXPECT_FALSE(zone->segments().empty());
      }
    }
  }
}

TEST(TimeZone, AnUnknownZoneIsRefused) {
  EXPECT_THROW(TimeZone::find("Atlantis/Capital"), storage::StorageError);
  EXPECT_THROW(TimeZone::find("../../etc/passwd"), storage::StorageError);
  EXPECT_EQ(TimeZone::find("UTC")->offset_at(0), 0);
}

}  // namespace
}  // namespace weir
