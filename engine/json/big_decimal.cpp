#include "engine/json/big_decimal.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::json {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<std::int64_t> parse_exponent(std::string_view text) {
  bool is_negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    is_negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || text.size() > 9 || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  std::int64_t exponent = 0;
  for (const char c : text) exponent = exponent * 10 + (c - '0');
  return is_negative ? -exponent : exponent;
}

}  // namespace

std::optional<BigDecimal> BigDecimal::parse(std::string_view text) {
  BigDecimal made;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    made.is_negative_ = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    const auto exponent = parse_exponent(text.substr(e + 1));
    if (!exponent) return std::nullopt;
    made.scale_ = -*exponent;
    text = text.substr(0, e);
  }
  const std::size_t point = text.find('.');
  made.digits_ = text;
  if (point != std::string_view::npos) {
    made.digits_.erase(point, 1);
    made.scale_ += static_cast<std::int64_t>(text.size() - point - 1);
  }
  if (made.digits_.empty() || !std::ranges::all_of(made.digits_, is_digit)) return std::nullopt;
  made.digits_.erase(0, std::min(made.digits_.find_first_not_of('0'), made.digits_.size()));
  if (made.digits_.empty()) made.is_negative_ = false;
  return made;
}

std::strong_ordering BigDecimal::operator<=>(const BigDecimal& other) const {
  const auto sign = [](const BigDecimal& number) {
    return number.digits_.empty() ? 0 : number.is_negative_ ? -1 : 1;
  };
  if (sign(*this) != sign(other)) return sign(*this) <=> sign(other);
  if (digits_.empty()) return std::strong_ordering::equal;
  const auto magnitude = [](const BigDecimal& number) {
    return static_cast<std::int64_t>(number.digits_.size()) - number.scale_;
  };
  std::strong_ordering order = magnitude(*this) <=> magnitude(other);
  if (order == 0) {
    const auto significant = [](const BigDecimal& number) {
      return std::string_view(number.digits_).substr(0, number.digits_.find_last_not_of('0') + 1);
    };
    order = significant(*this) <=> significant(other);
  }
  return is_negative_ ? 0 <=> order : order;
}

std::string BigDecimal::to_string() const {
  const std::string digits = digits_.empty() ? "0" : digits_;
  const std::string sign = is_negative_ ? "-" : "";
  const auto size = static_cast<std::int64_t>(digits.size());
  const std::int64_t adjusted = size - 1 - scale_;
  if (scale_ >= 0 && adjusted >= -6) {
    if (scale_ == 0) return sign + digits;
    if (size > scale_) {
      const auto whole = static_cast<std::size_t>(size - scale_);
      return sign + digits.substr(0, whole) + "." + digits.substr(whole);
    }
    return sign + "0." + std::string(static_cast<std::size_t>(scale_ - size), '0') + digits;
  }
  std::string text = sign + digits.substr(0, 1);
  if (size > 1) text += "." + digits.substr(1);
  if (adjusted != 0) text += fmt::format("E{:+}", adjusted);
  return text;
}

std::int32_t BigDecimal::to_int() const {
  // Past 2^64 the low bits of what follows are still those of the number.
  std::uint32_t value = 0;
  const auto size = static_cast<std::int64_t>(digits_.size());
  const std::int64_t whole = std::min<std::int64_t>(size - scale_, 1'000'000);
  for (std::int64_t i = 0; i < whole; ++i) {
    const char digit = i < size ? digits_[static_cast<std::size_t>(i)] : '0';
    value = value * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  return static_cast<std::int32_t>(is_negative_ ? 0 - value : value);
}

}  // namespace weir::json
