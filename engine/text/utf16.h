#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Lengths and positions as Java counts them, in UTF-16 units, over text in UTF-8. A character
// past U+FFFF counts two units. Bytes that are not UTF-8 count one unit each. All functions are
// linear; ASCII text is recognised eight bytes at a time and needs no counting beyond that.
namespace weir::text {

bool is_ascii(std::string_view text);

std::size_t utf16_length(std::string_view text);

// Where a unit begins. `inside` is set where the index points between the two units of one
// character: then the offset is that of the character.
struct UnitPosition {
  std::size_t offset = 0;  // bytes
  bool inside = false;
};
// Empty where the index is past the end; the index of the end itself is valid.
std::optional<UnitPosition> offset_of_unit(std::string_view text, std::size_t unit);
// The reverse; the offset must stand at the beginning of a character or at the end.
std::size_t unit_of_offset(std::string_view text, std::size_t offset);

// String.substring(begin, end) without the exception: empty where an index is out of range or
// begin is past end. Half of a character that the cut leaves becomes '?', which is what Java
// writes for it.
std::optional<std::string> substring(std::string_view text, std::int64_t begin, std::int64_t end);
std::optional<std::string> substring(std::string_view text, std::int64_t begin);

// String.indexOf and lastIndexOf: the unit index, or -1. An empty needle is found at `from`
// (bounded by the length), or at the end.
std::int64_t index_of(std::string_view text, std::string_view needle, std::int64_t from = 0);
std::int64_t last_index_of(std::string_view text, std::string_view needle);

// One code point at `offset`, which moves past it. Ill-formed bytes give U+FFFD, one at a time.
char32_t next_code_point(std::string_view text, std::size_t& offset);
// Surrogates and what is past U+10FFFF become '?'.
void append_code_point(std::string& out, char32_t code_point);

}  // namespace weir::text
