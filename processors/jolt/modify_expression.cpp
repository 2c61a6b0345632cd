#include "processors/jolt/modify_expression.h"

#include <fmt/format.h>

#include "engine/text/java_case.h"

namespace weir::jolt {
namespace {

// The arguments between the parentheses, at the commas that stand in no quotes and parentheses.
std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  bool in_parentheses = false;
  bool in_quotes = false;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\'') in_quotes = !in_quotes;
    if (in_quotes) continue;
    if (text[at] == '(') in_parentheses = true;
    if (text[at] == ')') in_parentheses = false;
    if (text[at] == ',' && !in_parentheses) {
      arguments.push_back(text::trim(text.substr(from, at - from)));
      from = at + 1;
    }
  }
  arguments.push_back(text::trim(text.substr(from)));
  return arguments;
}

}  // namespace

Expression::Expression(const Place& place, const Value& value, Arena& arena) {
  if (value.is_array() && value.size() > 0) {
    for (const Value& choice : value.items()) {
      choices_.push_back(parse_choice(place, choice, arena));
    }
  } else {
    choices_.push_back(parse_choice(place, value, arena));
  }
}

Expression::Choice Expression::parse_choice(const Place& place, const Value& value, Arena& arena) {
  Choice choice;
  if (!value.is_string()) {
    choice.arguments.push_back({.literal = value});
    return choice;
  }
  const std::string_view text = value.as_text();
  if (text.starts_with('=')) return parse_call(place, text.substr(1), arena);
  choice.arguments.push_back(parse_argument(place, text, false, arena));
  return choice;
}

Expression::Choice Expression::parse_call(const Place& place, std::string_view text, Arena& arena) {
  Choice call;
  call.is_call = true;
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) {
    if (text.ends_with(')')) throw SpecError(place, "a \")\" without \"(\"");
    call.function = find_function(text);
    return call;
  }
  const std::string_view name = text.substr(0, open);
  if (open + 1 == text.size()) throw SpecError(place, fmt::format("\"{}\" has no \")\"", text));
  call.function = find_function(name);
  for (const std::string_view argument :
       split_arguments(text.substr(open + 1, text.size() - open - 2))) {
    call.arguments.push_back(parse_argument(place, argument, true, arena));
  }
  const Argument& first = call.arguments.front();
  if (name == "split" && first.source == Argument::Source::literal && first.literal.is_string()) {
    if (auto pattern = Pattern::compile(first.literal.as_text())) {
      call.separator = std::move(*pattern);
    }
  }
  return call;
}

Expression::Argument Expression::parse_argument(const Place& place, std::string_view text,
                                                bool of_call, Arena& arena) {
  Argument argument;
  if (text.starts_with('^')) {
    // There is no context here, but its path is still checked.
    Path::of_writing(place, text.substr(1));
    argument.source = Argument::Source::context;
    argument.literal = Value::boolean(text::is_blank(text.substr(1)));
  } else if (text.starts_with('@')) {
    std::vector<ElementPtr> elements = Path::elements_of(place, "root." + std::string(text));
    if (elements.back()->kind() != ElementKind::transpose) {
      throw SpecError(place, fmt::format("\"{}\" is no reference to a value", text));
    }
    argument.source = Argument::Source::document;
    argument.reference = std::move(elements.back());
  } else {
    argument.literal = of_call ? parse_literal(place, text, arena) : Value::string(text);
  }
  return argument;
}

Value Expression::parse_literal(const Place& place, std::string_view text, Arena& arena) {
  if (text.empty()) return {};
  if (text.starts_with('\'') && text.ends_with('\'')) {
    if (text.size() == 1) throw SpecError(place, "a quote that does not end");
    return Value::string(text.substr(1, text.size() - 2));
  }
  if (text::equals_ignore_case(text, "true")) return Value::boolean(true);
  if (text::equals_ignore_case(text, "false")) return Value::boolean(false);
  return parse_number(text, arena).value_or(Value::string(text));
}

Input Expression::value_of(const Argument& argument, const Walk& walk) {
  switch (argument.source) {
    case Argument::Source::document:
      return argument.reference->look_up(walk.path);
    case Argument::Source::context:
      // "^" alone is the context as a whole, which is empty.
      if (argument.literal.as_boolean()) return Input::of(Value::object(walk.run.arena));
      return {};
    case Argument::Source::literal:
      break;
  }
  return Input::of(argument.literal);
}

Result Expression::evaluate_choice(const Choice& choice, Input current, const Walk& walk) {
  const auto result_of = [](const Input& input) {
    return input.present ? Result(input.value) : std::nullopt;
  };
  if (!choice.is_call) return result_of(value_of(choice.arguments.front(), walk));
  // As Jolt has it: an unknown function gives its first argument.
  if (!choice.function) {
    return choice.arguments.empty() ? std::nullopt
                                    : result_of(value_of(choice.arguments.front(), walk));
  }
  std::vector<Value> values;
  if (choice.arguments.size() > 1) {
    // A missing one cannot be told from null.
    for (const Argument& argument : choice.arguments) {
      values.push_back(value_of(argument, walk).value);
    }
  } else {
    const Input only = choice.arguments.empty() ? current : value_of(choice.arguments[0], walk);
    if (only.present) values.push_back(only.value);
  }
  return choice.function({values, walk.run.arena, choice.separator ? &*choice.separator : nullptr});
}

Result Expression::evaluate(Input current, const Walk& walk) const {
  for (const Choice& choice : choices_) {
    try {
      if (const Result result = evaluate_choice(choice, current, walk)) return result;
    } catch (const TransformError&) {
      // A reference that leads out of the document gives nothing here.
    }
  }
  return std::nullopt;
}

}  // namespace weir::jolt
