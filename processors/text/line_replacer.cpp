#include "processors/text/line_replacer.h"

#include "engine/text/utf16.h"

namespace weir::processors {
namespace {

// An empty text is found before each character and at the end.
void insert_everywhere(std::string_view text, std::string_view value, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    text::next_code_point(text, at);
    out.append(value).append(text.substr(start, at - start));
  }
  out.append(value);
}

}  // namespace

void SurroundReplacer::replace_lines(std::string_view lines, TextOutput& out) {
  LineCursor cursor(lines);
  for (TextLine line; cursor.next(line);) {
    if (!before_.empty()) out.write(before_);
    if (after_.empty()) {
      out.write(line.text);
      continue;
    }
    out.write(line.body());
    out.write(after_);
    out.write(line.text.substr(line.text.size() - line.end_length));
  }
}

bool SurroundReplacer::replace_text(std::string_view text, std::string& out) {
  out.append(before_).append(text).append(after_);
  return true;
}

void AlwaysReplacer::replace_lines(std::string_view lines, TextOutput& out) {
  LineCursor cursor(lines);
  for (TextLine line; cursor.next(line);) {
    out.write(value_);
    out.write(line.text.substr(line.text.size() - line.end_length));
  }
}

bool AlwaysReplacer::replace_text(std::string_view, std::string& out) {
  out.append(value_);
  return true;
}

LiteralReplacer::LiteralReplacer(std::string what, std::string value)
    : what_(std::move(what)), value_(std::move(value)) {
  is_within_a_line_ = !what_.empty() && what_.find_first_of("\r\n") == std::string::npos;
}

void LiteralReplacer::replace_in(std::string_view text, ReplacedText& replaced) const {
  if (what_.empty()) return insert_everywhere(text, value_, replaced.made());
  std::size_t at = 0;
  while (true) {
    const std::size_t found = find_bytes(text, what_, at);
    if (found == std::string_view::npos) break;
    replaced.keep(text.substr(at, found - at));
    replaced.made().append(value_);
    at = found + what_.size();
  }
  replaced.keep(text.substr(at));
}

void LiteralReplacer::replace_lines(std::string_view lines, TextOutput& out) {
  ReplacedText replaced(out);
  if (is_within_a_line_) {
    // It cannot be found across a line end: all lines are one text.
    replace_in(lines, replaced);
  } else {
    LineCursor cursor(lines);
    for (TextLine line; cursor.next(line);) replace_in(line.text, replaced);
  }
  replaced.finish();
}

bool LiteralReplacer::replace_text(std::string_view text, std::string& out) {
  if (what_.empty()) {
    insert_everywhere(text, value_, out);
    return true;
  }
  std::size_t at = 0;
  for (std::size_t found; (found = find_bytes(text, what_, at)) != std::string_view::npos;
       at = found + what_.size()) {
    out.append(text.substr(at, found - at)).append(value_);
  }
  out.append(text.substr(at));
  return at > 0;
}

}  // namespace weir::processors
