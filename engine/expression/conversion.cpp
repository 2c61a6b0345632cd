#include "engine/expression/conversion.h"

#include <fmt/format.h>

#include "engine/api/error.h"
#include "engine/text/java_case.h"
#include "engine/text/java_number.h"

namespace weir::expression {
namespace {

using Kind = Value::Kind;

text::NumberText number_of_text(std::string_view text) {
  const text::NumberText number = text::parse_number(text);
  if (number.kind == text::NumberText::Kind::out_of_range) {
    throw ProcessException(fmt::format("'{}' does not fit 64 bits", text));
  }
  return number;
}

std::int64_t millis_of(const text::Instant& instant) {
  std::int64_t epoch_ms = 0;
  if (!instant.to_millis(epoch_ms)) {
    throw ProcessException("the instant does not fit 64 bits of milliseconds");
  }
  return epoch_ms;
}

Value to_text(const Value& value, Evaluation& evaluation) {
  return Value::of_text(evaluation.text_of(value));
}

// Whole or decimal, whatever the value is.
Value to_number(const Value& value, Evaluation&) {
  switch (value.kind()) {
    case Kind::text: {
      const text::NumberText number = number_of_text(value.text());
      if (number.kind == text::NumberText::Kind::whole) return Value::of_whole(number.whole);
      if (number.kind == text::NumberText::Kind::decimal) return Value::of_decimal(number.decimal);
      return {};
    }
    case Kind::date:
      return Value::of_whole(value.date_ms());
    case Kind::instant:
      return Value::of_whole(millis_of(value.instant()));
    default:
      return value;
  }
}

Value to_whole(const Value& value, Evaluation& evaluation) {
  const Value number = to_number(value, evaluation);
  if (number.kind() != Kind::decimal) return number;
  return Value::of_whole(text::decimal_to_whole(number.decimal()));
}

Value to_decimal(const Value& value, Evaluation& evaluation) {
  const Value number = to_number(value, evaluation);
  if (number.kind() != Kind::whole) return number;
  return Value::of_decimal(static_cast<double>(number.whole()));
}

Value to_boolean(const Value& value, Evaluation&) {
  return Value::of_boolean(text::equals_ignore_case(text::trim(value.text()), "true"));
}

Value to_date(const Value& value, Evaluation& evaluation) {
  switch (value.kind()) {
    case Kind::text: {
      const auto epoch_ms = text::parse_date_text(value.text(), text::Zone::machine());
      if (!epoch_ms) {
        throw ProcessException(
            fmt::format("'{}' is no date: {}", value.text(), epoch_ms.error().message));
      }
      return Value::of_date(*epoch_ms);
    }
    case Kind::whole:
    case Kind::decimal:
      return Value::of_date(to_whole(value, evaluation).whole());
    case Kind::date:
      return value;
    default:
      return {};
  }
}

Value to_instant(const Value& value, Evaluation& evaluation) {
  switch (value.kind()) {
    case Kind::text: {
      const auto instant = text::parse_instant_text(value.text());
      if (!instant) {
        throw ProcessException(
            fmt::format("'{}' is no instant: {}", value.text(), instant.error().message));
      }
      return Value::of_instant(*instant);
    }
    case Kind::whole:
    case Kind::decimal:
      return Value::of_instant(text::Instant::from_millis(to_whole(value, evaluation).whole()));
    case Kind::instant:
      return value;
    default:
      return {};
  }
}

class Conversion final : public Node {
 public:
  using Convert = Value (*)(const Value& value, Evaluation& evaluation);

  Conversion(Type type, NodePtr from, Convert convert)
      : Node(type), from_(std::move(from)), convert_(convert) {
    deepen(*from_);
  }
  Value evaluate(Evaluation& evaluation) const override {
    const Value value = from_->evaluate(evaluation);
    return value.is_null() ? value : convert_(value, evaluation);
  }
  const Node* subject() const override { return from_.get(); }

 private:
  const NodePtr from_;
  const Convert convert_;
};

std::string_view type_name(Type type) {
  switch (type) {
    case Type::string:
      return "a text";
    case Type::boolean:
      return "a Boolean";
    case Type::whole_number:
      return "a whole number";
    case Type::decimal:
      return "a decimal";
    case Type::number:
      return "a number";
    case Type::date:
      return "a date";
    case Type::instant:
      return "an instant";
  }
  return "";
}

using Converted = std::expected<NodePtr, std::string>;

Converted as(Type type, NodePtr node, Conversion::Convert convert) {
  if (node->type() == type) return node;
  return std::make_unique<Conversion>(type, std::move(node), convert);
}

Converted refuse(const Node& node, Type wanted) {
  return std::unexpected(
      fmt::format("{} cannot be used as {}", type_name(node.type()), type_name(wanted)));
}

Converted refuse_join() {
  return std::unexpected("join over several attributes cannot be used so; put it into literal()");
}

}  // namespace

std::expected<NodePtr, std::string> convert(NodePtr node, As wanted) {
  const Type type = node->type();
  const bool joined = node->is_loop_result() && type == Type::string;
  switch (wanted) {
    case As::any:
      return node;
    case As::text:
      return joined ? refuse_join() : as(Type::string, std::move(node), to_text);
    case As::whole:
      if (type == Type::boolean) return refuse(*node, Type::whole_number);
      return as(Type::whole_number, std::move(node), to_whole);
    case As::number:
      if (type == Type::boolean) return refuse(*node, Type::number);
      return as(Type::number, std::move(node), to_number);
    case As::decimal:
      if (type == Type::boolean || type == Type::instant) return refuse(*node, Type::decimal);
      return as(Type::decimal, std::move(node), to_decimal);
    case As::boolean:
      if (joined) return refuse_join();
      if (type != Type::boolean && type != Type::string) return refuse(*node, Type::boolean);
      return as(Type::boolean, std::move(node), to_boolean);
    case As::date:
      if (type == Type::boolean) return refuse(*node, Type::date);
      return as(Type::date, std::move(node), to_date);
    case As::instant:
      if (type == Type::boolean) return refuse(*node, Type::instant);
      return as(Type::instant, std::move(node), to_instant);
    case As::json:
      if (node->is_loop_result()) return refuse_join();
      if (type == Type::date || type == Type::instant) return refuse(*node, Type::string);
      return node;
  }
  return node;
}

}  // namespace weir::expression
