#include <fmt/format.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <charconv>

#include "engine/text/compiled_pattern.h"
#include "engine/text/utf16.h"
#include "engine/text/zone_names.h"

namespace weir::text {
namespace {

using Kind = Element::Kind;
using Part = OffsetForm::Part;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Where an element ended, or where it did not match.
struct Outcome {
  bool matched;
  std::size_t at;
};
Outcome matched(std::size_t at) {
  return {true, at};
}
Outcome failed(std::size_t at) {
  return {false, at};
}

struct Reader {
  const CompiledPattern& pattern;
  std::string_view text;
  const ParseMode mode;
  ParsedFields fields = {};

  Outcome elements(std::size_t begin, std::size_t end, std::size_t at);
  Outcome element(const Element& element, std::size_t at);
  Outcome padded(const Element& padding, const Element& element, std::size_t at);
  Outcome literal(std::string_view expected, std::size_t at) const;
  Outcome number(const Element& element, std::size_t at);
  Outcome fraction(const Element& element, std::size_t at);
  Outcome name(const Element& element, std::size_t at);
  Outcome offset(const Element& element, std::size_t at);
  Outcome localized_offset(bool full, std::size_t at);
  Outcome zone(const Element& element, std::size_t at);
  Outcome zone_offset(std::size_t begin, std::size_t at);

  // Two different values for one field do not match.
  Outcome set(Field field, std::int64_t value, std::size_t begin, std::size_t end) {
    if (fields.has(field) && fields.get(field) != value) return failed(begin);
    fields.set(field, value);
    return matched(end);
  }
  bool starts_with(std::size_t at, std::string_view expected) const {
    return literal(expected, at).matched;
  }
};

bool same_character(char32_t a, char32_t b, const ParseMode& mode) {
  if (a == b) return true;
  const auto x = static_cast<UChar32>(a);
  const auto y = static_cast<UChar32>(b);
  if (mode.ignore_case && (u_toupper(x) == u_toupper(y) || u_tolower(x) == u_tolower(y))) {
    return true;
  }
  return mode.lenient && u_charType(x) == U_SPACE_SEPARATOR && u_charType(y) == U_SPACE_SEPARATOR;
}

Outcome Reader::literal(std::string_view expected, std::size_t at) const {
  if (text.substr(at).starts_with(expected)) return matched(at + expected.size());
  if (!mode.lenient && !mode.ignore_case) return failed(at);
  std::size_t end = at;
  for (std::size_t i = 0; i < expected.size();) {
    if (end == text.size()) return failed(at);
    const char32_t want = next_code_point(expected, i);
    if (!same_character(want, next_code_point(text, end), mode)) return failed(at);
  }
  return matched(end);
}

// Digits from `at` to `end`, which fit 64 bits or not.
std::optional<std::int64_t> digits_value(std::string_view text, std::size_t at, std::size_t end) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data() + at, text.data() + end, value);
  if (result.ec != std::errc() || value > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

Outcome Reader::number(const Element& element, std::size_t at) {
  const std::size_t begin = at;
  if (at == text.size()) return failed(at);
  const bool two_digit_year = element.kind == Kind::two_digit_year;
  const bool own_width =
      element.minimum_width == element.maximum_width && element.sign == SignStyle::not_negative;
  const bool fixed = element.subsequent_width == Element::fixed_width ||
                     (element.subsequent_width > 0 && own_width);
  const bool exact = !mode.lenient || (fixed && !two_digit_year);
  const bool positive = text[at] == '+';
  const bool negative = text[at] == '-';
  if (positive || negative) {
    const bool allowed = element.sign == SignStyle::exceeds_pad ||
                         (element.sign == SignStyle::normal && (negative || mode.lenient)) ||
                         (element.sign == SignStyle::not_negative && mode.lenient &&
                          element.minimum_width != element.maximum_width);
    if (!allowed) return failed(at);
    ++at;
  }
  const auto minimum = static_cast<std::size_t>(exact ? element.minimum_width : 1);
  const auto later = static_cast<std::size_t>(std::max<int>(element.subsequent_width, 0));
  std::size_t maximum = static_cast<std::size_t>(exact ? element.maximum_width : 9) + later;
  std::size_t end = at;
  while (end < text.size() && end - at < maximum && is_digit(text[end])) ++end;
  if (end - at < minimum) return failed(begin);
  // The digits that the numbers behind need are theirs.
  if (later > 0) end = at + std::max(minimum, end - at > later ? end - at - later : 0);
  const auto parsed = digits_value(text, at, end);
  if (!parsed) return failed(begin);
  std::int64_t value = *parsed;
  const std::size_t width = end - at;
  if (negative) {
    if (value == 0 && !mode.lenient) return failed(begin);
    value = -value;
  } else if (element.sign == SignStyle::exceeds_pad && !mode.lenient) {
    // The sign stands exactly where the width is exceeded.
    if (positive != (width > static_cast<std::size_t>(element.minimum_width))) return failed(begin);
  }
  if (two_digit_year && width == 2 && value >= 0) value += 2000;
  return set(element.field, value, at, end);
}

Outcome Reader::fraction(const Element& element, std::size_t at) {
  const auto minimum = static_cast<std::size_t>(mode.lenient ? 0 : element.minimum_width);
  const auto maximum = static_cast<std::size_t>(mode.lenient ? 9 : element.maximum_width);
  if (at == text.size()) return minimum > 0 ? failed(at) : matched(at);
  std::size_t end = at;
  std::int64_t value = 0;
  for (; end < text.size() && end - at < maximum && is_digit(text[end]); ++end) {
    value = value * 10 + (text[end] - '0');
  }
  if (end - at < minimum) return failed(at);
  for (std::size_t digits = end - at; digits < 9; ++digits) value *= 10;
  return set(element.field, value, at, end);
}

Outcome Reader::name(const Element& element, std::size_t at) {
  const std::int64_t least = bounds_of(element.field).least;
  std::size_t best_end = at;
  std::int64_t best = 0;
  const auto look = [&](TextStyle style) {
    const auto names = names_of(element.field, style);
    // From the last: of two values with the same narrow name Java means the later one.
    for (std::size_t i = names.size(); i-- > 0;) {
      const Outcome outcome = literal(names[i], at);
      if (!outcome.matched || outcome.at <= best_end) continue;
      best_end = outcome.at;
      best = least + static_cast<std::int64_t>(i);
    }
  };
  if (mode.lenient) {
    for (const TextStyle style : {TextStyle::full, TextStyle::brief, TextStyle::narrow})
      look(style);
  } else {
    look(element.style);
  }
  if (best_end > at) return set(element.field, best, at, best_end);
  if (!mode.lenient) return failed(at);
  const Element plain{
      .kind = Kind::number, .field = element.field, .minimum_width = 1, .maximum_width = 19};
  return number(plain, at);
}

// Two digits below 60, behind a colon where one is asked for.
bool two_digits(std::string_view text, bool colon, std::size_t& at, int& value) {
  const std::size_t digits = at + (colon ? 1 : 0);
  if (colon && (at >= text.size() || text[at] != ':')) return false;
  if (text.size() < digits + 2 || !is_digit(text[digits]) || !is_digit(text[digits + 1])) {
    return false;
  }
  const int number = (text[digits] - '0') * 10 + (text[digits + 1] - '0');
  if (number > 59) return false;
  value = number;
  at = digits + 2;
  return true;
}

Outcome Reader::offset(const Element& element, std::size_t at) {
  if (at == text.size()) return failed(at);
  if (const Outcome zero = literal(element.text, at); zero.matched) {
    return set(Field::offset_s, 0, at, zero.at);
  }
  if (text[at] != '+' && text[at] != '-') return failed(at);
  OffsetForm form = element.offset_form;
  if (mode.lenient) form.minutes = form.seconds = Part::optional;
  std::size_t end = at + 1;
  int hours = 0;
  int minutes = 0;
  int seconds = 0;
  if (!two_digits(text, false, end, hours)) return failed(at);
  const bool has_minutes =
      form.minutes != Part::never && two_digits(text, form.colon, end, minutes);
  if (!has_minutes && form.minutes == Part::always) return failed(at);
  if (has_minutes && form.seconds != Part::never) two_digits(text, form.colon, end, seconds);
  if (hours > 23) return failed(at);
  const std::int64_t size = hours * 3600 + minutes * 60 + seconds;
  return set(Field::offset_s, text[at] == '-' ? -size : size, at, end);
}

Outcome Reader::localized_offset(bool full, std::size_t at) {
  const Outcome prefix = literal("GMT", at);
  if (!prefix.matched) return failed(at);
  std::size_t end = prefix.at;
  if (end == text.size() || (text[end] != '+' && text[end] != '-')) {
    return set(Field::offset_s, 0, at, end);
  }
  const bool negative = text[end++] == '-';
  int hours = 0;
  int minutes = 0;
  int seconds = 0;
  if (full) {
    if (!two_digits(text, false, end, hours)) return failed(at);
    if (!two_digits(text, true, end, minutes)) return failed(end);
    two_digits(text, true, end, seconds);
  } else {
    if (end == text.size() || !is_digit(text[end])) return failed(at);
    hours = text[end++] - '0';
    if (end < text.size() && is_digit(text[end])) hours = hours * 10 + (text[end++] - '0');
    if (two_digits(text, true, end, minutes)) two_digits(text, true, end, seconds);
  }
  const std::int64_t size = hours * 3600 + minutes * 60 + seconds;
  return set(Field::offset_s, negative ? -size : size, at, end);
}

// An offset, behind a prefix such as UTC or alone.
Outcome Reader::zone_offset(std::size_t begin, std::size_t at) {
  std::string prefix(text.substr(begin, at - begin));
  for (char& c : prefix) c = static_cast<char>(c & ~0x20);
  const auto take = [&](const std::string& id, std::size_t end) {
    auto found = Zone::find(id);
    if (!found) return failed(begin);
    fields.zone = std::move(*found);
    return matched(end);
  };
  if (at == text.size() || (text[at] != '+' && text[at] != '-')) {
    return prefix.empty() ? failed(begin) : take(prefix, at);
  }
  Reader inner{pattern, text, mode};
  const Element form{
      .kind = Kind::offset,
      .offset_form = {.colon = true, .minutes = Part::always, .seconds = Part::optional},
      .text = "Z"};
  const Outcome outcome = inner.offset(form, at);
  if (!outcome.matched) return prefix.empty() ? failed(begin) : take(prefix, at);
  const auto seconds = static_cast<std::int32_t>(inner.fields.get(Field::offset_s));
  return take(seconds == 0 && !prefix.empty() ? prefix : prefix + offset_id(seconds), outcome.at);
}

Outcome Reader::zone(const Element& element, std::size_t at) {
  if (at == text.size()) return failed(at);
  if (text[at] == '+' || text[at] == '-') return zone_offset(at, at);
  if (starts_with(at, "UTC")) {
    // Longer names that begin so are regions.
    if (at + 3 == text.size() || text[at + 3] == '+' || text[at + 3] == '-') {
      return zone_offset(at, at + 3);
    }
  } else if (starts_with(at, "UT")) {
    return zone_offset(at, at + 2);
  } else if (starts_with(at, "GMT") && !starts_with(at, "GMT0")) {
    return zone_offset(at, at + 3);
  }
  const auto match =
      element.kind == Kind::zone_id
          ? match_zone_id(text, at, mode.ignore_case)
          : match_zone_name(text, at, element.style == TextStyle::full, mode.ignore_case);
  std::string id = match ? match->zone_id : starts_with(at, "Z") ? "Z" : "";
  auto found = Zone::find(id);
  if (!found) return failed(at);
  fields.zone = std::move(*found);
  if (match) fields.daylight = match->daylight;
  return matched(at + (match ? match->length : 1));
}

Outcome Reader::element(const Element& element, std::size_t at) {
  switch (element.kind) {
    case Kind::literal:
      return literal(element.text, at);
    case Kind::number:
    case Kind::two_digit_year:
      return number(element, at);
    case Kind::fraction:
      return fraction(element, at);
    case Kind::text:
      return name(element, at);
    case Kind::offset:
      return offset(element, at);
    case Kind::localized_offset:
      return localized_offset(element.style == TextStyle::full, at);
    case Kind::zone_text:
    case Kind::zone_id:
      return zone(element, at);
    default:
      return failed(at);  // periods of the day are only written
  }
}

Outcome Reader::padded(const Element& padding, const Element& inner, std::size_t at) {
  if (at == text.size()) return failed(at);
  const std::size_t width = static_cast<std::size_t>(padding.minimum_width);
  if (text.size() - at < width && !mode.lenient) return failed(at);
  const std::size_t end = std::min(text.size(), at + width);
  std::size_t begin = at;
  while (begin < end && text[begin] == ' ') ++begin;
  const std::string_view whole = text;
  text = text.substr(0, end);
  const Outcome outcome = element(inner, begin);
  text = whole;
  if (outcome.matched && outcome.at != end && !mode.lenient) return failed(at);
  return outcome;
}

Outcome Reader::elements(std::size_t begin, std::size_t end, std::size_t at) {
  for (std::size_t i = begin; i < end; ++i) {
    const Element& current = pattern.elements[i];
    if (current.kind == Kind::optional) {
      const ParsedFields before = fields;
      const Outcome outcome = elements(i + 1, current.end, at);
      if (outcome.matched) {
        at = outcome.at;
      } else {
        fields = before;
      }
      i = current.end - 1;
      continue;
    }
    const Outcome outcome = current.kind == Kind::padded
                                ? padded(current, pattern.elements[++i], at)
                                : element(current, at);
    if (!outcome.matched) return outcome;
    at = outcome.at;
  }
  return matched(at);
}

}  // namespace

std::expected<ParsedFields, Error> parse_fields(const CompiledPattern& pattern,
                                                std::string_view text, ParseMode mode) {
  Reader reader{pattern, text, mode};
  const Outcome outcome = reader.elements(0, pattern.elements.size(), 0);
  if (outcome.matched && outcome.at == text.size()) return std::move(reader.fields);
  return std::unexpected(
      Error{outcome.at, outcome.matched
                            ? fmt::format("\"{}\" goes on where the pattern ends", text)
                            : fmt::format("\"{}\" does not match the pattern from here", text)});
}

}  // namespace weir::text
