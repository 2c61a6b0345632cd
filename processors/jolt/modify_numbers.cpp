#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/text/java_number.h"
#include "processors/jolt/modify_functions.h"

// Functions of numbers. Whole numbers wrap around as in Java.
namespace weir::jolt {
namespace {

// A number, or a text that is one.
Result number_of(const Call& call, const Value& value) {
  if (value.is_number()) return value;
  if (value.is_string()) return parse_number(value.as_text(), call.arena);
  return std::nullopt;
}

std::int32_t wrapped(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}
std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

Value make_decimal(const Call& call, double value) {
  return Value::decimal(value, call.arena);
}

Result to_integer(const Call& call, const Value& value) {
  const Result number = number_of(call, value);
  return number ? Result(Value::integer(int_value(*number))) : std::nullopt;
}

Result to_long(const Call& call, const Value& value) {
  const Result number = number_of(call, value);
  return number ? Result(make_long(long_value(*number), call.arena)) : std::nullopt;
}

Result to_double(const Call& call, const Value& value) {
  const Result number = number_of(call, value);
  return number ? Result(make_decimal(call, number->as_double())) : std::nullopt;
}

// Jolt compares the largest Integer, Long and Double, each as a whole number, so that the
// decimals do not count where they meet others.
Result extreme(const Call& call, std::span<const Value> items, bool largest) {
  std::int64_t best_int = largest ? INT32_MIN : INT32_MAX;
  std::int64_t best_long = largest ? INT64_MIN : INT64_MAX;
  double best_double = largest ? -__DBL_MAX__ : __DBL_MAX__;
  const auto pick = [&](auto& best, auto value) {
    best = largest ? std::max(best, value) : std::min(best, value);
  };
  bool found = false;
  for (const Value& item : items) {
    const Result number = number_of(call, item);
    if (!number) continue;
    if (is_integer(*number)) {
      pick(best_int, number->as_integer());
    } else if (is_decimal(*number)) {
      pick(best_double, number->as_double());
    } else if (is_long(*number)) {
      pick(best_long, long_value(*number));
    } else {
      continue;
    }
    found = true;
  }
  if (!found) return std::nullopt;
  const auto wins = [&](std::int64_t a, std::int64_t b) { return largest ? a >= b : a <= b; };
  const std::int64_t whole_double = text::decimal_to_whole(best_double);
  if (wins(best_int, whole_double) && wins(best_int, best_long)) return Value::integer(best_int);
  if (wins(best_long, whole_double)) return make_long(best_long, call.arena);
  return make_decimal(call, best_double);
}

template <bool largest>
Result extreme_function(const Call& call) {
  return over_list(
      call,
      [](const Call& inner, std::span<const Value> items) {
        return extreme(inner, items, largest);
      },
      [](const Call&, const Value& value) -> Result {
        return value.is_number() ? Result(value) : std::nullopt;
      });
}

Result absolute(const Call& call, const Value& value) {
  const Result number = number_of(call, value);
  if (!number) return std::nullopt;
  if (is_decimal(*number)) return make_decimal(call, std::fabs(number->as_double()));
  if (is_integer(*number)) return Value::integer(wrapped(std::abs(number->as_integer())));
  if (!is_long(*number)) return std::nullopt;
  const std::int64_t whole = long_value(*number);
  return make_long(whole < 0 ? wrapped_sum(~whole, 1) : whole, call.arena);
}

Result average(const Call& call, std::span<const Value> items) {
  double sum = 0;
  int count = 0;
  for (const Value& item : items) {
    if (const Result number = number_of(call, item)) {
      sum += number->as_double();
      ++count;
    }
  }
  return count == 0 ? std::nullopt : Result(make_decimal(call, sum / count));
}

Result int_sum(const Call& call, std::span<const Value> items) {
  std::int32_t sum = 0;
  for (const Value& item : items) {
    if (const Result number = number_of(call, item)) {
      sum = wrapped(std::int64_t{sum} + int_value(*number));
    }
  }
  return Value::integer(sum);
}

Result long_sum(const Call& call, std::span<const Value> items) {
  std::int64_t sum = 0;
  for (const Value& item : items) {
    if (const Result number = number_of(call, item)) sum = wrapped_sum(sum, long_value(*number));
  }
  return make_long(sum, call.arena);
}

Result double_sum(const Call& call, std::span<const Value> items) {
  double sum = 0;
  for (const Value& item : items) {
    if (const Result number = number_of(call, item)) sum += number->as_double();
  }
  return make_decimal(call, sum);
}

Result int_subtract(const Call&, std::span<const Value> items) {
  if (items.size() != 2 || !is_integer(items[0]) || !is_integer(items[1])) return std::nullopt;
  return Value::integer(wrapped(items[0].as_integer() - items[1].as_integer()));
}

Result long_subtract(const Call& call, std::span<const Value> items) {
  if (items.size() != 2 || !is_long(items[0]) || !is_long(items[1])) return std::nullopt;
  const std::int64_t subtrahend = long_value(items[1]);
  return make_long(wrapped_sum(wrapped_sum(long_value(items[0]), ~subtrahend), 1), call.arena);
}

Result double_subtract(const Call& call, std::span<const Value> items) {
  if (items.size() != 2 || !is_decimal(items[0]) || !is_decimal(items[1])) return std::nullopt;
  return make_decimal(call, items[0].as_double() - items[1].as_double());
}

std::optional<double> quotient(const Call& call, std::span<const Value> items) {
  if (items.size() != 2) return std::nullopt;
  const Result numerator = number_of(call, items[0]);
  const Result denominator = number_of(call, items[1]);
  if (!numerator || !denominator || denominator->as_double() == 0) return std::nullopt;
  return numerator->as_double() / denominator->as_double();
}

Result divide(const Call& call, std::span<const Value> items) {
  const auto result = quotient(call, items);
  return result ? Result(make_decimal(call, *result)) : std::nullopt;
}

// Half up by the exact decimal expansion of the double, as BigDecimal.setScale rounds.
double rounded(double value, std::int32_t digits) {
  constexpr int longest_fraction = 1074;
  if (!std::isfinite(value) || digits >= longest_fraction) return value;
  std::array<char, 1500> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value),
                    std::chars_format::fixed, longest_fraction);
  if (error != std::errc()) return value;
  std::string text(buffer.data(), end);
  const std::int64_t point = static_cast<std::int64_t>(text.find('.'));
  text.erase(static_cast<std::size_t>(point), 1);
  const std::int64_t kept = point + digits;  // digits that stay
  if (kept < 0) return 0;
  const bool up = text[static_cast<std::size_t>(kept)] >= '5';
  std::fill(text.begin() + kept, text.end(), '0');
  text.insert(0, 1, '0');
  for (std::int64_t at = kept; up && at >= 0; --at) {
    char& digit = text[static_cast<std::size_t>(at)];
    if (digit != '9') {
      ++digit;
      break;
    }
    digit = '0';
  }
  text.insert(static_cast<std::size_t>(point) + 1, 1, '.');
  const double result = std::strtod(text.c_str(), nullptr);
  return value < 0 ? -result : result;
}

Result divide_and_round(const Call& call) {
  const auto parts = driven(call);
  if (!parts || !is_integer(parts->first)) return std::nullopt;
  const auto result = quotient(call, parts->rest);
  if (!result || !std::isfinite(*result)) return std::nullopt;
  const double value = rounded(*result, wrapped(parts->first.as_integer()));
  return make_decimal(call, value == 0 ? 0.0 : value);
}

template <auto single>
Result each(const Call& call) {
  return over_each(call, single);
}

template <auto list>
Result of_list(const Call& call) {
  return over_list(call, list, nullptr);
}

constexpr std::array<std::pair<std::string_view, Function>, 15> functions = {{
    {"toInteger", each<to_integer>},
    {"toLong", each<to_long>},
    {"toDouble", each<to_double>},
    {"min", extreme_function<false>},
    {"max", extreme_function<true>},
    {"abs", each<absolute>},
    {"avg", of_list<average>},
    {"intSum", of_list<int_sum>},
    {"longSum", of_list<long_sum>},
    {"doubleSum", of_list<double_sum>},
    {"intSubtract", of_list<int_subtract>},
    {"longSubtract", of_list<long_subtract>},
    {"doubleSubtract", of_list<double_subtract>},
    {"divide", of_list<divide>},
    {"divideAndRound", divide_and_round},
}};

}  // namespace

Function find_number_function(std::string_view name) {
  for (const auto& [known, function] : functions) {
    if (known == name) return function;
  }
  return nullptr;
}

}  // namespace weir::jolt
