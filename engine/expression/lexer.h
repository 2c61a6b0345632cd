#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::expression {

struct Token {
  enum class Kind : std::uint8_t {
    dollar,
    open_brace,
    close_brace,
    open_parenthesis,
    close_parenthesis,
    colon,
    comma,
    parameter,  // #{
    whole,
    decimal,
    text,  // in quotes; `value` holds it with \n \r \t \' \" replaced, \\ and others as they stand
    name,
    end,
    unknown,
  };
  Kind kind = Kind::end;
  std::size_t offset = 0;
  std::string value = {};
};

// Cuts an expression into tokens, blanks and comments left away.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  void skip_blanks();
  Token quoted();
  Token number_or_name();

  const std::string_view text_;
  std::size_t at_ = 0;
  bool broken_comment_ = false;
};

}  // namespace weir::expression
