#pragma once

#include <cstddef>
#include <string_view>

namespace weir::processors {

// One line of a text that is held in memory.
struct TextLine {
  std::string_view text;       // with its end
  std::size_t end_length = 0;  // 0 (the last line without end), 1 (LF or lone CR) or 2 (CRLF)

  std::string_view body() const { return text.substr(0, text.size() - end_length); }
};

// Walks the lines of a text that holds whole lines. The rule is that of LineScanner: a line ends
// with LF, CRLF or a lone CR.
class LineCursor {
 public:
  explicit LineCursor(std::string_view text)
      : at_(text.data()), end_(at_ + text.size()), lf_(at_ - 1), cr_(at_ - 1) {}

  bool next(TextLine& line) {
    if (at_ == end_) return false;
    if (lf_ < at_) lf_ = find('\n');
    if (cr_ < at_) cr_ = find('\r');
    const char* stop = lf_ < cr_ ? lf_ : cr_;
    const bool is_crlf = stop == cr_ && lf_ != end_ && lf_ == cr_ + 1;
    line.end_length = stop == end_ ? 0 : (is_crlf ? 2 : 1);
    line.text = {at_, stop + line.end_length};
    at_ = stop + line.end_length;
    return true;
  }

 private:
  // The next one at or after `at_`, or `end_`. Each is looked for once a hit, so that a text of
  // lone CRs is not searched for LF again with each line.
  const char* find(char c) const;

  const char* at_;
  const char* const end_;
  const char* lf_;
  const char* cr_;
};

// Where the first line of a text that is not empty ends, with its line end.
std::size_t first_line_length(std::string_view text);
// Where the last line of a text that is not empty begins.
std::size_t last_line_start(std::string_view text);

// Without characters up to U+0020 at both ends, as String.trim has it.
inline std::string_view trim_line(std::string_view text) {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Where `what` stands in `text` at or after `from`; npos where it does not. `what` is not empty.
std::size_t find_bytes(std::string_view text, std::string_view what, std::size_t from = 0);

}  // namespace weir::processors
