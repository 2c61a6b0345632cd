#include <array>
#include <cmath>

#include "engine/expression/functions.h"
#include "engine/text/java_case.h"

// Functions that ask about values or combine Booleans.
namespace weir::expression {
namespace {

using Kind = Value::Kind;

Value is_null(const Call& call, Evaluation& evaluation) {
  return Value::of_boolean(call.subject_value(evaluation).is_null());
}

Value not_null(const Call& call, Evaluation& evaluation) {
  return Value::of_boolean(!call.subject_value(evaluation).is_null());
}

Value is_empty(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  return Value::of_boolean(!subject || text::is_blank(*subject));
}

// Double.equals: NaN equals itself, 0.0 is not -0.0.
bool same_decimal(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

bool same_value(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::null:
      return false;
    case Kind::text:
      return a.text() == b.text();
    case Kind::whole:
    case Kind::date:
      return a.whole() == b.whole();
    case Kind::decimal:
      return same_decimal(a.decimal(), b.decimal());
    case Kind::boolean:
      return a.boolean() == b.boolean();
    case Kind::instant:
      return a.instant() == b.instant();
  }
  return false;
}

// Dates as milliseconds, all else as it prints.
std::string_view comparable(const Value& value, Evaluation& evaluation) {
  return evaluation.text_of(value.kind() == Kind::date ? Value::of_whole(value.date_ms()) : value);
}

Value equals(const Call& call, Evaluation& evaluation) {
  const Value subject = call.subject_value(evaluation);
  if (subject.is_null()) return Value::of_boolean(false);
  const Value other = call.argument_value(0, evaluation);
  if (other.is_null()) return Value::of_boolean(false);
  if (call.subject()->type() == call.argument(0).type()) {
    return Value::of_boolean(same_value(subject, other));
  }
  const std::string_view text = comparable(subject, evaluation);
  return Value::of_boolean(text == comparable(other, evaluation));
}

// Negative, zero or positive; as whole numbers where both are.
int compare_numbers(const Value& a, const Value& b, bool& unordered) {
  if (a.kind() == Kind::whole && b.kind() == Kind::whole) {
    return a.whole() < b.whole() ? -1 : a.whole() > b.whole();
  }
  const auto decimal = [](const Value& value) {
    return value.kind() == Kind::whole ? static_cast<double>(value.whole()) : value.decimal();
  };
  const double left = decimal(a);
  const double right = decimal(b);
  unordered = std::isnan(left) || std::isnan(right);
  return left < right ? -1 : left > right;
}

template <bool Less, bool Equal, bool Greater>
Value compare(const Call& call, Evaluation& evaluation) {
  const Value subject = call.subject_value(evaluation);
  if (subject.is_null()) return Value::of_boolean(false);
  const Value other = call.argument_value(0, evaluation);
  if (other.is_null()) return Value::of_boolean(false);
  bool unordered = false;
  const int order = compare_numbers(subject, other, unordered);
  if (unordered) return Value::of_boolean(false);
  return Value::of_boolean(order < 0 ? Less : order == 0 ? Equal : Greater);
}

// Without a value in front the argument decides; without an argument there is no value.
template <bool Decides>
Value combine(const Call& call, Evaluation& evaluation) {
  const Value subject = call.subject_value(evaluation);
  if (!subject.is_null() && subject.boolean() == Decides) return subject;
  return call.argument_value(0, evaluation);
}

Value negate(const Call& call, Evaluation& evaluation) {
  const Value subject = call.subject_value(evaluation);
  if (subject.is_null()) call.fail("there is no value to negate");
  return Value::of_boolean(!subject.boolean());
}

Value if_else(const Call& call, Evaluation& evaluation) {
  const Value subject = call.subject_value(evaluation);
  return call.argument_value(!subject.is_null() && subject.boolean() ? 0 : 1, evaluation);
}

Function comparison(std::string_view name, Value (*run)(const Call&, Evaluation&)) {
  return {name, Type::boolean, run, 1, 1, {As::number}, As::number};
}

const std::array all = {
    Function{"and", Type::boolean, combine<false>, 1, 1, {As::boolean}, As::boolean},
    Function{"equals", Type::boolean, equals, 1, 1, {As::any}, As::any},
    comparison("ge", compare<false, true, true>),
    comparison("gt", compare<false, false, true>),
    Function{"ifElse", Type::string, if_else, 2, 2, {}, As::boolean},
    Function{"isEmpty", Type::boolean, is_empty},
    Function{"isNull", Type::boolean, is_null},
    comparison("le", compare<true, true, false>),
    comparison("lt", compare<true, false, false>),
    Function{"not", Type::boolean, negate, 0, 0, {}, As::boolean},
    Function{"notNull", Type::boolean, not_null},
    Function{"or", Type::boolean, combine<true>, 1, 1, {As::boolean}, As::boolean},
};

}  // namespace

std::span<const Function> boolean_functions() {
  return all;
}

}  // namespace weir::expression
