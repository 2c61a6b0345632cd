#include "processors/jolt/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "engine/json/write.h"
#include "engine/text/java_number.h"

namespace weir::jolt {
namespace {

template <typename T>
std::optional<T> parse_whole(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Double.parseDouble without the hexadecimal form.
std::optional<double> parse_decimal(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  if (text == "NaN" || text == "Infinity") {
    number = text == "NaN" ? NAN : HUGE_VAL;
    return negative ? -number : number;
  }
  if (!text.empty() && std::string_view("fFdD").contains(text.back())) text.remove_suffix(1);
  if (text.empty() || std::string_view("+-iInN").contains(text.front())) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    number = std::strtod(std::string(text).c_str(), nullptr);
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return negative ? -number : number;
}

// Of digits that were kept as text: those of `make_long`, or more than 64 bits.
std::optional<std::int64_t> kept_whole(const Value& value) {
  return parse_whole<std::int64_t>(value.as_text());
}

}  // namespace

bool is_integer(const Value& value) {
  return value.kind() == json::Kind::integer && value.as_integer() >= INT32_MIN &&
         value.as_integer() <= INT32_MAX;
}

bool is_long(const Value& value) {
  if (value.kind() == json::Kind::big_integer) return kept_whole(value).has_value();
  return value.kind() == json::Kind::integer && !is_integer(value);
}

Value make_long(std::int64_t value, Arena& arena) {
  if (value < INT32_MIN || value > INT32_MAX) return Value::integer(value);
  const std::string digits = std::to_string(value);
  return Value::number_text(json::Kind::big_integer, arena.copy(digits));
}

std::string java_text(const Value& value) {
  std::string text;
  json::append_java_text(value, text);
  return text;
}

std::optional<std::int32_t> parse_int(std::string_view text) {
  return parse_whole<std::int32_t>(text);
}

std::optional<Value> parse_number(std::string_view text, Arena& arena) {
  if (const auto whole = parse_whole<std::int64_t>(text)) return Value::integer(*whole);
  if (const auto decimal = parse_decimal(text)) return Value::decimal(*decimal, arena);
  return std::nullopt;
}

std::int64_t long_value(const Value& number) {
  if (number.kind() == json::Kind::integer) return number.as_integer();
  if (number.kind() == json::Kind::big_integer) {
    if (const auto whole = kept_whole(number)) return *whole;
  }
  return text::decimal_to_whole(number.as_double());
}

std::int32_t int_value(const Value& number) {
  if (!is_decimal(number)) return static_cast<std::int32_t>(long_value(number));
  const double value = number.as_double();
  if (std::isnan(value)) return 0;
  if (value <= INT32_MIN) return INT32_MIN;
  if (value >= INT32_MAX) return INT32_MAX;
  return static_cast<std::int32_t>(value);
}

void charge(Run& run, const Value& value, int level) {
  if (run.values_left == 0) throw TransformError("the transform writes too many values");
  --run.values_left;
  if (!value.is_container()) return;
  if (level > deepest_level) throw TransformError("the result is nested too deeply");
  if (value.is_array()) {
    for (const Value& item : value.items()) charge(run, item, level + 1);
  } else {
    for (const json::Member& member : value.members()) charge(run, member.value, level + 1);
  }
}

void check_index(std::size_t index) {
  if (index < most_elements) return;
  throw TransformError(fmt::format("no array may grow to index {}", index));
}

}  // namespace weir::jolt
