#include "processors/text/text_splitter.h"

#include <fmt/format.h>

namespace weir::processors {

TextSplitter::TextSplitter(InputStream& in, SplitRules rules)
    : in_(in), rules_(std::move(rules)), scanner_(in, rules_.header_marker) {
  header_ = read_header();
}

std::optional<Line> TextSplitter::next_line() {
  if (!pending_) return scanner_.next();
  const Line line = *pending_;
  pending_.reset();
  return line;
}

std::expected<Header, std::string> TextSplitter::read_header() {
  Header header;
  const bool by_marker = rules_.header_lines == 0 && !rules_.header_marker.empty();
  if (rules_.header_lines == 0 && !by_marker) return header;
  std::uint64_t lines = 0;
  while (by_marker || lines < rules_.header_lines) {
    const std::optional<Line> line = scanner_.next();
    if (!line) break;
    if (by_marker && !line->starts_with_marker) {
      pending_ = line;
      break;
    }
    if (header.length + line->length > rules_.fragment_bytes) {
      return std::unexpected(fmt::format(
          "its header is larger than Maximum Fragment Size ({} bytes)", rules_.fragment_bytes));
    }
    ++lines;
    header.length += line->length;
    header.trimmed = header.length - line->end_length;
  }
  if (lines < rules_.header_lines) {
    return std::unexpected(
        fmt::format("it has {} lines, the header needs {}", lines, rules_.header_lines));
  }
  offset_ = header.length;
  return header;
}

void TextSplitter::skip_to(std::uint64_t offset, bool is_carried) {
  in_.seek(offset);
  scanner_ = LineScanner(in_, rules_.header_marker);
  pending_.reset();
  pending_is_carried_ = is_carried;
  offset_ = offset;
  made_any_ = true;
}

std::optional<Fragment> TextSplitter::next() {
  Fragment fragment{.offset = offset_, .is_carried = pending_is_carried_};
  std::uint64_t lines = 0;
  std::uint64_t line_ends = 0;  // at the end of the fragment so far
  bool is_last = false;
  pending_is_carried_ = false;
  while (rules_.lines == 0 || lines < rules_.lines) {
    const std::optional<Line> line = next_line();
    if (!line) {
      is_last = true;
      break;
    }
    if (fragment.length > 0 &&
        fragment.length + line->length + header_->length > rules_.fragment_bytes) {
      pending_ = line;
      pending_is_carried_ = true;
      break;
    }
    fragment.length += line->length;
    ++lines;
    if (line->is_blank()) {
      line_ends += line->end_length;
    } else {
      line_ends = line->end_length;
      ++fragment.filled_lines;
    }
    // A single line that is too long is a fragment by itself.
    if (fragment.length + header_->length > rules_.fragment_bytes) break;
  }
  if (lines == 0) {
    if (made_any_ || header_->length == 0) return std::nullopt;
    made_any_ = true;
    return fragment;
  }
  made_any_ = true;
  // NiFi's answer, and flows know it: a line that was carried over and is all of the last
  // fragment keeps its end.
  const bool keeps_end = fragment.is_carried && lines == 1 && is_last;
  fragment.trimmed = keeps_end ? fragment.length : fragment.length - line_ends;
  offset_ += fragment.length;
  return fragment;
}

}  // namespace weir::processors
