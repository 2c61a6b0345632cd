#include "engine/api/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <vector>

namespace weir {
namespace {

__extension__ using Wide = unsigned __int128;

// A number and the unit behind it, as the text has them.
struct Quantity {
  std::uint64_t whole = 0;
  bool whole_overflows = false;
  std::uint64_t fraction = 0;        // numerator
  std::uint64_t fraction_scale = 1;  // denominator, a power of ten
  bool has_fraction = false;
  std::string unit;  // lower case
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

void add_whole_digit(Quantity& quantity, char c) {
  const auto digit = static_cast<std::uint64_t>(c - '0');
  if (quantity.whole > (UINT64_MAX - digit) / 10) {
    quantity.whole_overflows = true;
  } else {
    quantity.whole = quantity.whole * 10 + digit;
  }
}

void add_fraction_digit(Quantity& quantity, char c) {
  // Digits past the 18th cannot be held; they are less than any unit shows.
  if (quantity.fraction_scale >= 1'000'000'000'000'000'000u) return;
  quantity.fraction = quantity.fraction * 10 + static_cast<std::uint64_t>(c - '0');
  quantity.fraction_scale *= 10;
}

// False where there is no number at the beginning, or no single word behind it.
bool split_quantity(std::string_view text, Quantity& quantity) {
  text = trim(text);
  std::size_t at = 0;
  std::size_t digits = 0;
  for (; at < text.size() && is_digit(text[at]); ++at, ++digits) {
    add_whole_digit(quantity, text[at]);
  }
  if (at < text.size() && text[at] == '.') {
    quantity.has_fraction = true;
    for (++at; at < text.size() && is_digit(text[at]); ++at, ++digits) {
      add_fraction_digit(quantity, text[at]);
    }
  }
  if (digits == 0) return false;
  while (at < text.size() && is_space(text[at])) ++at;
  for (; at < text.size(); ++at) {
    const char c = lower(text[at]);
    if (c < 'a' || c > 'z') return false;
    quantity.unit += c;
  }
  return !quantity.unit.empty();
}

// Rounded down; UINT64_MAX and `overflows` where it does not fit.
std::uint64_t times(const Quantity& quantity, std::uint64_t unit, bool& overflows) {
  const Wide whole = static_cast<Wide>(quantity.whole) * unit;
  const Wide fraction = static_cast<Wide>(quantity.fraction) * unit / quantity.fraction_scale;
  const Wide sum = whole + fraction;
  overflows = quantity.whole_overflows || sum > UINT64_MAX;
  return overflows ? UINT64_MAX : static_cast<std::uint64_t>(sum);
}

struct Unit {
  std::uint64_t size;
  std::vector<std::string_view> names;
};

const std::vector<Unit>& duration_units() {
  static const std::vector<Unit> units = {
      {1, {"ns", "nano", "nanos", "nanosecond", "nanoseconds"}},
      {1'000, {"us", "micro", "micros", "microsecond", "microseconds"}},
      {1'000'000, {"ms", "milli", "millis", "millisecond", "milliseconds"}},
      {1'000'000'000, {"s", "sec", "secs", "second", "seconds"}},
      {60'000'000'000, {"m", "min", "mins", "minute", "minutes"}},
      {3'600'000'000'000, {"h", "hr", "hrs", "hour", "hours"}},
      {86'400'000'000'000, {"d", "day", "days"}},
      {604'800'000'000'000, {"w", "wk", "wks", "week", "weeks"}},
  };
  return units;
}

std::optional<std::uint64_t> unit_size(const std::vector<Unit>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (std::find(unit.names.begin(), unit.names.end(), name) != unit.names.end()) {
      return unit.size;
    }
  }
  return std::nullopt;
}

// At most two places, without trailing zeros.
std::string short_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::expected<std::chrono::nanoseconds, std::string> parse_duration(std::string_view text) {
  Quantity quantity;
  if (!split_quantity(text, quantity)) {
    return std::unexpected(
        fmt::format("'{}' is not a duration: a number and a unit, as in '10 sec'", text));
  }
  const std::optional<std::uint64_t> unit = unit_size(duration_units(), quantity.unit);
  if (!unit) {
    return std::unexpected(fmt::format(
        "'{}' is not a duration: there is no unit '{}' (ns, micros, ms, sec, min, hour, day, week)",
        text, quantity.unit));
  }
  constexpr std::uint64_t microsecond = 1'000;
  if (*unit == microsecond && quantity.has_fraction) {
    return std::unexpected(
        fmt::format("'{}' is not a duration: microseconds are whole numbers", text));
  }
  bool overflows = false;
  const std::uint64_t nanos = times(quantity, *unit, overflows);
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>(std::min<std::uint64_t>(nanos, INT64_MAX)));
}

std::expected<std::uint64_t, std::string> parse_data_size(std::string_view text) {
  static const std::vector<Unit> units = {{1, {"b"}},
                                          {1ull << 10, {"kb"}},
                                          {1ull << 20, {"mb"}},
                                          {1ull << 30, {"gb"}},
                                          {1ull << 40, {"tb"}}};
  Quantity quantity;
  if (!split_quantity(text, quantity)) {
    return std::unexpected(
        fmt::format("'{}' is not a data size: a number and a unit, as in '10 MB'", text));
  }
  const std::optional<std::uint64_t> unit = unit_size(units, quantity.unit);
  if (!unit) {
    return std::unexpected(fmt::format(
        "'{}' is not a data size: there is no unit '{}' (B, KB, MB, GB, TB)", text, quantity.unit));
  }
  bool overflows = false;
  const std::uint64_t bytes = times(quantity, *unit, overflows);
  if (overflows) return std::unexpected(fmt::format("'{}' is too large a data size", text));
  return bytes;
}

std::expected<bool, std::string> parse_boolean(std::string_view text) {
  std::string word;
  for (const char c : text) word += lower(c);
  if (word == "true") return true;
  if (word == "false") return false;
  return std::unexpected(fmt::format("'{}' is neither true nor false", text));
}

std::expected<std::int64_t, std::string> parse_integer(std::string_view text, std::int64_t least,
                                                       std::int64_t most) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && is_digit(digits[1])) digits.remove_prefix(1);
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::result_out_of_range && stop == end) {
    return std::unexpected(fmt::format("'{}' is too large a number", text));
  }
  if (error != std::errc() || stop != end) {
    return std::unexpected(fmt::format("'{}' is not a whole number", text));
  }
  if (value < least) return std::unexpected(fmt::format("{} is less than {}", value, least));
  if (value > most) return std::unexpected(fmt::format("{} is more than {}", value, most));
  return value;
}

std::string format_data_size(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> names = {"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  // 1023.995 would be shown as 1024, which the next unit says better.
  while (value >= (unit == 0 ? 1024.0 : 1023.995) && unit + 1 < names.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", short_number(value), names[unit]);
}

std::string format_duration(std::chrono::nanoseconds duration) {
  const auto nanos = static_cast<double>(duration.count());
  struct Step {
    double size;
    std::string_view one, many;
  };
  static constexpr std::array<Step, 5> steps = {{{86'400e9, "day", "days"},
                                                 {3'600e9, "hour", "hours"},
                                                 {60e9, "min", "mins"},
                                                 {1e9, "sec", "sec"},
                                                 {1e6, "ms", "ms"}}};
  if (duration.count() == 0) return "0 sec";
  for (const Step& step : steps) {
    // A step takes over where the smaller one would round up to it.
    if (nanos < step.size * 0.999995) continue;
    const std::string number = short_number(nanos / step.size);
    return fmt::format("{} {}", number, number == "1" ? step.one : step.many);
  }
  if (duration.count() >= 10'000) return fmt::format("{} ms", short_number(nanos / 1e6));
  return fmt::format("{} ns", duration.count());
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Hostile names must not cost quadratic time: what is this long is not near anything.
  constexpr std::size_t longest = 512;
  if (a.size() > longest || b.size() > longest) return std::max(a.size(), b.size());
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace weir
