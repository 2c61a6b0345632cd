#pragma once

#include <cstddef>
#include <string_view>

namespace weir::text {

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

// What begins at a byte: a well-formed character, or the longest beginning of one, which is
// replaced as a whole (a byte that begins none stands for itself).
struct Utf8Sequence {
  std::size_t length;
  bool well_formed;
  bool cut;  // the bytes end within it
};
Utf8Sequence utf8_sequence(std::string_view bytes, std::size_t at);

}  // namespace weir::text
