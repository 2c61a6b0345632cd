#include "engine/text/java_case.h"

#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "engine/text/utf16.h"

namespace weir::text {
namespace {

using FullMapping = std::int32_t (*)(UChar*, std::int32_t, const UChar*, std::int32_t, const char*,
                                     UErrorCode*);

void append_ascii(std::string& out, std::string_view text, char first, char last) {
  const std::size_t begin = out.size();
  out.append(text);
  for (std::size_t i = begin; i < out.size(); ++i) {
    const char c = out[i];
    out[i] = static_cast<char>(c ^ (c >= first && c <= last ? 0x20 : 0));
  }
}

// A whole well-formed piece through ICU.
void append_mapped(std::string& out, const std::vector<UChar>& units, FullMapping mapping) {
  if (units.empty()) return;
  std::vector<UChar> mapped(units.size() * 3);  // no character becomes more than three units
  UErrorCode error = U_ZERO_ERROR;
  const std::int32_t size =
      mapping(mapped.data(), static_cast<std::int32_t>(mapped.size()), units.data(),
              static_cast<std::int32_t>(units.size()), "", &error);
  if (U_FAILURE(error)) std::abort();
  for (std::int32_t i = 0; i < size;) {
    UChar32 c = 0;
    U16_NEXT(mapped.data(), i, size, c);
    append_code_point(out, static_cast<char32_t>(c));
  }
}

// Ill-formed bytes divide the text into pieces and stay.
void append_full(std::string& out, std::string_view text, FullMapping mapping) {
  std::vector<UChar> units;
  units.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (c == 0xFFFD && at - begin == 1) {
      append_mapped(out, units, mapping);
      units.clear();
      out += text[begin];
    } else if (c > 0xFFFF) {
      units.push_back(U16_LEAD(c));
      units.push_back(U16_TRAIL(c));
    } else {
      units.push_back(static_cast<UChar>(c));
    }
  }
  append_mapped(out, units, mapping);
}

}  // namespace

void append_upper(std::string& out, std::string_view text) {
  if (is_ascii(text)) return append_ascii(out, text, 'a', 'z');
  append_full(out, text, &u_strToUpper);
}

void append_lower(std::string& out, std::string_view text) {
  if (is_ascii(text)) return append_ascii(out, text, 'A', 'Z');
  append_full(out, text, &u_strToLower);
}

std::string to_upper(std::string_view text) {
  std::string out;
  append_upper(out, text);
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out;
  append_lower(out, text);
  return out;
}

bool equals_ignore_case(std::string_view a, std::string_view b) {
  std::size_t at_a = 0;
  std::size_t at_b = 0;
  while (at_a < a.size() && at_b < b.size()) {
    const auto x = static_cast<UChar32>(next_code_point(a, at_a));
    const auto y = static_cast<UChar32>(next_code_point(b, at_b));
    if (x == y) continue;
    const UChar32 upper_x = u_toupper(x);
    const UChar32 upper_y = u_toupper(y);
    if (upper_x != upper_y && u_tolower(upper_x) != u_tolower(upper_y)) return false;
  }
  return at_a == a.size() && at_b == b.size();
}

std::strong_ordering compare(std::string_view a, std::string_view b) {
  const auto [x, y] = std::ranges::mismatch(a, b);
  if (x == a.end() || y == b.end()) return a.size() <=> b.size();
  const auto left = static_cast<unsigned char>(*x);
  const auto right = static_cast<unsigned char>(*y);
  // A four-byte character has surrogates, which stand below U+E000 (0xEE in UTF-8).
  const auto weight = [](unsigned byte) { return byte >= 0xF0 ? 0xEC80u + byte : byte * 0x100u; };
  return weight(left) <=> weight(right);
}

bool is_whitespace(char32_t code_point) {
  return u_isWhitespace(static_cast<UChar32>(code_point));
}

bool is_blank(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_whitespace(next_code_point(text, at))) return false;
  }
  return true;
}

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view strip(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t next = begin;
    if (!is_whitespace(next_code_point(text, next))) break;
    begin = next;
  }
  text.remove_prefix(begin);
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (text[last] & 0xC0) == 0x80) --last;
    std::size_t end = last;
    if (!is_whitespace(next_code_point(text, end)) || end != text.size()) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

}  // namespace weir::text
