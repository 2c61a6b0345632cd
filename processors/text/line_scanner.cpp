#include "processors/text/line_scanner.h"

#include <algorithm>
#include <cstring>

namespace weir::processors {
namespace {

constexpr std::size_t buffer_bytes = 128 * 1024;

}  // namespace

LineScanner::LineScanner(InputStream& in, std::string marker)
    : in_(&in),
      marker_(std::move(marker)),
      buffer_(std::clamp<std::uint64_t>(in.size(), 1, buffer_bytes)) {}

bool LineScanner::fill() {
  at_ = 0;
  filled_ = in_->read(std::as_writable_bytes(std::span(buffer_)));
  return filled_ > 0;
}

std::optional<Line> LineScanner::next() {
  if (at_ == filled_ && !fill()) return std::nullopt;
  Line line;
  std::size_t matched = 0;  // bytes of the marker seen so far
  bool matches = !marker_.empty();
  while (at_ < filled_ || fill()) {
    const char* start = buffer_.data() + at_;
    const std::size_t left = filled_ - at_;
    const auto* lf = static_cast<const char*>(std::memchr(start, '\n', left));
    std::size_t span = lf ? static_cast<std::size_t>(lf - start) : left;
    const auto* cr = static_cast<const char*>(std::memchr(start, '\r', span));
    if (cr) span = static_cast<std::size_t>(cr - start);
    if (matches && matched < marker_.size()) {
      const std::size_t compared = std::min(span, marker_.size() - matched);
      matches = std::memcmp(start, marker_.data() + matched, compared) == 0;
      matched += compared;
    }
    line.length += span;
    at_ += span;
    if (!cr && !lf) continue;
    ++at_;
    ++line.length;
    line.end_length = 1;
    if (cr && (at_ < filled_ || fill()) && buffer_[at_] == '\n') {
      ++at_;
      ++line.length;
      line.end_length = 2;
    }
    break;
  }
  line.starts_with_marker = matches && matched == marker_.size();
  return line;
}

}  // namespace weir::processors
