#include "engine/text/java_number.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <unicode/uchar.h>

#include "engine/text/java_case.h"
#include "engine/text/utf16.h"

namespace weir::text {
namespace {

constexpr std::int64_t whole_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t whole_max = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::size_t digits(std::string_view text, std::size_t& at, bool hex) {
  const std::size_t begin = at;
  while (at < text.size() && (hex ? is_hex_digit(text[at]) : is_digit(text[at]))) ++at;
  return at - begin;
}

// At an exponent's letter: the rest must be an optional sign and digits.
bool is_exponent(std::string_view text, std::size_t at) {
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  return digits(text, at, false) > 0 && at == text.size();
}

NumberText as_whole(std::string_view digits_text, bool negative, int base) {
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits_text.data(), digits_text.data() + digits_text.size(), value, base);
  const std::uint64_t limit = static_cast<std::uint64_t>(whole_max) + (negative ? 1 : 0);
  if (error != std::errc() || value > limit) return {.kind = NumberText::Kind::out_of_range};
  const auto whole = static_cast<std::int64_t>(negative ? 0 - value : value);
  return {.kind = NumberText::Kind::whole, .whole = whole};
}

// The mantissa's digits decide between zero and infinity where the exponent does not fit.
double beyond_range(std::string_view body, bool hex) {
  const std::size_t exponent = body.find_first_of(hex ? "pP" : "eE");
  if (exponent != std::string_view::npos && body.substr(exponent + 1).starts_with('-')) return 0;
  const std::size_t first = body.find_first_not_of("0.");
  const std::size_t point = body.find('.');
  const bool below_one = first != std::string_view::npos && point < first;
  return below_one && exponent == std::string_view::npos ? 0
                                                         : std::numeric_limits<double>::infinity();
}

NumberText as_decimal(std::string_view body, bool negative, bool hex) {
  double value = 0;
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  const auto result = std::from_chars(body.data(), body.data() + body.size(), value, format);
  if (result.ec == std::errc::result_out_of_range) value = beyond_range(body, hex);
  return {.kind = NumberText::Kind::decimal, .decimal = negative ? -value : value};
}

NumberText parse_hex(std::string_view body, bool negative) {
  std::size_t at = 0;
  const std::size_t before = digits(body, at, true);
  if (at == body.size()) return before > 0 ? as_whole(body, negative, 16) : NumberText{};
  std::size_t after = 0;
  if (body[at] == '.') after = digits(body, ++at, true);
  const bool complete = before + after > 0 && at < body.size() &&
                        (body[at] == 'p' || body[at] == 'P') && is_exponent(body, at);
  return complete ? as_decimal(body, negative, true) : NumberText{};
}

}  // namespace

void append_double(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::signbit(value)) out += '-';
  value = std::fabs(value);
  if (std::isinf(value)) {
    out += "Infinity";
    return;
  }
  if (value == 0) {
    out += "0.0";
    return;
  }
  char text[40];
  char* end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
  // One digit is always written as two, and then these are the two nearest to the value.
  if (text[1] == 'e') {
    end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific, 1).ptr;
  }
  const char* mark = static_cast<const char*>(std::memchr(text, 'e', end - text));
  int exponent = 0;
  std::from_chars(mark + (mark[1] == '+' ? 2 : 1), end, exponent);
  if (exponent < -3 || exponent >= 7) {
    out.append(text, static_cast<std::size_t>(mark - text)).append("E");
    append_whole(out, exponent);
    return;
  }
  std::string digit_text(1, text[0]);
  digit_text.append(std::string_view(text + 2, static_cast<std::size_t>(mark - text - 2)));
  while (digit_text.size() > 1 && digit_text.back() == '0') digit_text.pop_back();
  if (exponent < 0) {
    out.append("0.").append(-exponent - 1, '0').append(digit_text);
    return;
  }
  const auto whole_digits = static_cast<std::size_t>(exponent) + 1;
  if (digit_text.size() <= whole_digits) digit_text.resize(whole_digits + 1, '0');
  out.append(digit_text, 0, whole_digits).append(".").append(digit_text, whole_digits);
}

std::string double_to_string(double value) {
  std::string out;
  append_double(out, value);
  return out;
}

void append_whole(std::string& out, std::int64_t value) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

NumberText parse_number(std::string_view text) {
  std::string_view body = trim(text);
  const bool negative = body.starts_with('-');
  if (negative || body.starts_with('+')) body.remove_prefix(1);
  if (body.empty()) return {};
  if (body == "NaN") return {NumberText::Kind::decimal, 0, std::nan("")};
  if (body == "Infinity") {
    const double infinity = std::numeric_limits<double>::infinity();
    return {NumberText::Kind::decimal, 0, negative ? -infinity : infinity};
  }
  if (body.size() > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'X')) {
    return parse_hex(body.substr(2), negative);
  }
  std::size_t at = 0;
  digits(body, at, false);
  if (at == body.size()) return as_whole(body, negative, 10);
  if (body[at] != '.' || digits(body, ++at, false) == 0) return {};
  const bool exponent = at < body.size() && (body[at] == 'e' || body[at] == 'E');
  if (at != body.size() && !(exponent && is_exponent(body, at))) return {};
  return as_decimal(body, negative, false);
}

std::int64_t decimal_to_whole(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return whole_max;
  if (value <= -0x1p63) return whole_min;
  return static_cast<std::int64_t>(value);
}

std::string to_radix(std::int64_t value, int radix) {
  return to_radix(value, radix, 0);
}

std::string to_radix(std::int64_t value, int radix, std::int64_t minimum_width) {
  char text[72];
  const char* end =
      std::to_chars(text, text + sizeof(text), value, radix < 2 || radix > 36 ? 10 : radix).ptr;
  const std::int64_t width = end - text;
  std::string out(minimum_width > width ? static_cast<std::size_t>(minimum_width - width) : 0, '0');
  return out.append(std::string_view(text, static_cast<std::size_t>(width)));
}

std::expected<std::int64_t, Error> from_radix(std::string_view text, int radix) {
  if (radix < 2 || radix > 36) return std::unexpected(Error{0, "the radix is not within 2 to 36"});
  std::size_t at = 0;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) ++at;
  if (at == text.size()) return std::unexpected(Error{at, "there are no digits"});
  std::int64_t value = 0;  // counted downwards, where there is room for one more
  while (at < text.size()) {
    const std::size_t begin = at;
    const auto character = static_cast<UChar32>(next_code_point(text, at));
    const std::int32_t digit = u_digit(character, static_cast<std::int8_t>(radix));
    if (digit < 0) return std::unexpected(Error{begin, "this is no digit of the radix"});
    if (__builtin_mul_overflow(value, radix, &value) ||
        __builtin_sub_overflow(value, digit, &value)) {
      return std::unexpected(Error{0, "the number has more than 64 bits"});
    }
  }
  if (negative) return value;
  if (value == whole_min) return std::unexpected(Error{0, "the number has more than 64 bits"});
  return -value;
}

std::expected<std::int32_t, Error> parse_int(std::string_view text) {
  const auto value = from_radix(text, 10);
  if (!value) return std::unexpected(value.error());
  if (*value < INT32_MIN || *value > INT32_MAX) {
    return std::unexpected(Error{0, "the number has more than 32 bits"});
  }
  return static_cast<std::int32_t>(*value);
}

}  // namespace weir::text
