#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "engine/expression/expression.h"

namespace weir::expression {

// An expression as it is written, names not yet looked at.
struct Syntax {
  enum class Kind : std::uint8_t {
    expression,  // ${...}: the head, then a call for each function behind it
    attribute,   // one child: a text or an expression that gives the name
    call,        // of a function, with its arguments
    parameter,
    text,
    whole,
    decimal,
    boolean,
    null,
  };
  Kind kind = Kind::null;
  std::size_t offset = 0;
  std::string value = {};  // name or text
  std::vector<Syntax> children = {};
};

// Expressions within expressions, and functions in a chain; what is deeper is an error.
constexpr int most_nested = 400;
constexpr std::size_t longest_chain = 2000;

// Reads one expression, from its $ to its closing brace. `nesting`: how many are around it.
std::expected<Syntax, Error> parse(std::string_view expression, int nesting = 0);

}  // namespace weir::expression
