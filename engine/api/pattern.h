#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace weir {

// A regular expression as a flow gives it: Java's syntax as far as PCRE2 shares it (nearly all).
// A text that is valid UTF-8 is matched by characters, any other by bytes. The steps of a match
// are limited, so that no expression can hold a thread for ever. Immutable after `compile`,
// thread safe, cheap to copy.
class Pattern {
 public:
  // The error is a sentence with the place in the expression.
  static std::expected<Pattern, std::string> compile(std::string_view expression);

  // The whole text matches (Java's `matches`). A text on which the step limit is reached throws
  // ProcessException naming the expression.
  bool matches(std::string_view text) const;
  // Some part of the text matches (Java's `find`).
  bool contains(std::string_view text) const;

  const std::string& expression() const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;

  bool run(std::string_view text, std::uint32_t options) const;
};

}  // namespace weir
