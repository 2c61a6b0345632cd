#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "engine/text/civil.h"
#include "engine/text/compiled_pattern.h"
#include "engine/text/date_pattern.h"
#include "engine/text/java_number.h"

namespace weir::text {
namespace {

using Kind = Element::Kind;
using Part = OffsetForm::Part;
using Done = std::expected<void, Error>;

// One date being written.
struct Writer {
  const CompiledPattern& pattern;
  const Instant& instant;
  const Zone& zone;
  const LocalTime time;
  std::string& out;

  Done elements(std::size_t begin, std::size_t end);
  Done element(const Element& element);
  Done number(const Element& element);
};

void two_digits(std::string& out, int value) {
  out += static_cast<char>('0' + value / 10 % 10);
  out += static_cast<char>('0' + value % 10);
}

void append_padded(std::string& out, std::uint64_t value, std::size_t width) {
  if (width == 2 && value < 100) return two_digits(out, static_cast<int>(value));
  char digits[20];
  const char* end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  const auto count = static_cast<std::size_t>(end - digits);
  if (count < width) out.append(width - count, '0');
  out.append(digits, count);
}

std::uint64_t power_of_ten(int exponent) {
  static constexpr auto powers = [] {
    std::array<std::uint64_t, 20> made{1};
    for (std::size_t i = 1; i < made.size(); ++i) made[i] = made[i - 1] * 10;
    return made;
  }();
  return powers[static_cast<std::size_t>(exponent)];
}

Done Writer::number(const Element& element) {
  const std::int64_t value = field_value(time, element.field);
  const std::uint64_t size =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  if (element.kind == Kind::two_digit_year) {
    append_padded(out, size % 100, 2);
    return {};
  }
  const bool too_wide = element.maximum_width < 19 && size >= power_of_ten(element.maximum_width);
  if (too_wide || (value < 0 && element.sign == SignStyle::not_negative)) {
    return std::unexpected(
        Error{0, fmt::format("the {} {} does not fit into {} digits", name_of(element.field), value,
                             element.maximum_width)});
  }
  if (value < 0) {
    out += '-';
  } else if (element.sign == SignStyle::exceeds_pad && element.minimum_width < 19 &&
             size >= power_of_ten(element.minimum_width)) {
    out += '+';
  }
  append_padded(out, size, static_cast<std::size_t>(element.minimum_width));
  return {};
}

void append_fraction(std::string& out, std::int32_t nano, int digits) {
  append_padded(out, static_cast<std::uint64_t>(nano) / power_of_ten(9 - digits),
                static_cast<std::size_t>(digits));
}

void append_offset(std::string& out, std::int32_t offset_s, const Element& element) {
  const int size = std::abs(offset_s);
  const int minutes = size / 60 % 60;
  const int seconds = size % 60;
  const OffsetForm& form = element.offset_form;
  const bool with_minutes =
      form.minutes == Part::always || (form.minutes == Part::optional && minutes > 0);
  const bool with_seconds = with_minutes && form.seconds == Part::optional && seconds > 0;
  const int shown = size / 3600 + (with_minutes ? minutes : 0) + (with_seconds ? seconds : 0);
  if (shown == 0) {
    out += element.text;
    return;
  }
  out += offset_s < 0 ? '-' : '+';
  two_digits(out, size / 3600);
  if (with_minutes) {
    if (form.colon) out += ':';
    two_digits(out, minutes);
  }
  if (with_seconds) {
    if (form.colon) out += ':';
    two_digits(out, seconds);
  }
}

void append_localized_offset(std::string& out, std::int32_t offset_s, bool full) {
  out += "GMT";
  if (offset_s == 0) return;
  const int size = std::abs(offset_s);
  const int minutes = size / 60 % 60;
  const int seconds = size % 60;
  out += offset_s < 0 ? '-' : '+';
  append_padded(out, static_cast<std::uint64_t>(size / 3600), full ? 2 : 1);
  if (full || minutes != 0 || seconds != 0) {
    out += ':';
    two_digits(out, minutes);
  }
  if (seconds != 0) {
    out += ':';
    two_digits(out, seconds);
  }
}

std::string_view day_period(const LocalTime& time, TextStyle style) {
  if (time.hour % 12 == 0 && time.minute == 0) {
    const bool narrow = style == TextStyle::narrow;
    if (time.hour == 0) return narrow ? "mi" : "midnight";
    return narrow ? "n" : "noon";
  }
  return time.hour < 6    ? "at night"
         : time.hour < 12 ? "in the morning"
         : time.hour < 18 ? "in the afternoon"
         : time.hour < 21 ? "in the evening"
                          : "at night";
}

Done Writer::element(const Element& element) {
  switch (element.kind) {
    case Kind::literal:
      out += element.text;
      break;
    case Kind::number:
    case Kind::two_digit_year:
      return number(element);
    case Kind::fraction:
      append_fraction(out, time.nano, element.minimum_width);
      break;
    case Kind::text: {
      const std::int64_t least = bounds_of(element.field).least;
      const auto index = static_cast<std::size_t>(field_value(time, element.field) - least);
      out += names_of(element.field, element.style)[index];
      break;
    }
    case Kind::offset:
      append_offset(out, time.offset_s, element);
      break;
    case Kind::localized_offset:
      append_localized_offset(out, time.offset_s, element.style == TextStyle::full);
      break;
    case Kind::zone_text:
      out += zone_name(zone, instant.epoch_s, element.style == TextStyle::full, element.generic);
      break;
    case Kind::zone_id:
      out += zone.id();
      break;
    case Kind::day_period:
      out += day_period(time, element.style);
      break;
    case Kind::optional:
    case Kind::padded:
      break;  // not elements by themselves
  }
  return {};
}

Done Writer::elements(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const Element& current = pattern.elements[i];
    // All fields of an instant in a zone are known, so that optional sections are written.
    if (current.kind == Kind::optional) continue;
    if (current.kind != Kind::padded) {
      if (const Done done = element(current); !done) return done;
      continue;
    }
    const std::size_t before = out.size();
    if (const Done done = element(pattern.elements[++i]); !done) return done;
    const std::size_t written = out.size() - before;
    const auto width = static_cast<std::size_t>(current.minimum_width);
    if (written > width) {
      return std::unexpected(Error{
          0, fmt::format("\"{}\" does not fit into {} characters", out.substr(before), width)});
    }
    out.insert(before, width - written, ' ');
  }
  return {};
}

}  // namespace

std::expected<void, Error> DatePattern::format(const Instant& instant, const Zone& zone,
                                               std::string& out) const {
  Writer writer{*compiled_, instant, zone,
                LocalTime::of_instant(instant, zone.offset_at(instant.epoch_s)), out};
  return writer.elements(0, compiled_->elements.size());
}

std::expected<void, Error> DatePattern::format(std::int64_t epoch_ms, const Zone& zone,
                                               std::string& out) const {
  return format(Instant::from_millis(epoch_ms), zone, out);
}

std::string date_text(std::int64_t epoch_ms, const Zone& zone) {
  const Instant instant = Instant::from_millis(epoch_ms);
  const LocalTime time = LocalTime::of_instant(instant, zone.offset_at(instant.epoch_s));
  const Date date = time.days < first_gregorian_day ? julian_date_of_days(time.days)
                                                    : Date{time.year, time.month, time.day};
  const auto day_names = names_of(Field::day_of_week, TextStyle::brief);
  const auto month_names = names_of(Field::month, TextStyle::brief);
  return fmt::format("{} {} {:02} {:02}:{:02}:{:02} {} {}",
                     day_names[static_cast<std::size_t>(day_of_week(time.days) - 1)],
                     month_names[static_cast<std::size_t>(date.month - 1)], date.day, time.hour,
                     time.minute, time.second, zone_name(zone, instant.epoch_s, false, false),
                     date.year > 0 ? date.year : 1 - date.year);
}

std::string instant_text(const Instant& instant) {
  const LocalTime time = LocalTime::of_instant(instant, 0);
  std::string out;
  if (time.year > 9999) out += '+';
  if (time.year < 0) out += '-';
  append_padded(out, static_cast<std::uint64_t>(std::abs(time.year)), 4);
  out += fmt::format("-{:02}-{:02}T{:02}:{:02}:{:02}", time.month, time.day, time.hour, time.minute,
                     time.second);
  if (time.nano != 0) {
    const int digits = time.nano % 1'000'000 == 0 ? 3 : time.nano % 1000 == 0 ? 6 : 9;
    out += '.';
    append_fraction(out, time.nano, digits);
  }
  out += 'Z';
  return out;
}

}  // namespace weir::text
