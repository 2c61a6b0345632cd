#include "engine/runtime/engine_config_syntax.h"

#include <charconv>

namespace weir::runtime {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\f';
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Joins natural lines to a logical one.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  // False at the end. `line` is without leading space, with continuations joined.
  bool next(std::string& line, std::uint32_t& number) {
    while (!rest_.empty()) {
      line = trim_left(take());
      number = line_;
      if (line.empty() || line[0] == '#' || line[0] == '!') continue;
      while (ends_in_continuation(line)) {
        line.pop_back();
        if (rest_.empty()) break;
        line += trim_left(take());
      }
      return true;
    }
    return false;
  }

 private:
  std::string_view take() {
    ++line_;
    const std::size_t end = rest_.find_first_of("\r\n");
    const std::string_view line = rest_.substr(0, end);
    if (end == std::string_view::npos) {
      rest_ = {};
      return line;
    }
    const bool two = rest_[end] == '\r' && end + 1 < rest_.size() && rest_[end + 1] == '\n';
    rest_.remove_prefix(end + (two ? 2 : 1));
    return line;
  }

  static std::string_view trim_left(std::string_view line) {
    while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
    return line;
  }

  static bool ends_in_continuation(std::string_view line) {
    std::size_t backslashes = 0;
    while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1;
  }

  std::string_view rest_;
  std::uint32_t line_ = 0;
};

// Reads the four digits behind \u; false where they are none.
bool read_code(std::string_view text, std::size_t at, std::uint32_t& code) {
  if (at + 4 > text.size()) return false;
  const char* const end = text.data() + at + 4;
  const auto [stop, failure] = std::from_chars(text.data() + at, end, code, 16);
  return failure == std::errc() && stop == end;
}

// Resolves the escapes of a key or value; returns what is wrong, or "".
std::string unescape(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      if (text[i] != '\\') out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c != 'u') {
      constexpr std::string_view kNames = "tnrf", kMeanings = "\t\n\r\f";
      const std::size_t which = kNames.find(c);
      out += which == std::string_view::npos ? c : kMeanings[which];
      continue;
    }
    std::uint32_t code = 0, low = 0;
    if (!read_code(text, i + 1, code)) return "\\u must be followed by four hexadecimal digits";
    i += 4;
    const bool is_high = code >= 0xD800 && code < 0xDC00;
    if (is_high && text.substr(i + 1, 2) == "\\u" && read_code(text, i + 3, low) && low >= 0xDC00 &&
        low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      i += 6;
    }
    if (code >= 0xD800 && code < 0xE000) return "\\u names one half of a surrogate pair";
    append_utf8(out, code);
  }
  return {};
}

PropertyAssignment split(std::string_view line, std::uint32_t number) {
  std::size_t key_end = 0;
  while (key_end < line.size() && line[key_end] != '=' && line[key_end] != ':' &&
         !is_space(line[key_end])) {
    key_end += line[key_end] == '\\' && key_end + 1 < line.size() ? 2 : 1;
  }
  std::size_t value_start = key_end;
  while (value_start < line.size() && is_space(line[value_start])) ++value_start;
  if (value_start < line.size() && (line[value_start] == '=' || line[value_start] == ':')) {
    ++value_start;
    while (value_start < line.size() && is_space(line[value_start])) ++value_start;
  }
  std::string_view value = line.substr(value_start);
  while (!value.empty() && is_space(value.back()) &&
         (value.size() < 2 || value[value.size() - 2] != '\\')) {
    value.remove_suffix(1);
  }
  PropertyAssignment assignment{.key = {}, .value = {}, .line = number, .error = {}};
  assignment.error = unescape(line.substr(0, key_end), assignment.key);
  if (assignment.error.empty()) assignment.error = unescape(value, assignment.value);
  return assignment;
}

}  // namespace

std::vector<PropertyAssignment> parse_properties(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<PropertyAssignment> assignments;
  LineReader lines(text);
  std::string line;
  std::uint32_t number = 0;
  while (lines.next(line, number)) assignments.push_back(split(line, number));
  return assignments;
}

}  // namespace weir::runtime
