#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/process_session.h"

namespace weir::processors {

// Finds a sequence of bytes in a content of any size, in bounded memory. Places that are found do
// not overlap: the search goes on after each.
class SequenceFinder {
 public:
  // `sequence` is not empty. The search starts at `offset`.
  SequenceFinder(InputStream& in, std::string sequence, std::uint64_t offset = 0);

  // The offset after the next place; nullopt where there is none.
  std::optional<std::uint64_t> next();

 private:
  bool fill();

  InputStream& in_;
  const std::string sequence_;
  std::vector<char> buffer_;
  std::uint64_t buffer_offset_;  // of the buffer's first byte, in the content
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace weir::processors
