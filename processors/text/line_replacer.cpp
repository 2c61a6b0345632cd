#include "processors/text/line_replacer.h"

#include "engine/text/utf16.h"

namespace weir::processors {

void SurroundReplacer::replace_lines(std::string_view lines, ReplacedText& out) {
  LineCursor cursor(lines);
  for (TextLine line; cursor.next(line);) {
    if (!before_.empty()) out.made().append(before_);
    out.keep(line.body());
    if (!after_.empty()) out.made().append(after_);
    out.keep(line.text.substr(line.text.size() - line.end_length));
  }
}

bool SurroundReplacer::replace_text(std::string_view text, ReplacedText& out) {
  out.made().append(before_);
  out.keep(text);
  out.made().append(after_);
  return true;
}

void AlwaysReplacer::replace_lines(std::string_view lines, ReplacedText& out) {
  LineCursor cursor(lines);
  for (TextLine line; cursor.next(line);) {
    out.made().append(value_);
    out.keep(line.text.substr(line.text.size() - line.end_length));
  }
}

bool AlwaysReplacer::replace_text(std::string_view, ReplacedText& out) {
  out.made().append(value_);
  return true;
}

LiteralReplacer::LiteralReplacer(std::string what, std::string value)
    : what_(std::move(what)), value_(std::move(value)) {
  is_within_a_line_ = !what_.empty() && what_.find_first_of("\r\n") == std::string::npos;
}

void LiteralReplacer::replace_lines(std::string_view lines, ReplacedText& out) {
  if (is_within_a_line_) {
    // It cannot be found across a line end: all lines are one text.
    replace_text(lines, out);
    return;
  }
  LineCursor cursor(lines);
  for (TextLine line; cursor.next(line);) replace_text(line.text, out);
}

bool LiteralReplacer::replace_text(std::string_view text, ReplacedText& out) {
  if (what_.empty()) {
    // Nothing is found before each character and at the end.
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t start = at;
      text::next_code_point(text, at);
      out.made().append(value_).append(text.substr(start, at - start));
    }
    out.made().append(value_);
    return true;
  }
  std::size_t at = 0;
  for (std::size_t found; (found = find_bytes(text, what_, at)) != std::string_view::npos;
       at = found + what_.size()) {
    out.keep(text.substr(at, found - at));
    out.made().append(value_);
  }
  out.keep(text.substr(at));
  return at > 0;
}

}  // namespace weir::processors
