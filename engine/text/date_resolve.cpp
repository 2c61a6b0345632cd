#include <fmt/format.h>

#include <utility>

#include "engine/text/civil.h"
#include "engine/text/compiled_pattern.h"

namespace weir::text {
namespace {

using Checked = std::expected<std::int64_t, Error>;
using Done = std::expected<void, Error>;

constexpr std::int64_t second_ns = 1'000'000'000;

std::unexpected<Error> conflict(Field field) {
  return std::unexpected(
      Error{0, fmt::format("the text contradicts itself about the {}", name_of(field))});
}

Done check(Field field, std::int64_t value) {
  const Bounds bounds = bounds_of(field);
  if (value >= bounds.least && value <= bounds.greatest) return {};
  return std::unexpected(Error{0, fmt::format("the {} {} is not within {} to {}", name_of(field),
                                              value, bounds.least, bounds.greatest)});
}

// Turns fields into a date and a time of day, the way that java.time calls smart.
class Resolver {
 public:
  explicit Resolver(const ParsedFields& fields) : resolved_{.fields = fields} {}

  std::expected<Resolved, Error> run();

 private:
  Done update(Field field, std::int64_t value);
  Done set_date(std::int64_t days);
  Done set_time(std::int64_t hour, std::int64_t minute, std::int64_t second, std::int64_t nano);

  Done date();
  Done year_of_era();
  Done year_month_day();
  Done year_month_week();
  Done weeks();
  Done hours();
  Done days_of_smaller_units();
  Done time();
  Done time_with_gaps();
  Done cross_check() const;

  ParsedFields& fields() { return resolved_.fields; }

  Resolved resolved_;
};

Done Resolver::update(Field field, std::int64_t value) {
  if (fields().has(field) && fields().get(field) != value) return conflict(field);
  fields().set(field, value);
  return {};
}

Done Resolver::set_date(std::int64_t days) {
  if (resolved_.days && *resolved_.days != days) return conflict(Field::day_of_year);
  resolved_.days = days;
  return {};
}

Done Resolver::set_time(std::int64_t hour, std::int64_t minute, std::int64_t second,
                        std::int64_t nano) {
  // The end of a day is the beginning of the next.
  const bool end_of_day = hour == 24 && minute == 0 && second == 0 && nano == 0;
  if (end_of_day) {
    resolved_.excess_days = 1;
    hour = 0;
  }
  for (const auto& [field, value] : {std::pair{Field::hour, hour},
                                     {Field::minute, minute},
                                     {Field::second, second},
                                     {Field::nano, nano}}) {
    if (const Done done = check(field, value); !done) return done;
  }
  const std::int64_t time_ns = ((hour * 60 + minute) * 60 + second) * second_ns + nano;
  if (resolved_.nano_of_day && *resolved_.nano_of_day != time_ns) return conflict(Field::hour);
  resolved_.nano_of_day = time_ns;
  return {};
}

Done Resolver::year_of_era() {
  if (!fields().has(Field::year_of_era)) {
    return fields().has(Field::era) ? check(Field::era, fields().get(Field::era)) : Done();
  }
  const std::int64_t value = fields().take(Field::year_of_era);
  if (const Done done = check(Field::year_of_era, value); !done) return done;
  if (fields().has(Field::era)) {
    return update(Field::year, fields().take(Field::era) == 1 ? value : 1 - value);
  }
  const bool before = fields().has(Field::year) && fields().get(Field::year) <= 0;
  return update(Field::year, before ? 1 - value : value);
}

Done Resolver::year_month_day() {
  const std::int64_t year = fields().take(Field::year);
  const std::int64_t month = fields().take(Field::month);
  const std::int64_t day = fields().take(Field::day_of_month);
  for (const auto& [field, value] :
       {std::pair{Field::year, year}, {Field::month, month}, {Field::day_of_month, day}}) {
    if (const Done done = check(field, value); !done) return done;
  }
  // 31 April is the last day of April.
  return set_date(
      days_of_date(year, month, std::min<std::int64_t>(day, length_of_month(year, month))));
}

// The n-th Monday (or other day) counted from the first of the month.
Done Resolver::year_month_week() {
  const std::int64_t year = fields().take(Field::year);
  const std::int64_t month = fields().take(Field::month);
  const std::int64_t week = fields().take(Field::aligned_week_of_month);
  const std::int64_t day = fields().take(Field::day_of_week);
  for (const auto& [field, value] : {std::pair{Field::year, year},
                                     {Field::month, month},
                                     {Field::aligned_week_of_month, week},
                                     {Field::day_of_week, day}}) {
    if (const Done done = check(field, value); !done) return done;
  }
  const std::int64_t begin = days_of_date(year, month, 1) + (week - 1) * 7;
  return set_date(begin + floor_mod(day - day_of_week(begin), 7));
}

Done Resolver::date() {
  if (fields().has(Field::modified_julian_day)) {
    const std::int64_t value = fields().take(Field::modified_julian_day);
    if (const Done done = check(Field::modified_julian_day, value); !done) return done;
    return set_date(value - 40587);
  }
  if (const Done done = year_of_era(); !done || !fields().has(Field::year)) return done;
  if (fields().has(Field::month)) {
    if (fields().has(Field::day_of_month)) return year_month_day();
    if (fields().has(Field::aligned_week_of_month) && fields().has(Field::day_of_week)) {
      return year_month_week();
    }
  }
  if (fields().has(Field::day_of_year)) {
    const std::int64_t year = fields().take(Field::year);
    const std::int64_t day = fields().take(Field::day_of_year);
    if (const Done done = check(Field::year, year); !done) return done;
    if (day < 1 || day > (is_leap_year(year) ? 366 : 365)) {
      return std::unexpected(Error{0, fmt::format("the year {} has no day {}", year, day)});
    }
    return set_date(days_of_date(year, 1, day));
  }
  return {};
}

// Dates by week, which need the day of the week.
Done Resolver::weeks() {
  if (fields().has(Field::local_day_of_week)) {
    const std::int64_t local = fields().take(Field::local_day_of_week);
    if (const Done done = check(Field::local_day_of_week, local); !done) return done;
    if (const Done done = update(Field::day_of_week, (local + 5) % 7 + 1); !done) return done;
  }
  if (!fields().has(Field::day_of_week)) return {};
  const std::int64_t day = fields().get(Field::day_of_week);
  if (const Done done = check(Field::day_of_week, day); !done) return done;
  if (fields().has(Field::week_based_year) && fields().has(Field::week_of_week_based_year)) {
    const std::int64_t year = fields().take(Field::week_based_year);
    const std::int64_t week = fields().take(Field::week_of_week_based_year);
    for (const auto& [field, value] :
         {std::pair{Field::week_based_year, year}, {Field::week_of_week_based_year, week}}) {
      if (const Done done = check(field, value); !done) return done;
    }
    fields().take(Field::day_of_week);
    return set_date(days_of_week_date(year, week, day % 7 + 1));
  }
  if (fields().has(Field::year) && fields().has(Field::month) &&
      fields().has(Field::week_of_month)) {
    const std::int64_t year = fields().take(Field::year);
    const std::int64_t month = fields().take(Field::month);
    const std::int64_t week = fields().take(Field::week_of_month);
    for (const auto& [field, value] :
         {std::pair{Field::year, year}, {Field::month, month}, {Field::week_of_month, week}}) {
      if (const Done done = check(field, value); !done) return done;
    }
    fields().take(Field::day_of_week);
    const LocalTime first = LocalTime::of_days(days_of_date(year, month, 1), 0);
    return set_date(first.days + (week - field_value(first, Field::week_of_month)) * 7 + day % 7 +
                    1 - field_value(first, Field::local_day_of_week));
  }
  return {};
}

Done Resolver::hours() {
  if (fields().has(Field::clock_hour)) {
    const std::int64_t hour = fields().take(Field::clock_hour);
    if (hour != 0) {
      if (const Done done = check(Field::clock_hour, hour); !done) return done;
    }
    if (const Done done = update(Field::hour, hour == 24 ? 0 : hour); !done) return done;
  }
  if (fields().has(Field::clock_hour_of_half_day)) {
    const std::int64_t hour = fields().take(Field::clock_hour_of_half_day);
    if (hour != 0) {
      if (const Done done = check(Field::clock_hour_of_half_day, hour); !done) return done;
    }
    if (const Done done = update(Field::hour_of_half_day, hour == 12 ? 0 : hour); !done) {
      return done;
    }
  }
  if (fields().has(Field::half_day) && fields().has(Field::hour_of_half_day)) {
    const std::int64_t half = fields().take(Field::half_day);
    const std::int64_t hour = fields().take(Field::hour_of_half_day);
    if (const Done done = check(Field::half_day, half); !done) return done;
    if (const Done done = check(Field::hour_of_half_day, hour); !done) return done;
    return update(Field::hour, half * 12 + hour);
  }
  return {};
}

Done Resolver::days_of_smaller_units() {
  for (const auto& [field, unit_ns] :
       {std::pair{Field::nano_of_day, std::int64_t{1}}, {Field::milli_of_day, 1'000'000}}) {
    if (!fields().has(field)) continue;
    const std::int64_t value = fields().take(field);
    if (const Done done = check(field, value); !done) return done;
    const std::int64_t time_ns = value * unit_ns;
    for (const auto& [part, part_value] : {std::pair{Field::hour, time_ns / (3600 * second_ns)},
                                           {Field::minute, time_ns / (60 * second_ns) % 60},
                                           {Field::second, time_ns / second_ns % 60},
                                           {Field::nano, time_ns % second_ns}}) {
      if (const Done done = update(part, part_value); !done) return done;
    }
  }
  return {};
}

Done Resolver::time() {
  if (const Done done = hours(); !done) return done;
  if (const Done done = days_of_smaller_units(); !done) return done;
  return fields().has(Field::nano) ? check(Field::nano, fields().get(Field::nano)) : Done();
}

// A time from what there is: smaller units may be absent, but not one in between.
Done Resolver::time_with_gaps() {
  ParsedFields& all = fields();
  const bool hour = all.has(Field::hour);
  const bool minute = all.has(Field::minute);
  const bool second = all.has(Field::second);
  const bool nano = all.has(Field::nano);
  if (!hour && !minute && !second && !nano && all.has(Field::half_day)) {
    const std::int64_t half = all.take(Field::half_day);
    if (const Done done = check(Field::half_day, half); !done) return done;
    return set_time(half * 12 + 6, 0, 0, 0);  // the middle of the morning or evening
  }
  const bool gap = (!minute && (second || nano)) || (minute && !second && nano);
  if (hour && !gap) {
    return set_time(all.take(Field::hour), minute ? all.take(Field::minute) : 0,
                    second ? all.take(Field::second) : 0, nano ? all.take(Field::nano) : 0);
  }
  for (unsigned i = 0; i < static_cast<unsigned>(Field::count); ++i) {
    const auto field = static_cast<Field>(i);
    if (!all.has(field) || !is_time_field(field)) continue;
    if (const Done done = check(field, all.get(field)); !done) return done;
  }
  return {};
}

Done Resolver::cross_check() const {
  const LocalTime time =
      LocalTime::of_days(resolved_.days.value_or(0), resolved_.nano_of_day.value_or(0));
  for (unsigned i = 0; i < static_cast<unsigned>(Field::count); ++i) {
    const auto field = static_cast<Field>(i);
    if (!resolved_.fields.has(field) || field == Field::offset_s) continue;
    const bool known =
        is_time_field(field) ? resolved_.nano_of_day.has_value() : resolved_.days.has_value();
    if (known && field_value(time, field) != resolved_.fields.get(field)) return conflict(field);
  }
  return {};
}

std::expected<Resolved, Error> Resolver::run() {
  if (fields().has(Field::offset_s)) {
    const Done done = check(Field::offset_s, fields().get(Field::offset_s));
    if (!done) return std::unexpected(done.error());
  }
  Done (Resolver::*const steps[])() = {&Resolver::date, &Resolver::time, &Resolver::weeks,
                                       &Resolver::time_with_gaps};
  for (const auto step : steps) {
    if (const Done done = (this->*step)(); !done) return std::unexpected(done.error());
  }
  if (const Done done = cross_check(); !done) return std::unexpected(done.error());
  if (resolved_.days && resolved_.nano_of_day) {
    *resolved_.days += std::exchange(resolved_.excess_days, 0);
  }
  return std::move(resolved_);
}

Instant instant_of(const ParsedFields& fields, std::int64_t days, std::int64_t nano_of_day,
                   const Zone& zone) {
  const std::int64_t local_s = days * 86400 + nano_of_day / second_ns;
  const auto nano = static_cast<std::int32_t>(nano_of_day % second_ns);
  if (fields.has(Field::offset_s)) return {local_s - fields.get(Field::offset_s), nano};
  const Zone& own = fields.zone ? *fields.zone : zone;
  if (!fields.daylight) return {own.instant_of_local(local_s), nano};
  // The name says which of two instants with this local time is meant.
  const std::int64_t early_s = own.instant_of_local(local_s);
  if (own.daylight_at(early_s) == *fields.daylight) return {early_s, nano};
  const std::int32_t other_s = own.offset_at(early_s + 86400);
  const std::int64_t late_s = own.instant_of_local(local_s, other_s);
  return {own.daylight_at(late_s) == *fields.daylight ? late_s : early_s, nano};
}

}  // namespace

std::expected<Resolved, Error> resolve(const ParsedFields& fields) {
  return Resolver(fields).run();
}

std::expected<Instant, Error> full_instant(const Resolved& resolved, const Zone& zone) {
  if (!resolved.days || !resolved.nano_of_day) {
    return std::unexpected(Error{0, "the text has no full date and time"});
  }
  return instant_of(resolved.fields, *resolved.days, *resolved.nano_of_day, zone);
}

std::expected<Instant, Error> defaulted_instant(const Resolved& resolved, const Zone& zone) {
  const ParsedFields& fields = resolved.fields;
  const auto value = [&fields](Field field, std::int64_t otherwise) {
    return fields.has(field) ? fields.get(field) : otherwise;
  };
  std::int64_t days = 0;
  if (resolved.days) {
    days = *resolved.days;
  } else {
    const std::int64_t year = value(Field::year, 1970);
    const std::int64_t month = value(Field::month, 1);
    const std::int64_t day = value(Field::day_of_month, 1);
    for (const auto& [field, given] :
         {std::pair{Field::year, year}, {Field::month, month}, {Field::day_of_month, day}}) {
      if (const Done done = check(field, given); !done) return std::unexpected(done.error());
    }
    if (day > length_of_month(year, month)) {
      return std::unexpected(Error{0, fmt::format("the month has no day {}", day)});
    }
    days = days_of_date(year, month, day);
  }
  std::int64_t time_ns = 0;
  if (resolved.nano_of_day) {
    time_ns = *resolved.nano_of_day;
  } else {
    time_ns =
        ((value(Field::hour, 0) * 60 + value(Field::minute, 0)) * 60 + value(Field::second, 0)) *
            second_ns +
        value(Field::nano, 0);
  }
  return instant_of(fields, days, time_ns, zone);
}

}  // namespace weir::text
