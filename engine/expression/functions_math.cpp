#include <array>
#include <cmath>
#include <variant>
#include <vector>

#include "engine/expression/functions.h"
#include "engine/text/java_number.h"

// Functions on numbers.
namespace weir::expression {
namespace {

using Kind = Value::Kind;

enum class Operation : std::uint8_t { plus, minus, multiply, divide, mod };

double as_decimal(const Value& value) {
  return value.kind() == Kind::whole ? static_cast<double>(value.whole()) : value.decimal();
}

// Java's: 64 bits that wrap.
Value of_wholes(const Call& call, Operation operation, std::int64_t a, std::int64_t b) {
  const auto left = static_cast<std::uint64_t>(a);
  const auto right = static_cast<std::uint64_t>(b);
  switch (operation) {
    case Operation::plus:
      return Value::of_whole(static_cast<std::int64_t>(left + right));
    case Operation::minus:
      return Value::of_whole(static_cast<std::int64_t>(left - right));
    case Operation::multiply:
      return Value::of_whole(static_cast<std::int64_t>(left * right));
    case Operation::divide:
      if (b == 0) call.fail("division by zero");
      if (b == -1) return Value::of_whole(static_cast<std::int64_t>(0 - left));
      return Value::of_whole(a / b);
    case Operation::mod:
      if (b == 0) call.fail("division by zero");
      return Value::of_whole(b == -1 ? 0 : a % b);
  }
  return {};
}

Value of_decimals(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::plus:
      return Value::of_decimal(a + b);
    case Operation::minus:
      return Value::of_decimal(a - b);
    case Operation::multiply:
      return Value::of_decimal(a * b);
    case Operation::divide:
      return Value::of_decimal(a / b);
    case Operation::mod:
      return Value::of_decimal(std::fmod(a, b));
  }
  return {};
}

template <Operation Do>
Value calculate(const Call& call, Evaluation& evaluation) {
  const Value a = call.subject_value(evaluation);
  if (a.is_null()) return {};
  const Value b = call.argument_value(0, evaluation);
  if (b.is_null()) return {};
  if (a.kind() == Kind::whole && b.kind() == Kind::whole) {
    return of_wholes(call, Do, a.whole(), b.whole());
  }
  return of_decimals(Do, as_decimal(a), as_decimal(b));
}

Value to_radix(const Call& call, Evaluation& evaluation) {
  const Value subject = call.subject_value(evaluation);
  if (subject.is_null()) return {};
  const auto radix = call.argument_whole(0, evaluation);
  if (!radix) return {};
  const int narrowed = static_cast<int>(*radix);
  if (call.argument_count() == 1) {
    return evaluation.text(text::to_radix(subject.whole(), narrowed));
  }
  const auto width = static_cast<std::int32_t>(call.argument_whole(1, evaluation).value_or(0));
  if (width > 0 && static_cast<std::size_t>(width) > Scratch::text_limit_bytes) {
    call.fail("the result grows past 64 MB");
  }
  return evaluation.text(text::to_radix(subject.whole(), narrowed, width));
}

Value from_radix(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  const auto radix = call.argument_whole(0, evaluation);
  if (!radix) return {};
  const auto whole = text::from_radix(*subject, static_cast<int>(*radix));
  if (!whole) call.fail(whole.error().message);
  return Value::of_whole(*whole);
}

text::Number number_of(const Value& value) {
  if (value.kind() == Kind::whole) return value.whole();
  return value.decimal();
}

Value math(const Call& call, Evaluation& evaluation) {
  std::vector<text::Number> arguments;
  if (call.subject()) {
    const Value subject = call.subject_value(evaluation);
    if (subject.is_null()) return {};
    arguments.push_back(number_of(subject));
  }
  const auto name = call.argument_text(0, evaluation);
  if (!name) return {};
  if (call.argument_count() > 1) {
    const Value second = call.argument_value(1, evaluation);
    if (second.is_null()) return {};
    arguments.push_back(number_of(second));
  }
  const double uniform =
      static_cast<double>(evaluation.environment().random.next() >> 11) * 0x1.0p-53;
  const auto result = text::math(*name, arguments, uniform);
  if (!result) call.fail(result.error());
  if (const auto* whole = std::get_if<std::int64_t>(&*result)) return Value::of_whole(*whole);
  return Value::of_decimal(std::get<double>(*result));
}

// The conversion of the subject does all the work.
Value subject(const Call& call, Evaluation& evaluation) {
  return call.subject_value(evaluation);
}

Function calculation(std::string_view name, Value (*run)(const Call&, Evaluation&)) {
  return {name, Type::number, run, 1, 1, {As::number}, As::number};
}

const std::array all = {
    calculation("divide", calculate<Operation::divide>),
    Function{"fromRadix", Type::whole_number, from_radix, 1, 1, {As::whole}},
    Function{"math", Type::number, math, 1, 2, {As::text, As::number}, As::number, Place::both},
    calculation("minus", calculate<Operation::minus>),
    calculation("mod", calculate<Operation::mod>),
    calculation("multiply", calculate<Operation::multiply>),
    calculation("plus", calculate<Operation::plus>),
    Function{"toDecimal", Type::decimal, subject, 0, 0, {}, As::decimal},
    Function{"toNumber", Type::whole_number, subject, 0, 0, {}, As::whole},
    Function{"toRadix", Type::string, to_radix, 1, 2, {As::whole, As::whole}, As::whole},
};

}  // namespace

std::span<const Function> math_functions() {
  return all;
}

}  // namespace weir::expression
