#pragma once

#include <cstdint>

// The proleptic Gregorian calendar over all years of java.time. Days count from 1970-01-01.
namespace weir::text {

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

constexpr bool is_leap_year(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr int length_of_month(std::int64_t year, std::int64_t month) {
  constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : lengths[month - 1];
}

constexpr std::int64_t days_of_date(std::int64_t year, std::int64_t month, std::int64_t day) {
  // Years that begin in March, so that the leap day is the last one.
  const std::int64_t march_year = month <= 2 ? year - 1 : year;
  const std::int64_t era = floor_div(march_year, 400);
  const std::int64_t year_of_era = march_year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

struct Date {
  std::int64_t year;
  int month, day;
};

constexpr Date date_of_days(std::int64_t days) {
  days += 719468;
  const std::int64_t era = floor_div(days, 146097);
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  const auto civil_month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  return {year_of_era + era * 400 + (civil_month <= 2 ? 1 : 0), civil_month, day};
}

// The day in the Julian calendar, which java.util.Date shows before 15 October 1582.
constexpr std::int64_t first_gregorian_day = -141'427;
constexpr Date julian_date_of_days(std::int64_t days) {
  days += 719470;
  const std::int64_t four_years = floor_div(days, 1461);
  const std::int64_t day_of_four = days - four_years * 1461;
  const std::int64_t year_of_four = (day_of_four - day_of_four / 1460) / 365;
  const std::int64_t day_of_year = day_of_four - year_of_four * 365;
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  const auto civil_month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  return {four_years * 4 + year_of_four + (civil_month <= 2 ? 1 : 0), civil_month, day};
}

// 1 is Monday, 7 is Sunday.
constexpr int day_of_week(std::int64_t days) {
  return static_cast<int>(floor_mod(days + 3, 7)) + 1;
}

}  // namespace weir::text
