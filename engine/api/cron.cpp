#include "engine/api/cron.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <vector>

#include "engine/api/time_zone.h"
#include "engine/api/units.h"

namespace weir {
namespace {

constexpr int first_year = 1970;
constexpr int last_year = first_year + 199;
constexpr std::int64_t day_s = 86'400;

struct Field {
  std::string_view name;
  int least, most;
  std::vector<std::string_view> words;  // words[0] is `least`
};

const Field second_field{"second", 0, 59, {}};
const Field minute_field{"minute", 0, 59, {}};
const Field hour_field{"hour", 0, 23, {}};
const Field day_field{"day of month", 1, 31, {}};
const Field month_field{
    "month",
    1,
    12,
    {"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}};
const Field weekday_field{"day of week", 1, 7, {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}};
const Field year_field{"year", first_year, last_year, {}};

using Failure = std::optional<std::string>;  // nullopt: fine

Failure fail(const Field& field, std::string_view reason) {
  return fmt::format("{}: {}", field.name, reason);
}

std::vector<std::string> split_fields(std::string_view text) {
  std::vector<std::string> fields;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!space && !inside) fields.emplace_back();
    if (!space) fields.back() += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    inside = !space;
  }
  return fields;
}

std::optional<int> plain_number(std::string_view text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text[0] == '-') return std::nullopt;
  return value;
}

// A number or a word of the field, in its bounds.
Failure read_value(const Field& field, std::string_view text, int& value) {
  if (text.empty()) return fail(field, "a value is missing");
  for (std::size_t i = 0; i < field.words.size(); ++i) {
    if (text == field.words[i]) {
      value = field.least + static_cast<int>(i);
      return std::nullopt;
    }
  }
  const auto number = plain_number(text);
  if (!number) {
    const std::string nearest = nearest_name(text, field.words);
    return fail(field, fmt::format("'{}' is not a value{}", text,
                                   nearest.empty() ? "" : " (did you mean " + nearest + "?)"));
  }
  if (*number < field.least || *number > field.most) {
    return fail(field, fmt::format("{} is not in {}-{}", text, field.least, field.most));
  }
  value = *number;
  return std::nullopt;
}

// One item of a list: "*", "a", "a-b", each also with "/n". Sets the bits [value - origin].
template <std::size_t Size>
Failure read_item(const Field& field, std::string_view item, int origin, std::bitset<Size>& bits) {
  const std::size_t slash = item.find('/');
  const std::string_view range = item.substr(0, slash);
  int step = 1;
  if (slash != std::string_view::npos) {
    const auto given = plain_number(item.substr(slash + 1));
    if (!given || *given < 1) {
      return fail(field, fmt::format("'{}' is not a step", item.substr(slash + 1)));
    }
    step = *given;
  }
  int from = field.least;
  int to = field.most;
  const std::size_t dash = range.find('-');
  if (range != "*" && !(range.empty() && slash == 0)) {
    if (auto failure = read_value(field, range.substr(0, dash), from)) return failure;
    if (dash != std::string_view::npos) {
      if (auto failure = read_value(field, range.substr(dash + 1), to)) return failure;
    } else if (slash == std::string_view::npos) {
      to = from;
    }
  }
  // "FRI-MON" and "22-2" go round the end of the field.
  const int count = field.most - field.least + 1;
  if (to < from && &field == &year_field) return fail(field, "the range ends before it begins");
  if (to < from) to += count;
  for (int value = from; value <= to; value += std::min(step, count)) {
    const int inside = value > field.most ? value - count : value;
    bits.set(static_cast<std::size_t>(inside - origin));
  }
  return std::nullopt;
}

template <std::size_t Size>
Failure read_list(const Field& field, std::string_view text, int origin, std::bitset<Size>& bits) {
  for (;;) {
    const std::size_t comma = text.find(',');
    if (auto failure = read_item(field, text.substr(0, comma), origin, bits)) return failure;
    if (comma == std::string_view::npos) return std::nullopt;
    text.remove_prefix(comma + 1);
  }
}

bool ends_with(std::string_view text, char c) {
  return !text.empty() && text.back() == c;
}

}  // namespace

struct CronSchedule::Parser {
  CronSchedule& schedule;

  Failure day_of_month(std::string_view text) {
    if (text == "?" || text == "*") {
      schedule.any_day_ = true;
      return std::nullopt;
    }
    if (text == "L") {
      schedule.last_day_ = true;
      return std::nullopt;
    }
    if (text == "LW" || text == "WL") {
      schedule.last_weekday_of_month_ = true;
      return std::nullopt;
    }
    if (text.starts_with("L-")) {
      const auto before = plain_number(text.substr(2));
      if (!before || *before > 30) return fail(day_field, "L- takes a number in 0-30");
      schedule.last_day_ = true;
      schedule.days_before_last_ = *before;
      return std::nullopt;
    }
    if (ends_with(text, 'W')) {
      text.remove_suffix(1);
      return read_value(day_field, text, schedule.nearest_weekday_to_);
    }
    return read_list(day_field, text, 0, schedule.days_);
  }

  Failure day_of_week(std::string_view text) {
    if (text == "?" || text == "*") {
      schedule.any_weekday_ = true;
      return std::nullopt;
    }
    if (text == "L") {  // the week's last day
      schedule.weekdays_.set(7);
      return std::nullopt;
    }
    const std::size_t hash = text.find('#');
    if (hash != std::string_view::npos) {
      const auto nth = plain_number(text.substr(hash + 1));
      if (!nth || *nth < 1 || *nth > 5) return fail(weekday_field, "# takes a number in 1-5");
      schedule.nth_ = *nth;
      return read_value(weekday_field, text.substr(0, hash), schedule.nth_of_weekday_);
    }
    if (ends_with(text, 'L')) {
      text.remove_suffix(1);
      return read_value(weekday_field, text, schedule.last_of_weekday_);
    }
    return read_list(weekday_field, text, 0, schedule.weekdays_);
  }
};

std::expected<CronSchedule, std::string> CronSchedule::parse(std::string_view text) {
  const std::vector<std::string> fields = split_fields(text);
  if (fields.size() < 6 || fields.size() > 7) {
    return std::unexpected(
        fmt::format("'{}' is not a cron rule: it has {} fields instead of second, minute, hour, "
                    "day of month, month, day of week and perhaps year",
                    text, fields.size()));
  }
  CronSchedule schedule;
  Parser parser{schedule};
  Failure failure = read_list(second_field, fields[0], 0, schedule.seconds_);
  if (!failure) failure = read_list(minute_field, fields[1], 0, schedule.minutes_);
  if (!failure) failure = read_list(hour_field, fields[2], 0, schedule.hours_);
  if (!failure) failure = parser.day_of_month(fields[3]);
  if (!failure) failure = read_list(month_field, fields[4], 0, schedule.months_);
  if (!failure) failure = parser.day_of_week(fields[5]);
  if (fields.size() == 6) {
    schedule.years_.set();
  } else if (!failure) {
    failure = read_list(year_field, fields[6], first_year, schedule.years_);
  }
  if (failure) return std::unexpected(fmt::format("'{}' is not a cron rule: {}", text, *failure));
  schedule.hours_by_step_ = fields[2].find_first_of("*/") != std::string::npos;
  return schedule;
}

bool CronSchedule::matches_day(int year, int month, int day) const {
  const int last = days_in_month(year, month);
  const std::int64_t days = days_from_civil(year, month, day);
  const int weekday = weekday_of(days) + 1;
  bool day_fits = any_day_ || days_.test(static_cast<std::size_t>(day));
  if (last_day_) day_fits = day == last - days_before_last_;
  if (last_weekday_of_month_ || nearest_weekday_to_ > 0) {
    // The working day nearest to the wanted one, without leaving the month.
    const int wanted = last_weekday_of_month_ ? last : nearest_weekday_to_;
    if (wanted > last) return false;
    int nearest = wanted;
    const int wanted_weekday = weekday_of(days_from_civil(year, month, wanted));
    if (wanted_weekday == 6) nearest += wanted > 1 ? -1 : 2;
    if (wanted_weekday == 0) nearest += wanted < last ? 1 : -2;
    day_fits = day == nearest;
  }
  bool weekday_fits = any_weekday_ || weekdays_.test(static_cast<std::size_t>(weekday));
  if (nth_ > 0) weekday_fits = weekday == nth_of_weekday_ && (day - 1) / 7 + 1 == nth_;
  if (last_of_weekday_ > 0) weekday_fits = weekday == last_of_weekday_ && day + 7 > last;
  return day_fits && weekday_fits;
}

namespace {

// The first set bit at `from` or behind it, or -1.
template <std::size_t Size>
int next_bit(const std::bitset<Size>& bits, int from) {
  for (auto i = static_cast<std::size_t>(from); i < Size; ++i) {
    if (bits.test(i)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

// The first local time past `after_s` that fits the rule, as seconds since 1970-01-01 00:00 on
// the local clock.
std::optional<std::int64_t> CronSchedule::next_local(std::int64_t after_s) const {
  const std::int64_t start = std::max<std::int64_t>(after_s + 1, 0);
  std::int64_t day = start / day_s;
  int rest = static_cast<int>(start % day_s);
  const std::int64_t end = days_from_civil(last_year + 1, 1, 1);
  while (day < end) {
    const CivilDate date = civil_from_days(day);
    if (!years_.test(static_cast<std::size_t>(date.year - first_year))) {
      day = days_from_civil(date.year + 1, 1, 1);
      rest = 0;
      continue;
    }
    if (!months_.test(static_cast<std::size_t>(date.month))) {
      day += days_in_month(date.year, date.month) - date.day + 1;
      rest = 0;
      continue;
    }
    int hour = rest / 3600, minute = rest / 60 % 60, second = rest % 60;
    while (matches_day(date.year, date.month, date.day) && hour < 24) {
      const int found_hour = next_bit(hours_, hour);
      if (found_hour < 0) break;
      if (found_hour > hour) minute = second = 0;
      hour = found_hour;
      int found_second = next_bit(seconds_, second);
      if (found_second < 0 || !minutes_.test(static_cast<std::size_t>(minute))) {
        minute += !minutes_.test(static_cast<std::size_t>(minute)) ? 0 : 1;
        found_second = next_bit(seconds_, 0);
        const int found_minute = minute < 60 ? next_bit(minutes_, minute) : -1;
        if (found_minute < 0) {
          ++hour;
          minute = second = 0;
          continue;
        }
        minute = found_minute;
      }
      return day * day_s + hour * 3600 + minute * 60 + found_second;
    }
    ++day;
    rest = 0;
  }
  return std::nullopt;
}

std::optional<std::int64_t> CronSchedule::next_after(std::int64_t after_ms,
                                                     const std::string& zone) const {
  const std::shared_ptr<const TimeZone> time_zone = TimeZone::find(zone);
  const auto& segments = time_zone->segments();
  const std::int64_t after_s = after_ms / 1000 - (after_ms % 1000 < 0 ? 1 : 0);
  for (std::size_t at = time_zone->segment_at(after_s); at < segments.size(); ++at) {
    const TimeZone::Segment& segment = segments[at];
    std::int64_t from = after_s + segment.offset_s;
    if (segment.start_s > after_s) from = segment.start_s - 1 + segment.offset_s;
    const bool clock_went_back = at > 0 && segments[at - 1].offset_s > segment.offset_s;
    if (clock_went_back && !hours_by_step_) {
      from = std::max(from, segment.start_s + segments[at - 1].offset_s - 1);
    }
    const std::optional<std::int64_t> local = next_local(from);
    if (!local) return std::nullopt;
    const bool last = at + 1 == segments.size();
    if (last || *local - segment.offset_s < segments[at + 1].start_s) {
      return (*local - segment.offset_s) * 1000;
    }
    const bool skipped = *local < segments[at + 1].start_s + segments[at + 1].offset_s;
    if (skipped && !hours_by_step_) return segments[at + 1].start_s * 1000;
  }
  return std::nullopt;
}

}  // namespace weir
