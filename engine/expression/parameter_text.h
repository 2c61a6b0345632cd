#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "engine/expression/expression.h"

namespace weir::expression {

// A text after its parameters have been put in, and from where each part of it came.
struct Substituted {
  std::string text;

  // The offset in the original text of what stands at `offset` now.
  std::size_t original(std::size_t offset) const;

  struct Part {
    std::size_t now;
    std::size_t before;
  };
  std::vector<Part> parts = {};
};

// Puts values in for #{name} and #{'name'}; ##{name} stands for the text #{name}. With
// `in_expressions` also within ${...}, else what stands there is left to the expression. The
// error: an unknown parameter; in a lenient environment it stays as it stands.
std::expected<Substituted, Error> put_parameters_in(std::string_view text,
                                                    const Environment& environment,
                                                    bool in_expressions);
// The same outside of expressions, every parameter without a value.
std::string without_parameters(std::string_view text, Environment environment);

}  // namespace weir::expression
