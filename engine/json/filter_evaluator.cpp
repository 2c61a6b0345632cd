#include <algorithm>
#include <cmath>

#include "engine/json/literal.h"
#include "engine/json/path_compiler.h"
#include "engine/json/path_evaluator.h"
#include "engine/json/write.h"
#include "engine/text/java_number.h"
#include "engine/text/utf16.h"

namespace weir::json {
namespace {

using Failure = EvaluationState::Failure;

// One side of a comparison, evaluated.
struct Node {
  enum class Type { undefined, null, boolean, number, string, json, pattern };

  Type type = Type::undefined;
  bool boolean = false;
  std::string_view text = {};        // string
  Value value = {};                  // number of the document, json
  const Operand* literal = nullptr;  // number, json or pattern of the path
  bool is_text_of_json = false;      // json: not parsed, compared as text

  bool is(Type wanted) const { return type == wanted; }
};

Node boolean_node(bool value) {
  return {.type = Node::Type::boolean, .boolean = value};
}

// Where a double says of the number all there is to say.
std::optional<double> short_number(const Node& node) {
  if (node.literal) return node.literal->short_number;
  constexpr std::int64_t most_exact = std::int64_t{1} << 53;
  if (node.value.kind() == Kind::integer) {
    const std::int64_t whole = node.value.as_integer();
    if (whole > most_exact || whole < -most_exact) return std::nullopt;
    return static_cast<double>(whole);
  }
  if (node.value.kind() != Kind::decimal) return std::nullopt;
  const double number = node.value.as_double();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<BigDecimal> exact_number(const Node& node) {
  if (node.literal) return node.literal->number;
  std::string text;
  append_java_text(node.value, text);
  return BigDecimal::parse(text);
}

// As Java orders strings, by UTF-16 units: characters past U+FFFF come before U+E000.
std::strong_ordering compare_text(std::string_view left, std::string_view right) {
  const auto [l, r] = std::ranges::mismatch(left, right);
  if (l == left.end() || r == right.end()) return left.size() <=> right.size();
  const auto a = static_cast<unsigned char>(*l);
  const auto b = static_cast<unsigned char>(*r);
  if (a >= 0xEE && b >= 0xEE && (a >= 0xF0) != (b >= 0xF0)) return b <=> a;
  return a <=> b;
}

class FilterEvaluator {
 public:
  FilterEvaluator(const Value& element, EvaluationState& state)
      : element_(element), state_(state) {}

  bool evaluate(const Expression& expression, bool& holds);

 private:
  bool bad(std::string_view why) { return state_.fail(Failure::bad_filter, why); }

  bool evaluate_operand(const Operand& operand, Node& node);
  bool evaluate_path(const Operand& operand, Node& node);
  bool exists(const Operand& operand, Node& node);
  bool node_of_value(const Value& value, Node& node);
  bool compare(const Expression& expression, bool& holds);
  bool apply(Operator operation, const Node& left, const Node& right, bool& holds);

  bool text_of_number(const Node& node, std::string& text);
  bool equal(const Node& left, const Node& right, bool& holds);
  bool equal_node(const Node& left, const Node& right, bool& holds);
  bool equal_item(const Node& left, const Value& item, bool& holds);
  bool order(const Node& left, const Node& right, std::optional<std::strong_ordering>& order);
  bool matches(const Node& left, const Node& right, bool& holds);
  bool text_to_match(const Node& node, std::string& text);
  bool size(const Node& left, const Node& right, bool& holds);
  bool empty(const Node& left, const Node& right, bool& holds);
  // The items of a list operand; `is_list` false where it is json but no array.
  bool list(const Node& node, std::span<const Value>& items, bool& is_list);
  bool is_in(const Node& node, std::span<const Value> items, bool& holds);
  bool compare_lists(Operator operation, const Node& left, const Node& right, bool& holds);
  bool contains(const Node& left, const Node& right, bool& holds);

  const Value& element_;
  EvaluationState& state_;
};

bool FilterEvaluator::evaluate(const Expression& expression, bool& holds) {
  switch (expression.type) {
    case Expression::Type::relation:
      return compare(expression, holds);
    case Expression::Type::negation:
      if (!evaluate(expression.parts.front(), holds)) return false;
      holds = !holds;
      return true;
    case Expression::Type::all_of:
    case Expression::Type::one_of: {
      const bool decides = expression.type == Expression::Type::one_of;
      for (const Expression& part : expression.parts) {
        if (!evaluate(part, holds)) return false;
        if (holds == decides) return true;
      }
      return true;
    }
  }
  return true;
}

bool FilterEvaluator::compare(const Expression& expression, bool& holds) {
  Node left;
  Node right;
  return evaluate_operand(expression.left, left) && evaluate_operand(expression.right, right) &&
         apply(expression.operation, left, right, holds);
}

bool FilterEvaluator::evaluate_operand(const Operand& operand, Node& node) {
  switch (operand.type) {
    case Operand::Type::null:
      node.type = Node::Type::null;
      return true;
    case Operand::Type::boolean:
      node = boolean_node(operand.boolean);
      return true;
    case Operand::Type::number:
      node = {.type = Node::Type::number, .literal = &operand};
      return true;
    case Operand::Type::string:
      node = {.type = Node::Type::string, .text = operand.text};
      return true;
    case Operand::Type::json:
      node = {.type = Node::Type::json, .literal = &operand, .is_text_of_json = true};
      if (!operand.json) return state_.fail(Failure::invalid, "a malformed literal", operand.text);
      node.value = *operand.json;
      return true;
    case Operand::Type::pattern:
      node = {.type = Node::Type::pattern, .literal = &operand};
      return true;
    case Operand::Type::path:
      return operand.is_exists_check ? exists(operand, node) : evaluate_path(operand, node);
  }
  return true;
}

bool FilterEvaluator::exists(const Operand& operand, Node& node) {
  const Program& program = *operand.path;
  if (program.is_simple) {
    node = boolean_node(PathEvaluator::find_simple(program, element_) != nullptr);
    return state_.step();
  }
  PathEvaluator evaluator(program, state_, {.requires_properties = true});
  const bool is_found = evaluator.run(element_);
  if (!is_found && !state_.was_not_found()) return false;
  node = boolean_node(is_found && (!program.is_definite || evaluator.has_results()));
  return true;
}

bool FilterEvaluator::evaluate_path(const Operand& operand, Node& node) {
  const Program& program = *operand.path;
  Value value;
  if (program.root == '$') {
    const auto known = state_.root_paths.find(&program);
    if (known != state_.root_paths.end()) {
      if (!known->second) return true;  // undefined
      return node_of_value(*known->second, node);
    }
  }
  const Value& document = program.root == '$' ? state_.root : element_;
  if (!PathEvaluator::evaluate(program, document, state_, value)) {
    if (!state_.was_not_found()) return false;
    if (program.root == '$') state_.root_paths.emplace(&program, std::nullopt);
    return true;  // undefined
  }
  if (program.root == '$') state_.root_paths.emplace(&program, value);
  return node_of_value(value, node);
}

bool FilterEvaluator::node_of_value(const Value& value, Node& node) {
  node = Node();
  switch (value.kind()) {
    case Kind::null:
      node.type = Node::Type::null;
      return true;
    case Kind::boolean:
      node = boolean_node(value.as_boolean());
      return true;
    case Kind::integer:
    case Kind::big_integer:
    case Kind::decimal:
      node = {.type = Node::Type::number, .value = value};
      return true;
    case Kind::string:
      node = {.type = Node::Type::string, .text = value.as_text()};
      return true;
    case Kind::array:
    case Kind::object:
      node = {.type = Node::Type::json, .value = value};
      return true;
    case Kind::key_set:
      return state_.fail(Failure::invalid, "keys() cannot be compared");
  }
  return true;
}

bool FilterEvaluator::apply(Operator operation, const Node& left, const Node& right, bool& holds) {
  holds = false;
  std::optional<std::strong_ordering> ordering;
  switch (operation) {
    case Operator::exists:
      if (!left.is(Node::Type::boolean) || !right.is(Node::Type::boolean)) {
        return state_.fail(Failure::invalid, "'exists' needs true or false");
      }
      holds = left.boolean == right.boolean;
      return true;
    case Operator::equal:
      return equal(left, right, holds);
    case Operator::not_equal:
      if (!equal(left, right, holds)) return false;
      holds = !holds;
      return true;
    case Operator::strictly_equal:
    case Operator::not_strictly_equal:
      if (left.type == right.type && !equal(left, right, holds)) return false;
      if (operation == Operator::not_strictly_equal) holds = !holds;
      return true;
    case Operator::less:
    case Operator::less_or_equal:
    case Operator::greater:
    case Operator::greater_or_equal:
      if (!order(left, right, ordering)) return false;
      if (!ordering) return true;
      holds = operation == Operator::less            ? *ordering < 0
              : operation == Operator::less_or_equal ? *ordering <= 0
              : operation == Operator::greater       ? *ordering > 0
                                                     : *ordering >= 0;
      return true;
    case Operator::matches:
      return matches(left, right, holds);
    case Operator::size:
      return size(left, right, holds);
    case Operator::empty:
      return empty(left, right, holds);
    case Operator::contains:
      return contains(left, right, holds);
    case Operator::never:
      return bad("the operator needs what no path can give");
    default:
      return compare_lists(operation, left, right, holds);
  }
}

bool FilterEvaluator::text_of_number(const Node& node, std::string& text) {
  const auto number = exact_number(node);
  if (!number) return state_.fail(Failure::invalid, "not a decimal number");
  text = number->to_string();
  return true;
}

bool FilterEvaluator::equal(const Node& left, const Node& right, bool& holds) {
  if (left.is(Node::Type::json) && right.is(Node::Type::json)) {
    holds = !left.is_text_of_json && left.value.equals(right.value);
    return true;
  }
  return equal_node(left, right, holds);
}

bool FilterEvaluator::equal_node(const Node& left, const Node& right, bool& holds) {
  holds = false;
  switch (left.type) {
    case Node::Type::null:
      holds = right.is(Node::Type::null);
      return true;
    case Node::Type::boolean:
      holds = right.is(Node::Type::boolean) && left.boolean == right.boolean;
      return true;
    case Node::Type::string:
      if (right.is(Node::Type::string)) {
        holds = left.text == right.text;
      } else if (right.is(Node::Type::number)) {
        std::string text;
        if (!text_of_number(right, text)) return false;
        holds = left.text == text;
      }
      return true;
    case Node::Type::number: {
      if (right.is(Node::Type::string)) {
        const auto number = BigDecimal::parse(right.text);
        holds = number && exact_number(left) == number;
        return true;
      }
      if (!right.is(Node::Type::number)) return true;
      std::optional<std::strong_ordering> ordering;
      if (!order(left, right, ordering)) return false;
      holds = ordering && *ordering == 0;
      return true;
    }
    case Node::Type::json:
      holds = right.is(Node::Type::json) && left.is_text_of_json == right.is_text_of_json &&
              (left.is_text_of_json ? left.text == right.text : left.value.equals(right.value));
      return true;
    default:
      return true;
  }
}

bool FilterEvaluator::order(const Node& left, const Node& right,
                            std::optional<std::strong_ordering>& order) {
  const bool left_is_number = left.is(Node::Type::number);
  const bool right_is_number = right.is(Node::Type::number);
  if (!(left_is_number || left.is(Node::Type::string))) return true;
  if (!(right_is_number || right.is(Node::Type::string))) return true;
  if (left_is_number && right_is_number) {
    const auto a = short_number(left);
    const auto b = short_number(right);
    if (a && b) {
      order = *a < *b   ? std::strong_ordering::less
              : *a > *b ? std::strong_ordering::greater
                        : std::strong_ordering::equal;
      return true;
    }
    const auto exact_left = exact_number(left);
    const auto exact_right = exact_number(right);
    if (!exact_left || !exact_right) return state_.fail(Failure::invalid, "not a decimal number");
    order = *exact_left <=> *exact_right;
    return true;
  }
  // A number and a string are compared as texts.
  std::string left_text(left.text);
  std::string right_text(right.text);
  if (left_is_number && !text_of_number(left, left_text)) return false;
  if (right_is_number && !text_of_number(right, right_text)) return false;
  order = compare_text(left_text, right_text);
  return true;
}

bool FilterEvaluator::text_to_match(const Node& node, std::string& text) {
  text.clear();
  if (node.is(Node::Type::string)) text = node.text;
  if (node.is(Node::Type::boolean)) text = node.boolean ? "true" : "false";
  return !node.is(Node::Type::number) || text_of_number(node, text);
}

bool FilterEvaluator::matches(const Node& left, const Node& right, bool& holds) {
  if (left.is(Node::Type::pattern) == right.is(Node::Type::pattern)) return true;
  const bool is_left = left.is(Node::Type::pattern);
  const Pattern& pattern = *(is_left ? left : right).literal->pattern;
  const Node& input = is_left ? right : left;
  std::string text;
  if (!input.is(Node::Type::json) || !input.value.is_array()) {
    if (!text_to_match(input, text)) return false;
    holds = pattern.matches(text);
    return true;
  }
  for (const Value& item : input.value.items()) {
    Node node;
    if (item.is_container()) return state_.fail(Failure::invalid, "a list within a list");
    if (!node_of_value(item, node) || !text_to_match(node, text)) return false;
    holds = pattern.matches(text);
    if (holds) return true;
  }
  return true;
}

bool FilterEvaluator::size(const Node& left, const Node& right, bool& holds) {
  if (!right.is(Node::Type::number)) return true;
  const auto number = exact_number(right);
  if (!number) return state_.fail(Failure::invalid, "not a decimal number");
  const std::int64_t wanted = number->to_int();
  if (left.is(Node::Type::string)) {
    holds = static_cast<std::int64_t>(text::utf16_length(left.text)) == wanted;
  } else if (left.is(Node::Type::json)) {
    const bool is_array = left.value.is_array();
    holds = (is_array ? static_cast<std::int64_t>(left.value.size()) : -1) == wanted;
  }
  return true;
}

bool FilterEvaluator::empty(const Node& left, const Node& right, bool& holds) {
  if (!left.is(Node::Type::string) && !left.is(Node::Type::json)) return true;
  if (!right.is(Node::Type::boolean)) return bad("'empty' needs true or false");
  const bool is_empty = left.is(Node::Type::string) ? left.text.empty() : left.value.size() == 0;
  holds = is_empty == right.boolean;
  return true;
}

bool FilterEvaluator::list(const Node& node, std::span<const Value>& items, bool& is_list) {
  if (!node.is(Node::Type::json)) return bad("the operator needs a list");
  is_list = node.value.is_array();
  if (is_list) items = node.value.items();
  return true;
}

bool FilterEvaluator::is_in(const Node& node, std::span<const Value> items, bool& holds) {
  holds = false;
  for (const Value& item : items) {
    if (!state_.step() || !equal_item(node, item, holds)) return false;
    if (holds) return true;
  }
  return true;
}

// Within lists, strings are looked at once more: quotes around them and backslashes drop out, and
// what reads as a path equals nothing.
bool FilterEvaluator::equal_item(const Node& left, const Value& item, bool& holds) {
  holds = false;
  if (item.is_container()) return state_.fail(Failure::invalid, "a list within a list");
  Node right;
  if (!node_of_value(item, right)) return false;
  std::string unescaped;
  if (right.is(Node::Type::string) && !right.text.empty()) {
    std::string_view text = right.text;
    if ((text[0] == '$' || text[0] == '@') && JsonPath::compile(text)) return true;
    const bool looks_like_json =
        (text[0] == '[' && text.back() == ']') || (text[0] == '{' && text.back() == '}');
    if (looks_like_json && text.size() > 1 && parse_literal(text, state_.arena)) return true;
    if (text.size() > 1 && text[0] == text.back() && (text[0] == '\'' || text[0] == '"')) {
      text = text.substr(1, text.size() - 2);
    }
    if (text.contains('\\')) {
      if (!unescape(text, unescaped)) return state_.fail(Failure::invalid, "a malformed \\u");
      text = unescaped;
    }
    right.text = text;
  }
  return equal_node(left, right, holds);
}

bool FilterEvaluator::contains(const Node& left, const Node& right, bool& holds) {
  if (left.is(Node::Type::string) && right.is(Node::Type::string)) {
    holds = left.text.contains(right.text);
    return true;
  }
  if (!left.is(Node::Type::json) || !left.value.is_array()) return true;
  return is_in(right, left.value.items(), holds);
}

bool FilterEvaluator::compare_lists(Operator operation, const Node& left, const Node& right,
                                    bool& holds) {
  std::span<const Value> right_items;
  bool is_list = false;
  if (!list(right, right_items, is_list)) return false;
  if (operation == Operator::in || operation == Operator::not_in) {
    if (is_list && !is_in(left, right_items, holds)) return false;
    if (operation == Operator::not_in) holds = !holds;
    return true;
  }
  if (!is_list) return true;
  if (operation == Operator::all && !left.is(Node::Type::json)) return true;
  std::span<const Value> left_items;
  if (!list(left, left_items, is_list)) return false;
  holds = operation == Operator::all;
  if (!is_list) return true;
  if (operation == Operator::all) std::swap(left_items, right_items);
  const bool wants_one = operation == Operator::any_of || operation == Operator::none_of;
  holds = !wants_one;
  for (const Value& item : left_items) {
    Node node;
    bool is_found = false;
    if (item.is_container()) return state_.fail(Failure::invalid, "a list within a list");
    if (!node_of_value(item, node) || !is_in(node, right_items, is_found)) return false;
    if (is_found == wants_one) {
      holds = wants_one;
      break;
    }
  }
  if (operation == Operator::none_of) holds = !holds;
  return true;
}

}  // namespace

bool evaluate_filter(const Expression& expression, const Value& element, EvaluationState& state,
                     bool& holds) {
  return FilterEvaluator(element, state).evaluate(expression, holds);
}

}  // namespace weir::json
