#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace weir::json {

// A decimal number of any length, exactly as written; Java's BigDecimal as far as filters need it.
class BigDecimal {
 public:
  // An optional sign, digits with an optional point, an optional exponent of at most 9 digits.
  static std::optional<BigDecimal> parse(std::string_view text);

  std::strong_ordering operator<=>(const BigDecimal& other) const;
  bool operator==(const BigDecimal& other) const { return (*this <=> other) == 0; }

  std::string to_string() const;  // as Java's: 1.50, 1.0E+10
  std::int32_t to_int() const;    // as Java's intValue: the fraction cut off, the low 32 bits

 private:
  bool is_negative_ = false;
  std::string digits_;      // without leading zeros; "" is zero
  std::int64_t scale_ = 0;  // digits after the point; negative: zeros that follow
};

}  // namespace weir::json
