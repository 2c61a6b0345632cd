#pragma once

#include <compare>
#include <string>
#include <string_view>

// Case and white space as java.lang.String and Character see them; the locale is en_US. Text is
// UTF-8; ill-formed bytes stay as they are.
namespace weir::text {

// Full mappings of Unicode: sharp s becomes SS, a final sigma stays one, U+0130 becomes i and a
// combining dot.
std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);
void append_upper(std::string& out, std::string_view text);
void append_lower(std::string& out, std::string_view text);

// String.equalsIgnoreCase: the same length in UTF-16 units, and each pair of characters equal,
// or equal in upper case, or then in lower case. No full mappings: sharp s is not SS.
bool equals_ignore_case(std::string_view a, std::string_view b);

// String.compareTo: by UTF-16 units, so a character past U+FFFF stands before U+E000..U+FFFF.
std::strong_ordering compare(std::string_view a, std::string_view b);

// Character.isWhitespace: separators apart from the no-break ones, U+0009..U+000D, U+001C..U+001F.
bool is_whitespace(char32_t code_point);
// Nothing but such characters (also: nothing at all), as String.isBlank.
bool is_blank(std::string_view text);

// String.trim: without characters up to U+0020 at both ends.
std::string_view trim(std::string_view text);
// String.strip: without white space at both ends.
std::string_view strip(std::string_view text);

}  // namespace weir::text
