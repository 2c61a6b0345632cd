#include "engine/api/java_regex_reader.h"

#include <cctype>

namespace weir::java_regex {

std::string_view Reader::take_character() {
  std::size_t length = 1;
  while (at_ + length < text_.size() &&
         (static_cast<unsigned char>(text_[at_ + length]) & 0xc0) == 0x80) {
    ++length;
  }
  const std::string_view character = text_.substr(at_, length);
  at_ += length;
  return character;
}

char32_t Reader::hexadecimal(std::size_t least, std::size_t most) {
  char32_t value = 0;
  std::size_t digits = 0;
  while (digits < most && std::isxdigit(static_cast<unsigned char>(peek()))) {
    const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_++])));
    value = value * 16 + static_cast<char32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    ++digits;
  }
  if (digits < least) fail("an escape with too few hexadecimal digits");
  if (value > 0x10ffff) fail("an escape beyond the last character");
  return value;
}

char32_t Reader::unicode_escape() {
  const char32_t high = hexadecimal(4, 4);
  if (high < 0xd800 || high > 0xdbff || !text_.substr(at_).starts_with("\\u")) return high;
  const std::size_t back = at_;
  at_ += 2;
  const char32_t low = hexadecimal(4, 4);
  if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  at_ = back;
  return high;
}

char32_t Reader::octal() {
  char32_t code = 0;
  std::size_t digits = 0;
  while (digits < 3 && peek() >= '0' && peek() <= '7') {
    const char32_t next_code = code * 8 + static_cast<char32_t>(peek() - '0');
    if (next_code > 255) break;
    code = next_code;
    ++at_;
    ++digits;
  }
  if (digits == 0) fail("\\0 needs octal digits");
  return code;
}

std::optional<char32_t> Reader::character_escape() {
  const char c = peek();
  const auto simple = [this](char32_t code) {
    ++at_;
    return code;
  };
  switch (c) {
    case 't':
      return simple('\t');
    case 'n':
      return simple('\n');
    case 'r':
      return simple('\r');
    case 'f':
      return simple('\f');
    case 'a':
      return simple(7);
    case 'e':
      return simple(27);
    case 'c':
      if (at_ + 1 >= text_.size()) fail("\\c needs a character");
      at_ += 2;
      return static_cast<char32_t>(static_cast<unsigned char>(text_[at_ - 1]) ^ 64);
    case 'u':
      ++at_;
      return unicode_escape();
    case 'x': {
      ++at_;
      if (!take("{")) return hexadecimal(2, 2);
      const char32_t code = hexadecimal(1, 6);
      if (!take("}")) fail("\\x{ without '}'");
      return code;
    }
    case '0':
      ++at_;
      return octal();
    default:
      return std::nullopt;
  }
}

}  // namespace weir::java_regex
