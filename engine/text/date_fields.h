#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/text/date_pattern.h"

namespace weir::text {

// What a letter of a pattern stands for.
enum class Field : std::uint8_t {
  era,
  year_of_era,
  year,
  quarter,
  month,
  day_of_year,
  day_of_month,
  aligned_week_of_month,
  day_of_week,
  modified_julian_day,
  local_day_of_week,  // 1 is Sunday
  week_of_month,
  week_of_week_based_year,
  week_based_year,
  // From here on: of the time.
  half_day,
  hour,
  clock_hour,
  hour_of_half_day,
  clock_hour_of_half_day,
  minute,
  second,
  nano,
  milli_of_day,
  nano_of_day,
  // Neither.
  offset_s,
  count,
};

constexpr bool is_time_field(Field field) {
  return field >= Field::half_day && field <= Field::nano_of_day;
}

// The values a field may have.
struct Bounds {
  std::int64_t least, greatest;
};
Bounds bounds_of(Field field);
std::string_view name_of(Field field);

// A date and time of day in a zone, taken apart.
struct LocalTime {
  std::int64_t days = 0;  // since 1970-01-01
  std::int64_t year = 0;
  int month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::int32_t nano = 0;
  std::int32_t offset_s = 0;

  static LocalTime of_days(std::int64_t days, std::int64_t nano_of_day);
  static LocalTime of_instant(const Instant& instant, std::int32_t offset_s);
};
std::int64_t field_value(const LocalTime& time, Field field);

// Weeks of en_US: they begin on Sunday, and the first has at least one day of the year.
std::int64_t days_of_week_date(std::int64_t week_based_year, std::int64_t week,
                               std::int64_t local_day_of_week);

enum class TextStyle : std::uint8_t { brief, full, narrow };
// The names of a field's values in English, the first for the least value; empty for a field
// without names.
std::span<const std::string_view> names_of(Field field, TextStyle style);

}  // namespace weir::text
