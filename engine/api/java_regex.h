#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "engine/api/pattern.h"

namespace weir {

struct PcreExpression {
  std::string text;
  bool unicode_classes = false;  // \d, \w, \s, \b are to be Unicode's: PCRE2_UCP
};

// A regular expression of Java's in PCRE2's syntax. Classes with unions and intersections are
// written as alternatives and look-ahead, Java's named properties as the ranges they mean, a
// look-behind of varying length as its alternatives. `bytes`: for texts that are no UTF-8, where
// a character is a byte. The error says what is wrong and at which character (1-based).
std::expected<PcreExpression, std::string> pcre_from_java(std::string_view expression,
                                                          PatternFlags flags, bool bytes);

}  // namespace weir
