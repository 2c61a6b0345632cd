#pragma once

#include <bitset>
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

// A Quartz-like cron rule as NiFi takes it: second minute hour day-of-month month day-of-week
// and optionally year; * ? a a-b a/n a-b/n lists, names of months and days, L, LW, nW, nL, n#k.
// Space around and between fields does not matter. A rule that has no further time ("... 2020")
// is valid and just never fires again.
class CronSchedule {
 public:
  // The error names the field and what is wrong with it.
  static std::expected<CronSchedule, std::string> parse(std::string_view text);

  // The first time after `after_ms` (since the epoch), in the zone (see TimeZone::find, which
  // throws for a zone that does not exist). nullopt: never again. Where the clock changes, a rule
  // that names its hours ("0 30 2 * * ?") fires once: for skipped local times at the first moment
  // after the gap, for one that occurs twice the first time. A rule whose hours are a
  // `*` or a step goes by the clock as it shows: nothing for skipped times, twice for repeated.
  std::optional<std::int64_t> next_after(std::int64_t after_ms,
                                         const std::string& zone = "") const;  // "": local

 private:
  struct Parser;  // knows the fields' syntax

  bool matches_day(int year, int month, int day) const;
  std::optional<std::int64_t> next_local(std::int64_t after_s) const;

  std::bitset<60> seconds_, minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<8> weekdays_;  // 1 is Sunday
  std::bitset<200> years_;   // from 1970
  bool any_day_ = false, any_weekday_ = false;
  bool last_day_ = false, last_weekday_of_month_ = false;
  bool hours_by_step_ = false;  // the hours are `*` or a step
  int nearest_weekday_to_ = 0, days_before_last_ = 0;
  int last_of_weekday_ = 0, nth_of_weekday_ = 0, nth_ = 0;
};

}  // namespace weir
