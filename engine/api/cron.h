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

  // The first time after `after_ms` (since the epoch), in the zone. A local time that the clock
  // change skips fires at the first moment after the gap; one that occurs twice fires once.
  // nullopt: never again.
  std::optional<std::int64_t> next_after(std::int64_t after_ms,
                                         const std::string& zone = "") const;  // "": local

 private:
  std::bitset<60> seconds_, minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<8> weekdays_;  // 1 is Sunday
  std::bitset<200> years_;   // from 1970
  bool any_day_ = false, any_weekday_ = false;
  bool last_day_ = false, last_weekday_of_month_ = false;
  int nearest_weekday_to_ = 0, days_before_last_ = 0;
  int last_of_weekday_ = 0, nth_of_weekday_ = 0, nth_ = 0;
};

}  // namespace weir
