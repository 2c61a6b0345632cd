#include "tools/flow_test/text_syntax.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/api/pattern.h"

namespace weir::flow_test {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  throw SyntaxError{"\\x needs two hexadecimal digits"};
}

}  // namespace

std::string_view trim(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

Word take_word(std::string_view& text) {
  Word word;
  std::size_t end = 0;
  if (text.starts_with('"')) {
    end = text.find('"', 1);
    if (end == std::string_view::npos) throw SyntaxError{"a \" has no partner in this line"};
    word.text = text.substr(1, end - 1);
    word.quoted = true;
    ++end;
  } else {
    end = std::min(text.find_first_of(" \t"), text.size());
    word.text = text.substr(0, end);
  }
  text = trim(text.substr(end));
  return word;
}

std::uint64_t whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw SyntaxError{fmt::format("'{}' is not a whole number", text)};
  }
  return value;
}

std::string unescape(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      result += text[at];
      continue;
    }
    if (++at == text.size()) throw SyntaxError{"a \\ at the end of a line stands for nothing"};
    switch (text[at]) {
      case 'n':
        result += '\n';
        break;
      case 'r':
        result += '\r';
        break;
      case 't':
        result += '\t';
        break;
      case 's':
        result += ' ';
        break;
      case '\\':
      case '/':
        result += text[at];
        break;
      case 'x':
        if (at + 2 >= text.size()) throw SyntaxError{"\\x needs two hexadecimal digits"};
        result += static_cast<char>(hex_digit(text[at + 1]) * 16 + hex_digit(text[at + 2]));
        at += 2;
        break;
      default:
        throw SyntaxError{
            fmt::format("\\{} is no escape; there are \\n \\r \\t \\s \\\\ \\/ \\xHH", text[at])};
    }
  }
  return result;
}

std::string decode_base64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  std::uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw SyntaxError{"this is not base64"};
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    result += static_cast<char>(bits >> count & 0xFF);
  }
  return result;
}

bool is_pattern(std::string_view text) {
  return text.size() >= 2 && text.front() == '/' && text.back() == '/';
}

std::string compiled_pattern(std::string_view text) {
  if (!is_pattern(text)) throw SyntaxError{"a pattern stands between slashes: /.../"};
  const std::string_view inside = text.substr(1, text.size() - 2);
  if (const auto pattern = Pattern::compile(inside); !pattern) throw SyntaxError{pattern.error()};
  return std::string(inside);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace weir::flow_test
