#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::flow_test {

// What is wrong with a line; the parser knows where.
struct SyntaxError {
  std::string what;
  std::string nearest = {};
};

std::string_view trim(std::string_view text);

// A word as it stands in a line: "quoted" words may hold blanks and are never keywords.
struct Word {
  std::string text;
  bool quoted = false;

  bool is(std::string_view keyword) const { return !quoted && text == keyword; }
};
// Takes the first word off; `text` keeps the rest, trimmed.
Word take_word(std::string_view& text);

std::uint64_t whole_number(std::string_view text);

// \n \r \t \s (blank) \\ \/ \xHH.
std::string unescape(std::string_view text);
std::string decode_base64(std::string_view text);

bool is_pattern(std::string_view text);               // /.../
std::string compiled_pattern(std::string_view text);  // what is between the slashes, if it is good

void replace_all(std::string& text, std::string_view from, std::string_view to);

}  // namespace weir::flow_test
