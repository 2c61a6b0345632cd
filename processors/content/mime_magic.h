#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/pattern.h"

namespace weir::processors {

// Bytes that must stand somewhere within a range of offsets.
struct MagicMatch {
  std::size_t first_offset = 0;
  std::size_t last_offset = 0;  // where they may begin
  std::string bytes;
  std::string mask = {};  // empty: all bits count; else as long as `bytes`
  bool ignores_case = false;
  std::optional<Pattern> expression = {};  // instead of `bytes`

  // Makes mask and bytes equally long: all bits count where the mask says nothing.
  void fit_mask();
  bool matches(std::string_view content) const;
};

// A condition on the beginning of a content.
struct MagicRule {
  enum class Kind { match, all, at_least };
  Kind kind = Kind::match;
  MagicMatch match = {};
  std::size_t least = 1;  // of `parts`, for at_least
  std::vector<MagicRule> parts = {};

  bool matches(std::string_view content) const;
  // How much it says: of rules with one priority the larger comes first.
  std::size_t weight() const;
};

// The notation of the built-in table:
//   rule   := term { " | " term }           one of them
//   term   := factor { " & " factor }       all of them
//   factor := "(" rule ")" | N "?(" rule ")" | offset [":" last] ["~"] "=" bytes ["/" mask]
// N: at least so many of the alternatives. ~: upper and lower case are the same; the bytes are
// lower case then. Bytes and mask: characters, or \xHH. The error names the position.
std::expected<MagicRule, std::string> parse_magic_rule(std::string_view text);

}  // namespace weir::processors
