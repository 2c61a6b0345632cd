#include "engine/json/path_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/json/parse.h"
#include "engine/text/utf16.h"

namespace weir::json {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::array<std::pair<std::string_view, Function>, 13> functions = {{
    {"length", Function::length},
    {"size", Function::length},
    {"min", Function::min},
    {"max", Function::max},
    {"avg", Function::avg},
    {"sum", Function::sum},
    {"stddev", Function::stddev},
    {"keys", Function::keys},
    {"concat", Function::concat},
    {"append", Function::append},
    {"first", Function::first},
    {"last", Function::last},
    {"index", Function::index},
}};

Function find_function(std::string_view name) {
  for (const auto& [known, function] : functions) {
    if (known == name) return function;
  }
  return Function::unknown;  // complained of where it is evaluated
}

std::optional<std::int32_t> parse_int(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool CompileFailure::set(std::ptrdiff_t offset, std::string message) {
  if (!is_set) {
    error = {static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, offset)), std::move(message)};
  }
  is_set = true;
  return false;
}

bool Token::is_definite() const {
  switch (type) {
    case Type::property:
      return names.size() == 1 || is_leaf;  // several names at the end are merged into one object
    case Type::index:
      return indexes.size() == 1;
    case Type::function:
      return true;
    default:
      return false;
  }
}

bool PathCompiler::compile_whole(std::string_view text, std::ptrdiff_t offset, CompileState& state,
                                 Program& program) {
  if (text.empty()) return state.failure.set(offset, "the path is empty");
  std::string completed;
  if (text[0] != '$' && text[0] != '@') {
    completed = "$." + std::string(text);
    text = completed;
    offset -= 2;
  }
  PathCompiler compiler(text, offset, state);
  compiler.path_.trim();
  if (compiler.path_.last() == '.') {
    return compiler.fail_at(compiler.path_.end() - 1, "the path ends with a '.'");
  }
  return compiler.compile(program);
}

bool PathCompiler::compile(Program& program) {
  if (state_.depth >= most_depth) return fail("paths nested too deep");
  ++state_.depth;
  while (path_.in_bounds() && std::string_view(" \t\r\n").contains(path_.current())) {
    path_.advance();
  }
  program.root = path_.current();
  if (program.root != '$' && program.root != '@') return fail("a path begins with '$' or '@'");
  if (!path_.is_at_tail()) {
    path_.advance();
    if (path_.current() != '.' && path_.current() != '[') return fail("expected '.' or '['");
    if (!read_tokens()) return false;
  }
  --state_.depth;
  finish(program);
  return true;
}

bool PathCompiler::read_tokens() {
  do {
    if (tokens_.size() >= most_tokens) return fail("the path has too many steps");
    if (!read_token()) return false;
  } while (!path_.is_at_tail());
  return true;
}

bool PathCompiler::read_token() {
  switch (path_.current()) {
    case '[':
      return read_bracket();
    case '.':
      return read_dot();
    case '*':
      path_.advance();
      tokens_.push_back({.type = Token::Type::wildcard});
      return true;
    default:
      return read_name_or_function();
  }
}

bool PathCompiler::read_dot() {
  if (path_.at(path_.position() + 1) == '.' && path_.in_bounds(path_.position() + 1)) {
    tokens_.push_back({.type = Token::Type::scan});
    path_.advance(2);
  } else if (!path_.in_bounds(path_.position() + 1)) {
    return fail("the path ends with a '.'");
  } else {
    path_.advance();
  }
  if (path_.current() == '.') return fail("a '.' too much");
  return read_token();
}

bool PathCompiler::read_name_or_function() {
  const std::size_t begin = path_.position();
  if (path_.current() == ' ' || !path_.in_bounds()) return fail("expected a name");
  std::size_t end = begin;
  while (path_.in_bounds(end) && path_.at(end) != '.' && path_.at(end) != '[' &&
         path_.at(end) != '(') {
    if (path_.at(end) == ' ') return fail_at(end, "a name with blanks needs ['...']");
    ++end;
  }
  if (path_.in_bounds(end) && path_.at(end) == '(') return read_function(begin, end);
  path_.set_position(end);
  tokens_.push_back(
      {.type = Token::Type::property, .names = {std::string(path_.between(begin, end))}});
  return true;
}

bool PathCompiler::read_function(std::size_t begin, std::size_t parenthesis) {
  const std::string_view name = path_.between(begin, parenthesis);
  int depth = 1;
  for (std::size_t i = parenthesis + 1; i < path_.end() && depth > 0; ++i) {
    if (path_.at(i) == '(') ++depth;
    if (path_.at(i) == ')') --depth;
  }
  if (depth > 0) return fail_at(parenthesis, fmt::format("{}( is not closed", name));
  Token token{
      .type = Token::Type::function, .names = {std::string(name)}, .function = find_function(name)};
  path_.set_position(parenthesis + 1);
  if (path_.current() == ')') {
    path_.advance();
  } else if (!read_parameters(name, token.parameters)) {
    return false;
  }
  tokens_.push_back(std::move(token));
  if (path_.in_bounds() && path_.current() != '.' && path_.current() != '[') {
    return fail("expected '.' or '['");
  }
  return true;
}

bool PathCompiler::read_parameters(std::string_view name, std::vector<Parameter>& parameters) {
  int parentheses = 1;
  int brackets = 0;
  int braces = 0;
  int quotes = 0;
  char type = '\0';  // '{' JSON, '$' a path, '\0' not known yet
  char prior = '\0';
  std::string text;
  std::size_t text_begin = path_.position();
  bool is_done = false;
  while (path_.in_bounds() && !is_done) {
    const char c = path_.current();
    path_.advance();
    if (type == '\0') {
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
      if (c == '{' || is_digit(c) || c == '"' || c == '-') type = '{';
      if (c == '$' || c == '@') type = '$';
      text_begin = path_.position() - 1;
    }
    switch (c) {
      case '"':
        quotes += prior != '\\' && quotes > 0 ? -1 : 1;
        break;
      case '(':
        ++parentheses;
        break;
      case '{':
        ++braces;
        break;
      case '[':
        ++brackets;
        break;
      case '}':
        if (braces-- == 0) return fail("a '}' too much");
        break;
      case ']':
        if (brackets-- == 0) return fail("a ']' too much");
        break;
      case '\\':
        if (quotes == 1 && (path_.current() == ',' || path_.current() == '"')) {
          text += path_.current();
          path_.advance();
          prior = '\0';
          continue;
        }
        break;
      case ')':
      case ',': {
        if (c == ')') {
          --parentheses;
          if (prior == '(') text += c;
        }
        const bool is_end = (parentheses == 0 && c == ')') || parentheses == 1;
        if (quotes != 0 || braces != 0 || brackets != 0 || !is_end) break;
        is_done = parentheses == 0;
        if (type != '\0' && !add_parameter(text, text_begin, type, parameters)) return false;
        text.clear();
        type = '\0';
        break;
      }
      default:
        break;
    }
    if (type != '\0' && !(c == ',' && braces == 0 && brackets == 0 && parentheses == 1)) text += c;
    prior = c;
  }
  if (braces != 0 || parentheses != 0 || brackets != 0) {
    return fail(fmt::format("{}( is not closed", name));
  }
  return true;
}

bool PathCompiler::add_parameter(std::string_view text, std::size_t begin, char type,
                                 std::vector<Parameter>& parameters) {
  Parameter parameter;
  if (type == '$') {
    parameter.path = std::make_unique<Program>();
    if (!PathCompiler(text, inside(begin), state_).compile(*parameter.path)) return false;
  } else if (const auto value = parse(state_.arena.copy(text), state_.arena)) {
    parameter.json = *value;
  }
  parameters.push_back(std::move(parameter));
  return true;
}

bool PathCompiler::read_bracket() {
  const char next = path_.next_significant_char(path_.position());
  if (next == '\'' || next == '"') return read_quoted_names(next);
  if (is_digit(next) || next == '-' || next == ':') {
    bool is_read = false;
    if (!read_indexes(is_read)) return false;
    if (is_read) return true;
  }
  if (next == '*') return read_wildcard_in_brackets();
  if (next == '?') return read_filter();
  return fail("expected a quoted name, an index, * or ? after '['");
}

bool PathCompiler::read_quoted_names(char quote) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  std::size_t last_quote = 0;
  bool is_inside = false;
  bool is_escaped = false;
  bool was_comma = false;
  for (std::size_t i = path_.position() + 1; path_.in_bounds(i); ++i) {
    const char c = path_.at(i);
    if (is_escaped) {
      is_escaped = false;
    } else if (c == '\\') {
      is_escaped = true;
    } else if (c == ']' && !is_inside) {
      if (was_comma) return fail_at(i, "a name is missing after ','");
      break;
    } else if (c == quote && is_inside) {
      const char next = path_.next_significant_char(i);
      if (next != ']' && next != ',') return fail_at(i, "expected ',' or ']' after a name");
      last_quote = i;
      std::string name;
      if (!unescape(path_.between(begin, i), name)) return fail_at(begin, "a malformed \\u");
      names.push_back(std::move(name));
      is_inside = false;
    } else if (c == quote) {
      begin = i + 1;
      is_inside = true;
      was_comma = false;
    } else if (c == ',' && !is_inside) {
      if (was_comma) return fail_at(i, "a name is missing between commas");
      was_comma = true;
    }
  }
  if (is_inside) return fail(fmt::format("a name without its closing {}", quote));
  const std::size_t close = path_.next_significant(last_quote);
  if (path_.at(close) != ']') return fail("names without the closing ]");
  if (names.empty()) return fail("no name between the brackets");
  path_.set_position(close + 1);
  tokens_.push_back({.type = Token::Type::property, .names = std::move(names)});
  return true;
}

bool PathCompiler::read_wildcard_in_brackets() {
  const std::size_t star = path_.next_significant(path_.position());
  const std::size_t close = path_.next_significant(star);
  if (!path_.in_bounds(close) || path_.at(close) != ']') return fail_at(star, "expected [*]");
  path_.set_position(close + 1);
  tokens_.push_back({.type = Token::Type::wildcard});
  return true;
}

bool PathCompiler::read_indexes(bool& is_read) {
  const std::size_t begin = path_.position() + 1;
  const std::size_t close = path_.find(begin, ']');
  if (close == PathCursor::none) return true;
  std::string_view expression = path_.between(begin, close);
  expression.remove_prefix(std::min(expression.find_first_not_of(' '), expression.size()));
  expression = expression.substr(0, expression.find_last_not_of(' ') + 1);
  if (expression.find_first_not_of("0123456789,-: ") != std::string_view::npos) return true;
  is_read = true;
  const bool is_slice = expression.contains(':');
  if (!(is_slice ? add_slice(expression) : add_indexes(expression))) return false;
  path_.set_position(close + 1);
  return true;
}

bool PathCompiler::add_indexes(std::string_view expression) {
  Token token{.type = Token::Type::index};
  // As Java's split: empty parts at the end are dropped.
  while (expression.ends_with(',')) expression.remove_suffix(1);
  for (;;) {
    const std::size_t comma = expression.find(',');
    std::string_view part = expression.substr(0, comma);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    const auto index = parse_int(part);
    if (!index) return fail(fmt::format("'{}' is no index", part));
    token.indexes.push_back(*index);
    if (comma == std::string_view::npos) break;
    expression.remove_prefix(comma + 1);
  }
  tokens_.push_back(std::move(token));
  return true;
}

bool PathCompiler::add_slice(std::string_view expression) {
  if (expression.find_first_not_of("0123456789-:") != std::string_view::npos) {
    return fail(fmt::format("'{}' is no slice", expression));
  }
  Token token{.type = Token::Type::slice};
  const std::size_t colon = expression.find(':');
  const std::string_view rest = expression.substr(colon + 1);
  const std::string_view ends[] = {expression.substr(0, colon), rest.substr(0, rest.find(':'))};
  std::optional<std::int32_t>* const bounds[] = {&token.slice.from, &token.slice.to};
  for (int i = 0; i < 2; ++i) {
    if (ends[i].empty()) continue;
    *bounds[i] = parse_int(ends[i]);
    if (!*bounds[i]) return fail(fmt::format("'{}' is no index", ends[i]));
  }
  if (!token.slice.from && !token.slice.to) return fail("a slice without bounds");
  tokens_.push_back(std::move(token));
  return true;
}

bool PathCompiler::read_filter() {
  const std::size_t begin = path_.position();
  const std::size_t mark = path_.next_significant(begin);
  const std::size_t open = path_.next_significant(mark);
  if (!path_.in_bounds(open) || path_.at(open) != '(') return fail_at(mark, "expected [?(...)]");
  const std::size_t close = path_.find_closing(open, '(', ')', true);
  if (close == PathCursor::none) return fail_at(open, "the filter is not closed");
  const std::size_t end = path_.next_significant(close);
  if (!path_.in_bounds(end) || path_.at(end) != ']') return fail_at(close, "expected )]");
  Token token{.type = Token::Type::filter, .filter = std::make_unique<Expression>()};
  if (!compile_filter(path_.between(begin, end + 1), inside(begin), state_, *token.filter)) {
    return false;
  }
  tokens_.push_back(std::move(token));
  path_.set_position(end + 1);
  return true;
}

// A function behind a deep scan takes what the scan finds as its parameter: $..a.sum() becomes
// $.sum($..a).
void PathCompiler::turn_scan_into_parameter(Program& program) {
  std::vector<Token>& tokens = program.tokens;
  if (!program.ends_with_function() || tokens.front().type != Token::Type::scan) return;
  const auto function = std::ranges::find(tokens, Token::Type::function, &Token::type);
  Parameter parameter;
  parameter.path = std::make_unique<Program>();
  parameter.path->root = program.root;
  std::move(tokens.begin(), function, std::back_inserter(parameter.path->tokens));
  tokens.erase(tokens.begin(), function);
  tokens.front().parameters.clear();
  tokens.front().parameters.push_back(std::move(parameter));
}

void PathCompiler::finish(Program& program) {
  program.tokens = std::move(tokens_);
  turn_scan_into_parameter(program);
  const auto link = [](Program& linked) {
    bool is_definite = true;
    linked.is_simple = true;
    for (Token& token : linked.tokens) {
      token.is_leaf = &token == &linked.tokens.back();
      token.is_upstream_definite = is_definite;
      is_definite = is_definite && token.is_definite();
      linked.is_simple =
          linked.is_simple && ((token.type == Token::Type::property && token.names.size() == 1) ||
                               (token.type == Token::Type::index && token.indexes.size() == 1));
    }
    linked.is_definite = is_definite;
  };
  link(program);
  for (Token& token : program.tokens) {
    for (Parameter& parameter : token.parameters) {
      if (parameter.path) link(*parameter.path);
    }
  }
}

bool unescape(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    constexpr std::string_view letters = "rftnb";
    constexpr std::string_view controls = "\r\f\t\n\b";
    const char c = text[++i];
    if (c == 'u') {
      std::uint32_t unit = 0;
      const std::string_view digits = text.substr(i + 1, 4);
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
      if (error != std::errc() || digits.size() < 4 || end != digits.data() + 4) return false;
      text::append_code_point(out, unit);
      i += 4;
    } else if (const std::size_t letter = letters.find(c); letter != std::string_view::npos) {
      out += controls[letter];
    } else {
      out += c;
    }
  }
  return true;
}

}  // namespace weir::json
