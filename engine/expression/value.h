#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/api/property.h"
#include "engine/text/date_pattern.h"

namespace weir::expression {

using Type = ExpressionResult;

// What a part of an expression gives. Small, passed by value. A text is borrowed: from an
// attribute, from the compiled expression, or from the Evaluation's memory, and lives as long as
// the evaluation.
class Value {
 public:
  enum class Kind : std::uint8_t { null, text, whole, decimal, boolean, date, instant };

  Value() {}
  static Value of_text(std::string_view text) {
    Value value(Kind::text);
    value.text_ = text;
    return value;
  }
  static Value of_whole(std::int64_t whole) {
    Value value(Kind::whole);
    value.whole_ = whole;
    return value;
  }
  static Value of_decimal(double decimal) {
    Value value(Kind::decimal);
    value.decimal_ = decimal;
    return value;
  }
  static Value of_boolean(bool boolean) {
    Value value(Kind::boolean);
    value.boolean_ = boolean;
    return value;
  }
  static Value of_date(std::int64_t epoch_ms) {
    Value value(Kind::date);
    value.whole_ = epoch_ms;
    return value;
  }
  static Value of_instant(const text::Instant& instant) {
    Value value(Kind::instant);
    value.instant_ = instant;
    return value;
  }

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  std::string_view text() const { return text_; }
  std::int64_t whole() const { return whole_; }
  double decimal() const { return decimal_; }
  bool boolean() const { return boolean_; }
  std::int64_t date_ms() const { return whole_; }
  const text::Instant& instant() const { return instant_; }

  // Java's toString of the value; nothing for null.
  void append_to(std::string& out) const;

 private:
  explicit Value(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::null;
  union {
    std::int64_t whole_ = 0;
    double decimal_;
    bool boolean_;
    std::string_view text_;
    text::Instant instant_;
  };
};

}  // namespace weir::expression
