#pragma once

#include <span>
#include <string_view>

namespace weir::text {

// A named character of HTML, its name without & and ;.
struct HtmlEntity {
  char16_t code_point;
  std::string_view name;
};

// Sorted by code point: those of ISO-8859-1, U+00A0..U+00FF without a gap, and those that HTML 4.0
// added. Neither has the five of markup itself.
std::span<const HtmlEntity> latin1_entities();
std::span<const HtmlEntity> extended_entities();

}  // namespace weir::text
