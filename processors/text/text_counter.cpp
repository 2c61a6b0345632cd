#include "processors/text/text_counter.h"

#include "engine/text/java_case.h"
#include "engine/text/utf16.h"

namespace weir::processors {

TextCounter::TextCounter(bool splits_on_symbols) {
  for (int c = 0; c < 256; ++c) {
    kinds_[c] = c >= 0x80 ? Kind::wide : c > ' ' ? Kind::word : Kind::item;
    if (c < 0x80) is_white_[c] = text::is_whitespace(static_cast<char32_t>(c));
  }
  for (const unsigned char c : {' ', '\t', '\v', '\f'}) kinds_[c] = Kind::separator;
  kinds_[static_cast<unsigned char>('\n')] = Kind::line_feed;
  kinds_[static_cast<unsigned char>('\r')] = Kind::carriage_return;
  if (!splits_on_symbols) return;
  // They separate, but a line of them is not blank.
  for (const unsigned char c : {'-', '.', '_'}) kinds_[c] = Kind::separator;
}

void TextCounter::end_line() {
  ++counts_.lines;
  if (is_filled_) {
    ++counts_.filled_lines;
    counts_.words += line_words_;
  }
  has_line_ = is_filled_ = in_word_ = false;
  line_words_ = 0;
}

void TextCounter::wide_character(std::string_view character) {
  std::size_t at = 0;
  const char32_t code_point = text::next_code_point(character, at);
  counts_.units += code_point > 0xFFFF ? 2 : 1;
  if (!text::is_whitespace(code_point)) is_filled_ = true;
  if (!in_word_) ++line_words_;
  in_word_ = true;
}

void TextCounter::add(std::string_view utf8) {
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    const Kind kind = kinds_[c];
    if (kind == Kind::line_feed) {
      if (!after_cr_) end_line();
      after_cr_ = false;
      continue;
    }
    after_cr_ = false;
    if (kind == Kind::carriage_return) {
      end_line();
      after_cr_ = true;
      continue;
    }
    has_line_ = true;
    if (kind == Kind::wide) {
      std::size_t end = i;
      text::next_code_point(utf8, end);
      wide_character(utf8.substr(i, end - i));
      i = end - 1;
      continue;
    }
    ++counts_.units;
    if (!is_white_[c]) is_filled_ = true;
    if (kind == Kind::separator) {
      in_word_ = false;
    } else if (kind == Kind::word && !in_word_) {
      ++line_words_;
      in_word_ = true;
    }
  }
}

TextCounts TextCounter::finish() {
  if (has_line_) end_line();
  return counts_;
}

}  // namespace weir::processors
