#include "processors/kafka/records/demarcated_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors::kafka {
namespace {

constexpr std::size_t kPiece_bytes = 64 * 1024;

}  // namespace

// Appends a piece of the content, the records given already left out.
void DemarcatedReader::fill() {
  buffer_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kPiece_bytes);
  const std::size_t got =
      content_.read(std::as_writable_bytes(std::span(buffer_.data() + size, kPiece_bytes)));
  buffer_.resize(size + got);
  ended_ = got == 0;
}

std::optional<std::string_view> DemarcatedReader::next() {
  while (true) {
    const std::size_t found = buffer_.find(demarcator_, searched_);
    const bool is_whole = found != std::string::npos || ended_;
    const std::size_t size = std::min(found, buffer_.size()) - begin_;
    // What is not whole may end with the beginning of a demarcator.
    if (size > most_bytes_ + (is_whole ? 0 : demarcator_.size())) {
      throw ProcessException(
          fmt::format("a record is larger than Max Request Size, {} bytes", most_bytes_));
    }
    if (found != std::string::npos) {
      const std::string_view record(buffer_.data() + begin_, size);
      begin_ = searched_ = found + demarcator_.size();
      if (!record.empty()) return record;
      continue;
    }
    searched_ = std::max(begin_, buffer_.size() - std::min(buffer_.size(), demarcator_.size() - 1));
    if (!ended_) {
      fill();
      continue;
    }
    const std::string_view last(buffer_.data() + begin_, buffer_.size() - begin_);
    begin_ = searched_ = buffer_.size();
    if (last.empty()) return std::nullopt;
    return last;
  }
}

}  // namespace weir::processors::kafka
