#include "engine/expression/compiler.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <utility>

#include "engine/expression/conversion.h"
#include "engine/expression/date_pattern_doubts.h"
#include "engine/expression/functions.h"
#include "engine/expression/loop.h"
#include "engine/expression/scanner.h"
#include "engine/text/java_case.h"

namespace weir::expression {
namespace {

// Evaluation goes down node by node on the thread's stack.
constexpr int deepest_node = 3000;

std::unexpected<Error> error(std::size_t offset, std::string message) {
  return std::unexpected(Error{offset, std::move(message)});
}

const LoopSource* loop_source_of(const Node& node) {
  const Node* root = &node;
  while (root->subject()) root = root->subject();
  return root->is_loop_source() ? static_cast<const LoopSource*>(root) : nullptr;
}

// A function on the result of join or count; of a loop over several attributes only what is
// repeated counts.
bool continues_reduced(const Node& node) {
  const auto* loop = dynamic_cast<const BooleanLoop*>(&node);
  const Node& last = loop ? loop->logic() : node;
  for (const Node* below = last.subject(); below; below = below->subject()) {
    if (below->is_reducing()) return true;
  }
  return false;
}

std::expected<NodePtr, Error> whole_literal(const Syntax& syntax) {
  std::string_view digits = syntax.value;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t whole = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (result.ec != std::errc()) {
    return error(syntax.offset, fmt::format("{} does not fit 64 bits", syntax.value));
  }
  return std::make_unique<Constant>(Type::whole_number, Value::of_whole(whole), true);
}

// The calls whose shape depends on more than the number of arguments.
std::string wrong_shape(const Syntax& call, bool alone) {
  const std::size_t count = call.children.size();
  if (call.value == "math" && alone && count != 1) return "math without a subject takes 1 argument";
  if (call.value == "toInstant" && count == 1) return "toInstant takes 0 or 2 arguments";
  if (call.value == "hostname" && count == 1 &&
      call.children.front().kind != Syntax::Kind::boolean) {
    return "hostname takes true or false";
  }
  return {};
}

std::string wrong_count(const Function& function, std::size_t given) {
  if (given >= function.least && given <= function.most) return {};
  if (function.least == function.most) {
    return fmt::format("{} takes {} arguments, not {}", function.name, function.least, given);
  }
  if (function.most == any_number) {
    return fmt::format("{} takes at least {} arguments", function.name, function.least);
  }
  return fmt::format("{} takes {} to {} arguments, not {}", function.name, function.least,
                     function.most, given);
}

}  // namespace

std::expected<NodePtr, Error> Compiler::compile(std::string_view expression, int nesting) {
  auto syntax = parse(expression, nesting);
  if (!syntax) return std::unexpected(std::move(syntax.error()));
  const int around = std::exchange(nesting_, nesting + 1);
  auto built = chain(*syntax);
  nesting_ = around;
  if (built && continues_reduced(**built)) {
    return error(0, "no function may follow join or count; put them into literal()");
  }
  return built;
}

std::expected<NodePtr, Error> Compiler::build(const Syntax& syntax) {
  switch (syntax.kind) {
    case Syntax::Kind::expression:
      return chain(syntax);
    case Syntax::Kind::parameter:
      return parameter(syntax);
    case Syntax::Kind::text:
      return text(syntax.value, syntax.offset);
    case Syntax::Kind::whole:
      return whole_literal(syntax);
    case Syntax::Kind::decimal:
      return std::make_unique<Constant>(
          Type::decimal, Value::of_decimal(std::strtod(syntax.value.c_str(), nullptr)), true);
    case Syntax::Kind::boolean:
      return std::make_unique<Constant>(Type::boolean, Value::of_boolean(syntax.value == "true"),
                                        true);
    case Syntax::Kind::null:
      return Constant::null(true);
    case Syntax::Kind::attribute:
    case Syntax::Kind::call:
      return head(syntax);
  }
  return Constant::null(true);
}

std::expected<NodePtr, Error> Compiler::chain(const Syntax& expression) {
  auto node = head(expression.children.front());
  for (std::size_t i = 1; node && i < expression.children.size(); ++i) {
    node = call(expression.children[i], *std::move(node));
  }
  if (!node) return node;
  if ((*node)->depth() > deepest_node) {
    return error(expression.offset, "the expression is nested too deep");
  }
  return loop(*std::move(node), expression.offset);
}

std::expected<NodePtr, Error> Compiler::head(const Syntax& syntax) {
  switch (syntax.kind) {
    case Syntax::Kind::attribute: {
      auto name = build(syntax.children.front());
      if (!name) return name;
      auto as_text = convert(*std::move(name), As::text);
      if (!as_text) return error(syntax.offset, as_text.error());
      return std::make_unique<AttributeReference>(*std::move(as_text));
    }
    case Syntax::Kind::call:
      if (loop_kind(syntax.value)) return loop_source(syntax);
      return call(syntax, nullptr);
    default:
      return build(syntax);
  }
}

std::expected<NodePtr, Error> Compiler::call(const Syntax& syntax, NodePtr subject) {
  const Function* function = find_function(syntax.value);
  const bool alone = !subject;
  if (!function || (function->place == Place::alone && !alone)) {
    return error(syntax.offset, fmt::format("{} may only stand first", syntax.value));
  }
  if (function->place == Place::on_subject && alone) {
    return error(syntax.offset, fmt::format("{} needs something in front of it", syntax.value));
  }
  if (auto wrong = wrong_count(*function, syntax.children.size()); !wrong.empty()) {
    return error(syntax.offset, std::move(wrong));
  }
  if (auto wrong = wrong_shape(syntax, alone); !wrong.empty()) {
    return error(syntax.offset, std::move(wrong));
  }
  const bool from_number = subject && (syntax.children.empty() || subject->type() != Type::string);
  if (from_number && syntax.value == "toDate") function = &date_of_number();
  if (from_number && syntax.value == "toInstant") function = &instant_of_number();
  std::vector<NodePtr> arguments;
  for (const Syntax& child : syntax.children) {
    auto argument = build(child);
    if (!argument) return argument;
    arguments.push_back(*std::move(argument));
  }
  return bind(*function, syntax, std::move(subject), std::move(arguments));
}

std::expected<NodePtr, Error> Compiler::bind(const Function& function, const Syntax& syntax,
                                             NodePtr subject, std::vector<NodePtr> arguments) {
  if (subject) {
    if (function.exact_subject && subject->type() != Type::instant) {
      return error(syntax.offset, fmt::format("{} works on an instant only", function.name));
    }
    auto converted = convert(std::move(subject), function.subject);
    if (!converted) {
      return error(syntax.offset, fmt::format("{}: {}", function.name, converted.error()));
    }
    subject = *std::move(converted);
  }
  std::vector<std::unique_ptr<const PreparedData>> prepared;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t offset = syntax.children[i].offset;
    const Constant* constant = arguments[i]->constant();
    if (constant && constant->is_literal() && i == 0 && function.dates) {
      warn(function, syntax.children[i]);
    }
    if (constant && i < function.prepare.size() && function.prepare[i] &&
        constant->type() == Type::string) {
      prepared.resize(i + 1);
      auto made = function.prepare[i](constant->value());
      if (made) {
        prepared[i] = *std::move(made);
      } else if (function.checks_literals && constant->is_literal()) {
        return error(offset, fmt::format("{}: {}", function.name, made.error()));
      }
    }
    auto converted = convert(std::move(arguments[i]), function.argument(i));
    if (!converted) {
      return error(offset,
                   fmt::format("argument {} of {}: {}", i + 1, function.name, converted.error()));
    }
    arguments[i] = *std::move(converted);
  }
  return std::make_unique<Call>(function, std::move(subject), std::move(arguments),
                                std::move(prepared));
}

void Compiler::warn(const Function& function, const Syntax& argument) {
  for (const std::string& doubt : date_pattern_doubts(argument.value)) {
    warnings_.push_back({base_ + argument.offset,
                         fmt::format("{}: '{}': {}", function.name, argument.value, doubt)});
  }
}

std::expected<NodePtr, Error> Compiler::loop(NodePtr logic, std::size_t offset) {
  const LoopSource* source = loop_source_of(*logic);
  if (!source) return logic;
  if (logic->type() == Type::boolean)
    return std::make_unique<BooleanLoop>(*source, std::move(logic));
  if (!is_any(source->kind()) && logic->is_reducing()) {
    return std::make_unique<ReducingLoop>(*source, std::move(logic));
  }
  return error(offset,
               is_any(source->kind())
                   ? "several attributes need a Boolean function at the end"
                   : "several attributes need a Boolean function, join or count at the end");
}

std::expected<std::string, Error> Compiler::loop_name(const Syntax& syntax) {
  // NiFi takes the kind of an unquoted expression for the name.
  if (syntax.kind == Syntax::Kind::expression) return "EXPRESSION";
  if (syntax.kind != Syntax::Kind::text) return error(syntax.offset, "expected a text in quotes");
  auto node = text(syntax.value, syntax.offset);
  if (!node) return std::unexpected(std::move(node.error()));
  const ExpressionInputs nothing;
  Evaluation evaluation(environment_, nothing);
  const Value value = (*node)->evaluate(evaluation);
  return value.is_null() ? std::string() : std::string(value.text());
}

std::expected<NodePtr, Error> Compiler::loop_source(const Syntax& syntax) {
  const LoopKind kind = *loop_kind(syntax.value);
  if (syntax.children.empty()) {
    return error(syntax.offset, fmt::format("{} takes at least 1 argument", syntax.value));
  }
  if (kind == LoopKind::any_delineated || kind == LoopKind::all_delineated) {
    return delineated(syntax);
  }
  std::vector<std::string> names;
  for (const Syntax& child : syntax.children) {
    auto name = loop_name(child);
    if (!name) return std::unexpected(std::move(name.error()));
    names.push_back(*std::move(name));
  }
  if (kind == LoopKind::any_attribute || kind == LoopKind::all_attributes) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (weir::text::trim(names[i]).empty()) {
        return error(syntax.children[i].offset, "the name of an attribute is empty");
      }
    }
    return std::make_unique<NamedAttributes>(kind, std::move(names));
  }
  std::vector<Pattern> patterns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto pattern = Pattern::compile(names[i]);
    if (!pattern) return error(syntax.children[i].offset, std::move(pattern.error()));
    patterns.push_back(*std::move(pattern));
  }
  return std::make_unique<MatchingAttributes>(kind, std::move(patterns));
}

std::expected<NodePtr, Error> Compiler::delineated(const Syntax& syntax) {
  if (syntax.children.size() < 2) {
    return error(syntax.offset, fmt::format("{} takes a text and a delimiter", syntax.value));
  }
  std::vector<NodePtr> arguments;
  for (const Syntax& child : syntax.children) {
    if (child.kind != Syntax::Kind::text && child.kind != Syntax::Kind::expression) {
      return error(child.offset, "expected a text in quotes or an expression");
    }
    if (arguments.size() == 2) break;
    auto argument = build(child);
    if (!argument) return argument;
    auto as_text = convert(*std::move(argument), As::text);
    if (!as_text) return error(child.offset, as_text.error());
    arguments.push_back(*std::move(as_text));
  }
  return std::make_unique<DelineatedValues>(*loop_kind(syntax.value), std::move(arguments[0]),
                                            std::move(arguments[1]));
}

std::expected<NodePtr, Error> Compiler::parameter(const Syntax& syntax) {
  const Parameter* found =
      environment_.parameters ? environment_.parameters->find(syntax.value) : nullptr;
  if (!found && !environment_.lenient_parameters) {
    return error(syntax.offset, fmt::format("there is no parameter '{}'", syntax.value));
  }
  // The value of a sensitive parameter must not be worked on.
  if (!found || found->sensitive) return Constant::null(false);
  return std::make_unique<Constant>(found->value, false);
}

std::expected<NodePtr, Error> Compiler::text(std::string_view written, std::size_t offset) {
  const std::vector<Range> ranges = expression_ranges(written);
  if (ranges.empty()) return text_with_escapes(written);
  std::vector<NodePtr> parts;
  std::size_t done = 0;
  const auto add_literal = [&](std::string_view piece) {
    auto literal = text_with_escapes(piece);
    if (literal) parts.push_back(*std::move(literal));
  };
  for (const Range& range : ranges) {
    // The offset of the quotes, and what is in front in the text, apart from its escapes.
    const std::size_t inner = offset + 1 + range.begin;
    base_ += inner;
    auto node = compile(written.substr(range.begin, range.end - range.begin), nesting_);
    base_ -= inner;
    if (!node) {
      node.error().offset += inner;
      return node;
    }
    const std::string_view before = written.substr(done, range.begin - done);
    if (!before.empty() && (*node)->is_attribute()) {
      add_literal(unescape_trailing_dollars(before, true));
    } else if (!before.empty()) {
      add_literal(before);
    }
    auto as_text = convert(*std::move(node), As::text);
    if (!as_text) return error(inner, as_text.error());
    parts.push_back(*std::move(as_text));
    done = range.end;
  }
  if (done < written.size()) add_literal(written.substr(done));
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<Joined>(std::move(parts));
}

std::expected<NodePtr, Error> Compiler::text_with_escapes(std::string_view written) {
  const std::vector<Range> ranges = escaped_ranges(written);
  std::string unescaped;
  std::size_t pieces = 0;
  std::size_t done = 0;
  const auto add = [&](std::string_view piece) {
    unescaped += unescape_backslashes(piece);
    ++pieces;
  };
  for (const Range& range : ranges) {
    if (range.begin > done) add(written.substr(done, range.begin - done));
    add(unescape_dollars(written.substr(range.begin, range.end - range.begin)));
    done = range.end;
  }
  if (done < written.size()) add(written.substr(done));
  // NiFi looks at a text before it evaluates only where it stands there in one piece.
  return std::make_unique<Constant>(std::move(unescaped), pieces <= 1);
}

}  // namespace weir::expression
