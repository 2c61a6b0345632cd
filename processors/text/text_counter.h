#pragma once

#include <cstdint>
#include <string_view>

namespace weir::processors {

struct TextCounts {
  std::uint64_t lines = 0;
  std::uint64_t filled_lines = 0;  // with anything but white space
  std::uint64_t words = 0;
  std::uint64_t units = 0;  // UTF-16, without line ends
};

// Counts over a text that comes in pieces of whole characters.
class TextCounter {
 public:
  explicit TextCounter(bool splits_on_symbols);

  void add(std::string_view utf8);
  TextCounts finish();  // the last line may lack its end

 private:
  // What a character is to the counts. One of U+0020 or below that is no white space to a regular
  // expression is part of an item, but does not make it a word.
  enum class Kind : unsigned char { word, item, separator, line_feed, carriage_return, wide };

  void end_line();
  void wide_character(std::string_view character);

  Kind kinds_[256];
  bool is_white_[128];
  TextCounts counts_;
  bool has_line_ = false;   // the current line has something, be it only its end
  bool is_filled_ = false;  // the current line has more than white space
  bool in_word_ = false;
  bool after_cr_ = false;
  std::uint64_t line_words_ = 0;  // none of them counts in a line of white space
};

}  // namespace weir::processors
