#include "processors/text/sequence_finder.h"

#include <algorithm>
#include <cstring>

#include "processors/text/text_lines.h"

namespace weir::processors {
namespace {

constexpr std::size_t buffer_bytes = 128 * 1024;

}  // namespace

SequenceFinder::SequenceFinder(InputStream& in, std::string sequence, std::uint64_t offset)
    : in_(in),
      sequence_(std::move(sequence)),
      buffer_(std::max<std::size_t>(std::min<std::uint64_t>(buffer_bytes, in.size()),
                                    2 * sequence_.size())),
      buffer_offset_(offset) {
  in_.seek(offset);
}

// Keeps what may be the beginning of the sequence.
bool SequenceFinder::fill() {
  const std::size_t kept = std::min(filled_ - at_, sequence_.size() - 1);
  const std::size_t dropped = filled_ - kept;
  std::memmove(buffer_.data(), buffer_.data() + dropped, kept);
  buffer_offset_ += dropped;
  at_ = 0;
  filled_ = kept;
  const std::size_t count = in_.read(std::as_writable_bytes(std::span(buffer_).subspan(kept)));
  filled_ += count;
  return count > 0;
}

std::optional<std::uint64_t> SequenceFinder::next() {
  while (true) {
    const std::size_t found = find_bytes({buffer_.data(), filled_}, sequence_, at_);
    if (found != std::string_view::npos) {
      at_ = found + sequence_.size();
      return buffer_offset_ + at_;
    }
    if (!fill()) return std::nullopt;
  }
}

}  // namespace weir::processors
