#include "engine/expression/lexer.h"

#include <optional>

namespace weir::expression {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Characters that end the name of an attribute. A quotation mark does not; an apostrophe does.
bool ends_name(char c) {
  return std::string_view("${}()[],:;/*' \t\r\n").contains(c);
}

std::size_t digits_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// Behind an exponent that starts at `at`, or `at` itself.
std::size_t exponent_end(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  std::size_t digits = at + 1;
  if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
  const std::size_t end = digits_end(text, digits);
  return end == digits ? at : end;
}

struct NumberEnd {
  std::size_t end;
  bool decimal;
};

// A number at the beginning: [+-] digits, or with a point or an exponent.
std::optional<NumberEnd> number_end(std::string_view text, std::size_t at) {
  std::size_t start = at;
  if (start < text.size() && (text[start] == '+' || text[start] == '-')) ++start;
  const std::size_t whole = digits_end(text, start);
  if (whole == start) {
    if (start >= text.size() || text[start] != '.') return std::nullopt;
    const std::size_t fraction = digits_end(text, start + 1);
    if (fraction == start + 1) return std::nullopt;
    return NumberEnd{exponent_end(text, fraction), true};
  }
  if (whole < text.size() && text[whole] == '.') {
    return NumberEnd{exponent_end(text, digits_end(text, whole + 1)), true};
  }
  const std::size_t exponent = exponent_end(text, whole);
  return NumberEnd{exponent, exponent != whole};
}

}  // namespace

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (c == '#' && at_ + 1 < text_.size() && text_[at_ + 1] != '{') {
      // The character behind # belongs to the comment even where it is the end of the line.
      const std::size_t end = text_.find('\n', at_ + 2);
      if (end == std::string_view::npos) {
        broken_comment_ = true;
        return;
      }
      at_ = end + 1;
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return {Token::Kind::end, at_};
  if (broken_comment_) return {Token::Kind::unknown, at_};
  const auto single = [this](Token::Kind kind) { return Token{kind, at_++}; };
  switch (text_[at_]) {
    case '$':
      return single(Token::Kind::dollar);
    case '{':
      return single(Token::Kind::open_brace);
    case '}':
      return single(Token::Kind::close_brace);
    case '(':
      return single(Token::Kind::open_parenthesis);
    case ')':
      return single(Token::Kind::close_parenthesis);
    case ':':
      return single(Token::Kind::colon);
    case ',':
      return single(Token::Kind::comma);
    case '#':
      if (at_ + 1 < text_.size()) {
        at_ += 2;
        return {Token::Kind::parameter, at_ - 2};
      }
      return single(Token::Kind::unknown);
    case '"':
    case '\'':
      return quoted();
    default:
      return number_or_name();
  }
}

Token Lexer::quoted() {
  const std::size_t start = at_;
  const char quote = text_[at_++];
  Token token{Token::Kind::text, start};
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == quote) return token;
    if (c == '\n' || c == '\r' || c == '\t') break;
    if (c != '\\') {
      token.value += c;
      continue;
    }
    if (at_ >= text_.size()) break;
    const char escaped = text_[at_++];
    switch (escaped) {
      case '"':
      case '\'':
        token.value += escaped;
        break;
      case 'n':
        token.value += '\n';
        break;
      case 'r':
        token.value += '\r';
        break;
      case 't':
        token.value += '\t';
        break;
      default:
        token.value += c;
        token.value += escaped;
        break;
    }
  }
  return {Token::Kind::unknown, start};
}

Token Lexer::number_or_name() {
  const std::size_t start = at_;
  std::size_t name_end = start;
  if (!is_digit(text_[start])) {
    while (name_end < text_.size() && !ends_name(text_[name_end])) ++name_end;
  }
  const auto number = number_end(text_, start);
  if (number && number->end >= name_end) {
    at_ = number->end;
    return {number->decimal ? Token::Kind::decimal : Token::Kind::whole, start,
            std::string(text_.substr(start, at_ - start))};
  }
  if (name_end == start || text_.substr(start, name_end - start) == ".") {
    return {Token::Kind::unknown, start};
  }
  at_ = name_end;
  return {Token::Kind::name, start, std::string(text_.substr(start, name_end - start))};
}

}  // namespace weir::expression
