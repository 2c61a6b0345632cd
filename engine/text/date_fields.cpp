#include "engine/text/date_fields.h"

#include <algorithm>

#include "engine/text/civil.h"

namespace weir::text {
namespace {

constexpr std::int64_t day_ns = 86'400'000'000'000;
constexpr std::int64_t most_years = 999'999'999;

constexpr std::string_view month_names[] = {"January",   "February", "March",    "April",
                                            "May",       "June",     "July",     "August",
                                            "September", "October",  "November", "December"};
constexpr std::string_view short_month_names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::string_view narrow_month_names[] = {"J", "F", "M", "A", "M", "J",
                                                   "J", "A", "S", "O", "N", "D"};
constexpr std::string_view day_names[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                          "Friday", "Saturday", "Sunday"};
constexpr std::string_view short_day_names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::string_view narrow_day_names[] = {"M", "T", "W", "T", "F", "S", "S"};
constexpr std::string_view half_day_names[] = {"AM", "PM"};
constexpr std::string_view narrow_half_day_names[] = {"a", "p"};
constexpr std::string_view era_names[] = {"Before Christ", "Anno Domini"};
constexpr std::string_view short_era_names[] = {"BC", "AD"};
constexpr std::string_view narrow_era_names[] = {"B", "A"};
constexpr std::string_view quarter_names[] = {"1st quarter", "2nd quarter", "3rd quarter",
                                              "4th quarter"};
constexpr std::string_view short_quarter_names[] = {"Q1", "Q2", "Q3", "Q4"};
constexpr std::string_view narrow_quarter_names[] = {"1", "2", "3", "4"};

int local_day(int iso_day) {
  return iso_day % 7 + 1;
}

// How far the first full week begins after the first day of the month or year.
std::int64_t week_offset(std::int64_t day, std::int64_t local_day_of_week) {
  const std::int64_t start = floor_mod(day - local_day_of_week, 7);
  return start > 0 ? 7 - start : 0;
}

std::int64_t week_number(std::int64_t offset, std::int64_t day) {
  return (7 + offset + day - 1) / 7;
}

std::int64_t day_of_year(const LocalTime& time) {
  return time.days - days_of_date(time.year, 1, 1) + 1;
}

struct WeekDate {
  std::int64_t year, week;
};

WeekDate week_date(const LocalTime& time) {
  const std::int64_t day = day_of_year(time);
  const std::int64_t offset = week_offset(day, local_day(day_of_week(time.days)));
  const std::int64_t week = week_number(offset, day);
  const std::int64_t next_year_week =
      week_number(offset, (is_leap_year(time.year) ? 366 : 365) + 1);
  if (week >= next_year_week) return {time.year + 1, week - next_year_week + 1};
  return {time.year, week};
}

std::int64_t second_of_day(const LocalTime& time) {
  return time.hour * 3600 + time.minute * 60 + time.second;
}

std::int64_t date_value(const LocalTime& time, Field field) {
  switch (field) {
    case Field::era:
      return time.year > 0 ? 1 : 0;
    case Field::year_of_era:
      return time.year > 0 ? time.year : 1 - time.year;
    case Field::year:
      return time.year;
    case Field::quarter:
      return (time.month + 2) / 3;
    case Field::month:
      return time.month;
    case Field::day_of_year:
      return day_of_year(time);
    case Field::day_of_month:
      return time.day;
    case Field::aligned_week_of_month:
      return (time.day - 1) / 7 + 1;
    case Field::day_of_week:
      return day_of_week(time.days);
    case Field::modified_julian_day:
      return time.days + 40587;
    case Field::local_day_of_week:
      return local_day(day_of_week(time.days));
    case Field::week_of_month:
      return week_number(week_offset(time.day, local_day(day_of_week(time.days))), time.day);
    case Field::week_of_week_based_year:
      return week_date(time).week;
    case Field::week_based_year:
      return week_date(time).year;
    default:
      return time.offset_s;
  }
}

}  // namespace

Bounds bounds_of(Field field) {
  switch (field) {
    case Field::era:
    case Field::half_day:
      return {0, 1};
    case Field::year_of_era:
      return {1, most_years + 1};
    case Field::year:
    case Field::week_based_year:
      return {-most_years, most_years};
    case Field::quarter:
      return {1, 4};
    case Field::month:
      return {1, 12};
    case Field::day_of_year:
      return {1, 366};
    case Field::day_of_month:
      return {1, 31};
    case Field::aligned_week_of_month:
      return {1, 5};
    case Field::day_of_week:
    case Field::local_day_of_week:
      return {1, 7};
    case Field::week_of_month:
      return {0, 6};
    case Field::week_of_week_based_year:
      return {1, 53};
    case Field::hour:
      return {0, 23};
    case Field::clock_hour:
      return {1, 24};
    case Field::hour_of_half_day:
      return {0, 11};
    case Field::clock_hour_of_half_day:
      return {1, 12};
    case Field::minute:
    case Field::second:
      return {0, 59};
    case Field::nano:
      return {0, 999'999'999};
    case Field::milli_of_day:
      return {0, day_ns / 1'000'000 - 1};
    case Field::nano_of_day:
      return {0, day_ns - 1};
    case Field::offset_s:
      return {-18 * 3600, 18 * 3600};
    default:
      return {-365'243'219'162, 365'241'780'471};
  }
}

std::string_view name_of(Field field) {
  constexpr std::string_view names[] = {"era",
                                        "year of the era",
                                        "year",
                                        "quarter",
                                        "month",
                                        "day of the year",
                                        "day",
                                        "week of the month",
                                        "day of the week",
                                        "Julian day",
                                        "day of the week",
                                        "week of the month",
                                        "week",
                                        "week-based year",
                                        "half of the day",
                                        "hour",
                                        "hour",
                                        "hour",
                                        "hour",
                                        "minute",
                                        "second",
                                        "fraction",
                                        "millisecond of the day",
                                        "nanosecond of the day",
                                        "offset"};
  return names[static_cast<std::size_t>(field)];
}

LocalTime LocalTime::of_days(std::int64_t days, std::int64_t nano_of_day) {
  const Date date = date_of_days(days);
  const std::int64_t seconds = nano_of_day / 1'000'000'000;
  LocalTime time;
  time.days = days;
  time.year = date.year;
  time.month = date.month;
  time.day = date.day;
  time.hour = static_cast<int>(seconds / 3600);
  time.minute = static_cast<int>(seconds / 60 % 60);
  time.second = static_cast<int>(seconds % 60);
  time.nano = static_cast<std::int32_t>(nano_of_day % 1'000'000'000);
  return time;
}

LocalTime LocalTime::of_instant(const Instant& instant, std::int32_t offset_s) {
  const std::int64_t local_s = instant.epoch_s + offset_s;
  const std::int64_t days = floor_div(local_s, 86400);
  LocalTime time = of_days(days, (local_s - days * 86400) * 1'000'000'000 + instant.nano);
  time.offset_s = offset_s;
  return time;
}

std::int64_t field_value(const LocalTime& time, Field field) {
  switch (field) {
    case Field::half_day:
      return time.hour / 12;
    case Field::hour:
      return time.hour;
    case Field::clock_hour:
      return time.hour == 0 ? 24 : time.hour;
    case Field::hour_of_half_day:
      return time.hour % 12;
    case Field::clock_hour_of_half_day:
      return time.hour % 12 == 0 ? 12 : time.hour % 12;
    case Field::minute:
      return time.minute;
    case Field::second:
      return time.second;
    case Field::nano:
      return time.nano;
    case Field::milli_of_day:
      return second_of_day(time) * 1000 + time.nano / 1'000'000;
    case Field::nano_of_day:
      return second_of_day(time) * 1'000'000'000 + time.nano;
    default:
      return date_value(time, field);
  }
}

std::int64_t days_of_week_date(std::int64_t week_based_year, std::int64_t week,
                               std::int64_t local_day_of_week) {
  const std::int64_t first = days_of_date(week_based_year, 1, 1);
  const std::int64_t offset = week_offset(1, local_day(day_of_week(first)));
  const std::int64_t next_year_week =
      week_number(offset, (is_leap_year(week_based_year) ? 366 : 365) + 1);
  return first - offset + local_day_of_week - 1 + (std::min(week, next_year_week - 1) - 1) * 7;
}

std::span<const std::string_view> names_of(Field field, TextStyle style) {
  const auto choose = [style](std::span<const std::string_view> brief,
                              std::span<const std::string_view> full,
                              std::span<const std::string_view> narrow) {
    return style == TextStyle::brief ? brief : style == TextStyle::full ? full : narrow;
  };
  switch (field) {
    case Field::month:
      return choose(short_month_names, month_names, narrow_month_names);
    case Field::day_of_week:
      return choose(short_day_names, day_names, narrow_day_names);
    case Field::half_day:
      return choose(half_day_names, half_day_names, narrow_half_day_names);
    case Field::era:
      return choose(short_era_names, era_names, narrow_era_names);
    case Field::quarter:
      return choose(short_quarter_names, quarter_names, narrow_quarter_names);
    default:
      return {};
  }
}

}  // namespace weir::text
