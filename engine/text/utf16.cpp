#include "engine/text/utf16.h"

#include <algorithm>
#include <cstring>

#include "engine/text/character_set.h"

namespace weir::text {
namespace {

constexpr std::uint64_t high_bits = 0x8080808080808080;

// The length of the well-formed character at `offset`, or 1 for a byte that begins none.
std::size_t width_at(std::string_view text, std::size_t offset) {
  std::size_t end = offset;
  next_code_point(text, end);
  return end - offset;
}

}  // namespace

bool is_ascii(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint64_t word = 0;
  for (; end - at >= 32; at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, at, sizeof(words));
    if ((words[0] | words[1] | words[2] | words[3]) & high_bits) return false;
  }
  for (; end - at >= 8; at += 8) {
    std::memcpy(&word, at, sizeof(word));
    if (word & high_bits) return false;
  }
  for (; at < end; ++at) {
    if (*at & 0x80) return false;
  }
  return true;
}

char32_t next_code_point(std::string_view text, std::size_t& offset) {
  constexpr char32_t replacement = 0xFFFD;
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned first = byte(offset);
  const std::size_t begin = offset++;
  if (first < 0x80) return first;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - begin < length) return replacement;
  char32_t value = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte(begin + i);
    if ((next & 0xC0) != 0x80) return replacement;
    value = value << 6 | (next & 0x3F);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
    return replacement;
  }
  offset = begin + length;
  return value;
}

void append_code_point(std::string& out, char32_t code_point) {
  const auto last = static_cast<char>(0x80 | (code_point & 0x3F));
  const auto third = static_cast<char>(0x80 | (code_point >> 6 & 0x3F));
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    const char bytes[] = {static_cast<char>(0xC0 | code_point >> 6), last};
    out.append(bytes, sizeof(bytes));
  } else if ((code_point >= 0xD800 && code_point < 0xE000) || code_point > 0x10FFFF) {
    out += '?';
  } else if (code_point < 0x10000) {
    const char bytes[] = {static_cast<char>(0xE0 | code_point >> 12), third, last};
    out.append(bytes, sizeof(bytes));
  } else {
    const char bytes[] = {static_cast<char>(0xF0 | code_point >> 18),
                          static_cast<char>(0x80 | (code_point >> 12 & 0x3F)), third, last};
    out.append(bytes, sizeof(bytes));
  }
}

std::size_t utf16_length(std::string_view text) {
  if (is_ascii(text)) return text.size();
  std::size_t units = 0;
  if (is_valid_utf8(text)) {
    for (const char c : text) {
      units += (c & 0xC0) != 0x80 ? 1 : 0;
      units += static_cast<unsigned char>(c) >= 0xF0 ? 1 : 0;
    }
    return units;
  }
  for (std::size_t at = 0; at < text.size(); ++units) {
    const std::size_t width = width_at(text, at);
    if (width == 4) ++units;
    at += width;
  }
  return units;
}

std::optional<UnitPosition> offset_of_unit(std::string_view text, std::size_t unit) {
  if (is_ascii(text.substr(0, unit))) {
    if (unit > text.size()) return std::nullopt;
    return UnitPosition{unit};
  }
  std::size_t at = 0;
  std::size_t units = 0;
  while (units < unit) {
    if (at == text.size()) return std::nullopt;
    const std::size_t width = width_at(text, at);
    const std::size_t count = width == 4 ? 2 : 1;
    if (units + count > unit) return UnitPosition{at, true};
    units += count;
    at += width;
  }
  return UnitPosition{at};
}

std::size_t unit_of_offset(std::string_view text, std::size_t offset) {
  return utf16_length(text.substr(0, offset));
}

std::optional<std::string> substring(std::string_view text, std::int64_t begin, std::int64_t end) {
  if (begin < 0 || end < begin) return std::nullopt;
  const auto first = offset_of_unit(text, static_cast<std::size_t>(begin));
  if (!first) return std::nullopt;
  const auto last = offset_of_unit(text, static_cast<std::size_t>(end));
  if (!last) return std::nullopt;
  if (begin == end) return std::string();
  std::string out;
  std::size_t from = first->offset;
  if (first->inside) {
    out += '?';
    from += 4;
  }
  if (last->offset > from) out.append(text, from, last->offset - from);
  if (last->inside) out += '?';
  return out;
}

std::optional<std::string> substring(std::string_view text, std::int64_t begin) {
  return substring(text, begin, static_cast<std::int64_t>(utf16_length(text)));
}

std::int64_t index_of(std::string_view text, std::string_view needle, std::int64_t from) {
  std::size_t start = 0;
  if (from > 0) {
    const auto position = offset_of_unit(text, static_cast<std::size_t>(from));
    start = position ? position->offset + (position->inside ? 4 : 0) : text.size();
  }
  const std::size_t found = text.find(needle, start);
  if (found == std::string_view::npos) return -1;
  return static_cast<std::int64_t>(unit_of_offset(text, found));
}

std::int64_t last_index_of(std::string_view text, std::string_view needle) {
  const std::size_t found = text.rfind(needle);
  if (found == std::string_view::npos) return -1;
  return static_cast<std::int64_t>(unit_of_offset(text, found));
}

}  // namespace weir::text
