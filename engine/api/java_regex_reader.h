#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weir::java_regex {

// Why an expression is none; thrown within the translation only.
struct Failure {
  std::size_t offset;
  std::string message;
};

// Reads characters and their escapes from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(std::string message) const { throw Failure{at_, std::move(message)}; }
  bool done() const { return at_ >= text_.size(); }
  std::size_t position() const { return at_; }
  void skip(std::size_t bytes = 1) { at_ += bytes; }
  void go_back(std::size_t bytes = 1) { at_ -= bytes; }
  char next() { return text_[at_++]; }
  // What stands `ahead` bytes on; NUL past the end.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool sees(std::string_view expected) const { return text_.substr(at_).starts_with(expected); }
  bool take(std::string_view expected) {
    if (!sees(expected)) return false;
    at_ += expected.size();
    return true;
  }
  std::string_view rest() const { return text_.substr(at_); }
  std::string_view since(std::size_t position) const {
    return text_.substr(position, at_ - position);
  }
  // Up to `end`, which is taken as well; fails with `message` where it does not come.
  std::string_view take_until(char end, std::string_view message) {
    const std::size_t place = text_.find(end, at_);
    if (place == std::string_view::npos) fail(std::string(message));
    const std::string_view inner = text_.substr(at_, place - at_);
    at_ = place + 1;
    return inner;
  }
  std::string_view take_character();  // all its bytes
  // Behind a backslash: an escape that means one character by its number or name; nothing is
  // taken where it is none.
  std::optional<char32_t> character_escape();

 private:
  char32_t hexadecimal(std::size_t least, std::size_t most);
  char32_t unicode_escape();
  char32_t octal();

  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace weir::java_regex
