#pragma once

#include <cstddef>
#include <string_view>

namespace weir::json {

// A position in the text of a path, and the looks around it that its grammar needs. Past the ends
// of the text there is a character that stands for nothing.
class PathCursor {
 public:
  static constexpr std::size_t none = std::string_view::npos;

  explicit PathCursor(std::string_view text) : text_(text), end_(text.size()) {}

  std::size_t position() const { return position_; }
  void set_position(std::size_t position) { position_ = position; }
  void advance(std::size_t count = 1) { position_ += count; }
  std::size_t end() const { return end_; }
  void shorten_end() { --end_; }

  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  char current() const { return at(position_); }
  char last() const { return end_ > 0 ? text_[end_ - 1] : '\0'; }
  bool in_bounds(std::size_t position) const { return position < end_; }
  bool in_bounds() const { return in_bounds(position_); }
  // A path whose last character is reached is complete, whatever that character is.
  bool is_at_tail() const { return position_ + 1 >= end_; }
  std::string_view between(std::size_t begin, std::size_t end) const {
    begin = begin < text_.size() ? begin : text_.size();
    return text_.substr(begin, end > begin ? end - begin : 0);
  }

  void skip_blanks() {
    while (position_ + 1 < end_ && current() == ' ') ++position_;
  }
  void trim() {
    skip_blanks();
    while (position_ + 1 < end_ && last() == ' ') --end_;
  }

  // The first character after `position` that is no blank.
  std::size_t next_significant(std::size_t position) const {
    ++position;
    while (in_bounds(position) && at(position) == ' ') ++position;
    return position;
  }
  char next_significant_char(std::size_t position) const {
    const std::size_t next = next_significant(position);
    return in_bounds(next) ? at(next) : ' ';
  }
  // The last character before `position` that is no blank; `none` where there is none.
  std::size_t previous_significant(std::size_t position) const {
    while (position > 0) {
      if (at(--position) != ' ') return position;
    }
    return none;
  }
  std::size_t find(std::size_t from, char c) const {
    for (std::size_t i = from; i < end_; ++i) {
      if (text_[i] == c) return i;
    }
    return none;
  }
  // After `from`; a character after a backslash does not count.
  std::size_t find_unescaped(std::size_t from, char c) const {
    bool is_escaped = false;
    for (std::size_t i = from + 1; i < end_; ++i) {
      if (is_escaped) {
        is_escaped = false;
      } else if (text_[i] == '\\') {
        is_escaped = true;
      } else if (text_[i] == c) {
        return i;
      }
    }
    return none;
  }
  // The end of what opens at `from`; strings, and regular expressions where asked, are skipped.
  std::size_t find_closing(std::size_t from, char open, char close, bool skip_regex) const {
    int depth = 1;
    for (std::size_t i = from + 1; i < end_; ++i) {
      if (at(i) == '\'' || at(i) == '"') {
        i = find_unescaped(i, at(i));
        if (i == none) return none;
        ++i;
      }
      if (skip_regex && at(i) == '/') {
        i = find_unescaped(i, '/');
        if (i == none) return none;
        ++i;
      }
      if (at(i) == open) ++depth;
      if (at(i) == close && --depth == 0) return i;
    }
    return none;
  }

 private:
  std::string_view text_;
  std::size_t end_;
  std::size_t position_ = 0;
};

}  // namespace weir::json
