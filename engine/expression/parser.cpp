#include <fmt/format.h>

#include "engine/expression/functions.h"
#include "engine/expression/lexer.h"
#include "engine/expression/syntax.h"

namespace weir::expression {
namespace {

using Kind = Token::Kind;
using Parsed = std::expected<Syntax, Error>;

class Parser {
 public:
  Parser(std::string_view text, int nesting) : text_(text), lexer_(text), nesting_(nesting) {
    advance();
  }

  Parsed whole() {
    auto expression = this->expression();
    if (expression && token_.kind != Kind::end) return unexpected("the end of the expression");
    return expression;
  }

 private:
  void advance() { token_ = lexer_.next(); }

  bool take(Kind kind) {
    if (token_.kind != kind) return false;
    advance();
    return true;
  }

  std::unexpected<Error> unexpected(std::string_view wanted) const {
    if (token_.kind == Kind::end) {
      return std::unexpected(Error{token_.offset, fmt::format("expected {}", wanted)});
    }
    return std::unexpected(
        Error{token_.offset, fmt::format("expected {} before '{}'", wanted, shown(token_.offset))});
  }

  // The offending character, whole where it is of several bytes.
  std::string_view shown(std::size_t offset) const {
    std::size_t end = offset + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    return text_.substr(offset, end - offset);
  }

  Parsed expression() {
    const std::size_t offset = token_.offset;
    if (++nesting_ > most_nested) {
      return std::unexpected(
          Error{offset, fmt::format("expressions nested more than {} deep", most_nested)});
    }
    if (!take(Kind::dollar)) return unexpected("'$'");
    if (!take(Kind::open_brace)) return unexpected("'{'");
    Syntax expression{Syntax::Kind::expression, offset};
    auto head = this->head();
    if (!head) return head;
    expression.children.push_back(*std::move(head));
    while (take(Kind::colon)) {
      auto call = function_call();
      if (!call) return call;
      expression.children.push_back(*std::move(call));
      if (expression.children.size() > longest_chain) {
        return std::unexpected(
            Error{offset, fmt::format("more than {} functions in a row", longest_chain)});
      }
    }
    if (!take(Kind::close_brace)) return unexpected("':' or '}'");
    --nesting_;
    return expression;
  }

  Parsed head() {
    const std::size_t offset = token_.offset;
    switch (token_.kind) {
      case Kind::dollar: {
        auto name = expression();
        if (!name) return name;
        Syntax attribute{Syntax::Kind::attribute, offset};
        attribute.children.push_back(*std::move(name));
        return attribute;
      }
      case Kind::parameter:
        return parameter();
      case Kind::name:
        if (is_keyword(token_.value)) {
          if (token_.value == "true" || token_.value == "false" || token_.value == "null") {
            return unexpected("an attribute's name or a function");
          }
          return function_call();
        }
        [[fallthrough]];
      case Kind::text: {
        Syntax attribute{Syntax::Kind::attribute, offset};
        attribute.children.push_back({Syntax::Kind::text, offset, token_.value});
        advance();
        return attribute;
      }
      default:
        return unexpected("an attribute's name or a function");
    }
  }

  Parsed parameter() {
    Syntax parameter{Syntax::Kind::parameter, token_.offset};
    advance();
    if (token_.kind != Kind::name && token_.kind != Kind::text) {
      return unexpected("a parameter's name");
    }
    // Blanks between the braces belong to the name unless it is quoted.
    const std::size_t close = text_.find('}', token_.offset);
    const std::size_t inner = parameter.offset + 2;
    parameter.value = token_.value;
    if (token_.kind == Kind::name && close != std::string_view::npos) {
      parameter.value = text_.substr(inner, close - inner);
    }
    advance();
    if (!take(Kind::close_brace)) return unexpected("'}'");
    return parameter;
  }

  Parsed function_call() {
    Syntax call{Syntax::Kind::call, token_.offset, token_.value};
    if (token_.kind != Kind::name) return unexpected("a function");
    if (!is_keyword(token_.value)) {
      return std::unexpected(
          Error{token_.offset, fmt::format("there is no function '{}'", token_.value)});
    }
    advance();
    if (!take(Kind::open_parenthesis)) return unexpected("'('");
    if (take(Kind::close_parenthesis)) return call;
    while (true) {
      auto argument = this->argument();
      if (!argument) return argument;
      call.children.push_back(*std::move(argument));
      if (take(Kind::close_parenthesis)) return call;
      if (!take(Kind::comma)) return unexpected("',' or ')'");
    }
  }

  Parsed argument() {
    Syntax literal{Syntax::Kind::text, token_.offset, token_.value};
    switch (token_.kind) {
      case Kind::dollar:
        return expression();
      case Kind::parameter:
        return parameter();
      case Kind::text:
        break;
      case Kind::whole:
        literal.kind = Syntax::Kind::whole;
        break;
      case Kind::decimal:
        literal.kind = Syntax::Kind::decimal;
        break;
      case Kind::name:
        if (token_.value == "true" || token_.value == "false") {
          literal.kind = Syntax::Kind::boolean;
          break;
        }
        if (token_.value == "null") {
          literal.kind = Syntax::Kind::null;
          break;
        }
        [[fallthrough]];
      default:
        return unexpected("an argument (a text in quotes, a number, true, false, null, ${...})");
    }
    advance();
    return literal;
  }

  const std::string_view text_;
  Lexer lexer_;
  int nesting_;
  Token token_;
};

}  // namespace

std::expected<Syntax, Error> parse(std::string_view expression, int nesting) {
  return Parser(expression, nesting).whole();
}

}  // namespace weir::expression
