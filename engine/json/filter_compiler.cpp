#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/json/literal.h"
#include "engine/json/path_compiler.h"

namespace weir::json {
namespace {

constexpr std::array<std::pair<std::string_view, Operator>, 21> operators = {{
    {">=", Operator::greater_or_equal},
    {"<=", Operator::less_or_equal},
    {"==", Operator::equal},
    {"===", Operator::strictly_equal},
    {"!=", Operator::not_equal},
    {"!==", Operator::not_strictly_equal},
    {"<", Operator::less},
    {">", Operator::greater},
    {"=~", Operator::matches},
    {"NIN", Operator::not_in},
    {"IN", Operator::in},
    {"CONTAINS", Operator::contains},
    {"ALL", Operator::all},
    {"SIZE", Operator::size},
    {"TYPE", Operator::never},
    {"MATCHES", Operator::never},
    {"EMPTY", Operator::empty},
    {"EXISTS", Operator::exists},
    {"SUBSETOF", Operator::subset_of},
    {"ANYOF", Operator::any_of},
    {"NONEOF", Operator::none_of},
}};

std::optional<Operator> find_operator(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  for (const auto& [name, operation] : operators) {
    if (name == upper) return operation;
  }
  return std::nullopt;
}

bool is_operator_char(char c) {
  return c == '<' || c == '>' || c == '=' || c == '~' || c == '!';
}

// Precedence, weakest first: ||, &&, !, comparison. A side of a comparison is a path or a literal;
// a path alone asks whether it exists.
class FilterCompiler {
 public:
  FilterCompiler(std::string_view text, std::ptrdiff_t offset, CompileState& state)
      : filter_(text), offset_(offset), state_(state) {}

  bool compile(Expression& expression) {
    if (!enter()) return false;
    if (!read_or(expression)) return false;
    filter_.skip_blanks();
    if (filter_.in_bounds()) return fail("expected the end of the filter");
    return true;
  }

 private:
  static constexpr int most_nesting = 200;

  bool fail(std::string message) {
    return state_.failure.set(offset_ + static_cast<std::ptrdiff_t>(filter_.position()),
                              std::move(message));
  }

  bool enter();
  bool read_or(Expression& expression) {
    return read_chain(expression, "||", Expression::Type::one_of, &FilterCompiler::read_and);
  }
  bool read_and(Expression& expression) {
    return read_chain(expression, "&&", Expression::Type::all_of, &FilterCompiler::read_operand);
  }
  bool read_chain(Expression& expression, std::string_view joint, Expression::Type type,
                  bool (FilterCompiler::*read_part)(Expression&));
  bool read_operand(Expression& expression);
  bool read_relation(Expression& expression);
  std::optional<Operator> read_operator();
  bool read_value(Operand& operand);
  bool read_literal(Operand& operand);
  bool read_string(char quote, Operand& operand);
  bool read_word(std::string_view word);
  bool read_json(char open, char close, Operand& operand);
  bool read_pattern(Operand& operand);
  bool read_number(Operand& operand);
  bool read_path(Operand& operand);
  bool closes_a_function(std::size_t path_begin) const;

  PathCursor filter_;
  std::ptrdiff_t offset_;
  CompileState& state_;
  int nesting_ = 0;
};

bool FilterCompiler::enter() {
  filter_.trim();
  filter_.advance();      // [
  filter_.shorten_end();  // ]
  filter_.trim();
  filter_.advance();  // ?
  filter_.trim();
  if (filter_.current() != '(' || filter_.last() != ')') return fail("expected [?(...)]");
  return true;
}

bool FilterCompiler::read_chain(Expression& expression, std::string_view joint,
                                Expression::Type type,
                                bool (FilterCompiler::*read_part)(Expression&)) {
  std::vector<Expression> parts(1);
  if (!(this->*read_part)(parts.back())) return false;
  for (;;) {
    filter_.skip_blanks();
    if (filter_.between(filter_.position(), filter_.position() + 2) != joint) break;
    filter_.advance(2);
    parts.emplace_back();
    if (!(this->*read_part)(parts.back())) return false;
  }
  if (parts.size() == 1) {
    expression = std::move(parts.front());
    return true;
  }
  expression.type = type;
  expression.parts = std::move(parts);
  return true;
}

bool FilterCompiler::read_operand(Expression& expression) {
  if (++nesting_ > most_nesting) return fail("the filter is nested too deep");
  filter_.skip_blanks();
  if (filter_.current() == '!') {
    const std::size_t mark = filter_.position();
    filter_.advance();
    filter_.skip_blanks();
    if (filter_.current() != '$' && filter_.current() != '@') {
      expression.type = Expression::Type::negation;
      expression.parts.emplace_back();
      if (!read_operand(expression.parts.back())) return false;
      --nesting_;
      return true;
    }
    filter_.set_position(mark);
  }
  if (filter_.current() == '(') {
    filter_.advance();
    if (!read_or(expression)) return false;
    filter_.skip_blanks();
    if (filter_.current() != ')') return fail("expected ')'");
    filter_.advance();
  } else if (!read_relation(expression)) {
    return false;
  }
  --nesting_;
  return true;
}

bool FilterCompiler::read_relation(Expression& expression) {
  if (!read_value(expression.left)) return false;
  const std::size_t after_left = filter_.position();
  if (const auto operation = read_operator()) {
    expression.operation = *operation;
    return read_value(expression.right);
  }
  filter_.set_position(after_left);
  if (expression.left.type != Operand::Type::path) return fail("expected a comparison");
  expression.left.is_exists_check = true;
  expression.operation = Operator::exists;
  expression.right.type = Operand::Type::boolean;
  expression.right.boolean = expression.left.should_exist;
  return true;
}

std::optional<Operator> FilterCompiler::read_operator() {
  filter_.skip_blanks();
  const std::size_t begin = filter_.position();
  if (is_operator_char(filter_.current())) {
    while (filter_.in_bounds() && is_operator_char(filter_.current())) filter_.advance();
  } else {
    while (filter_.in_bounds() && filter_.current() != ' ') filter_.advance();
  }
  return find_operator(filter_.between(begin, filter_.position()));
}

bool FilterCompiler::read_value(Operand& operand) {
  filter_.skip_blanks();
  if (filter_.current() == '!') {
    filter_.advance();
    filter_.skip_blanks();
    if (filter_.current() != '$' && filter_.current() != '@') return fail("'!' before no path");
  }
  if (filter_.current() == '$' || filter_.current() == '@') return read_path(operand);
  return read_literal(operand);
}

bool FilterCompiler::read_literal(Operand& operand) {
  switch (filter_.current()) {
    case '\'':
    case '"':
      return read_string(filter_.current(), operand);
    case 't':
    case 'f':
      operand.type = Operand::Type::boolean;
      operand.boolean = filter_.current() == 't';
      return read_word(operand.boolean ? "true" : "false");
    case 'n':
      operand.type = Operand::Type::null;
      return read_word("null");
    case '{':
      return read_json('{', '}', operand);
    case '[':
      return read_json('[', ']', operand);
    case '/':
      return read_pattern(operand);
    default:
      return read_number(operand);
  }
}

bool FilterCompiler::read_string(char quote, Operand& operand) {
  const std::size_t begin = filter_.position();
  const std::size_t end = filter_.find_unescaped(begin, quote);
  if (end == PathCursor::none) return fail(fmt::format("a text without its closing {}", quote));
  operand.type = Operand::Type::string;
  if (!unescape(filter_.between(begin + 1, end), operand.text)) return fail("a malformed \\u");
  filter_.set_position(end + 1);
  return true;
}

bool FilterCompiler::read_word(std::string_view word) {
  const std::size_t begin = filter_.position();
  if (filter_.between(begin, begin + word.size()) != word) {
    return fail(fmt::format("a word that is not {}", word));
  }
  filter_.advance(word.size());
  return true;
}

bool FilterCompiler::read_json(char open, char close, Operand& operand) {
  const std::size_t begin = filter_.position();
  const std::size_t end = filter_.find_closing(begin, open, close, false);
  if (end == PathCursor::none) return fail(fmt::format("'{}' is not closed", open));
  operand.type = Operand::Type::json;
  const std::string_view text = state_.arena.copy(filter_.between(begin, end + 1));
  operand.text = text;
  operand.json = parse_literal(text, state_.arena);
  filter_.set_position(end + 1);
  return true;
}

bool FilterCompiler::read_pattern(Operand& operand) {
  const std::size_t begin = filter_.position();
  const std::size_t end = filter_.find_unescaped(begin, '/');
  if (end == PathCursor::none) return fail("a regular expression without its closing /");
  PatternFlags flags;
  std::size_t after = end + 1;
  for (; filter_.in_bounds(after); ++after) {
    const char c = filter_.at(after);
    if (c == 'i') {
      flags.case_insensitive = true;
    } else if (c == 'm') {
      flags.multiline = true;
    } else if (c == 's') {
      flags.dot_all = true;
    } else if (c == 'x') {
      flags.comments = true;
    } else if (c == 'd') {
      flags.unix_lines = true;
    } else if (c == 'u') {
      flags.unicode_case = true;
    } else if (c == 'U') {
      flags.unicode_character_class = true;
    } else {
      break;
    }
  }
  auto pattern = Pattern::compile(filter_.between(begin + 1, end), flags);
  if (!pattern) return fail(pattern.error());
  operand.type = Operand::Type::pattern;
  operand.pattern = std::move(*pattern);
  filter_.set_position(after);
  return true;
}

bool FilterCompiler::read_number(Operand& operand) {
  const std::size_t begin = filter_.position();
  while (filter_.in_bounds() && std::string_view("0123456789-.eE").contains(filter_.current())) {
    filter_.advance();
  }
  operand.type = Operand::Type::number;
  operand.text = filter_.between(begin, filter_.position());
  operand.number = BigDecimal::parse(operand.text);
  if (!operand.number) {
    filter_.set_position(begin);
    return fail("expected a path or a literal");
  }
  // Up to 15 digits a decimal and its nearest double stand for each other.
  const auto digits =
      std::ranges::count_if(operand.text, [](char c) { return c >= '0' && c <= '9'; });
  if (digits <= 15) {
    operand.short_number = Value::number_text(Kind::decimal, operand.text).as_double();
  }
  return true;
}

bool FilterCompiler::read_path(Operand& operand) {
  const std::size_t before = filter_.previous_significant(filter_.position());
  const std::size_t begin = filter_.position();
  filter_.advance();
  while (filter_.in_bounds()) {
    if (filter_.current() == '[') {
      const std::size_t close = filter_.find_closing(filter_.position(), '[', ']', false);
      if (close == PathCursor::none) return fail("'[' is not closed");
      filter_.set_position(close + 1);
      continue;
    }
    const char c = filter_.current();
    const bool ends_expression = c == ')' && !closes_a_function(begin);
    if (is_operator_char(c) || c == ' ' || ends_expression) break;
    filter_.advance();
  }
  operand.type = Operand::Type::path;
  operand.should_exist = before == PathCursor::none || filter_.at(before) != '!';
  operand.path = std::make_unique<Program>();
  return PathCompiler::compile_whole(filter_.between(begin, filter_.position()),
                                     offset_ + static_cast<std::ptrdiff_t>(begin), state_,
                                     *operand.path);
}

// Whether the ) at the position ends a function's empty parentheses within the path.
bool FilterCompiler::closes_a_function(std::size_t path_begin) const {
  std::size_t at = filter_.previous_significant(filter_.position());
  if (at == PathCursor::none || filter_.at(at) != '(') return false;
  for (--at; at > path_begin && at != PathCursor::none; --at) {
    if (filter_.at(at) == '.') return true;
  }
  return false;
}

}  // namespace

bool compile_filter(std::string_view text, std::ptrdiff_t offset, CompileState& state,
                    Expression& expression) {
  return FilterCompiler(text, offset, state).compile(expression);
}

}  // namespace weir::json
