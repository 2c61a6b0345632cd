#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/process_session.h"

namespace weir::processors {

// One line of a text as a range: the bytes are not kept.
struct Line {
  std::uint64_t length = 0;      // with its end
  std::uint32_t end_length = 0;  // 0 (last line without end), 1 (LF or lone CR) or 2 (CRLF)
  bool starts_with_marker = false;

  bool is_blank() const { return length == end_length; }
};

// Finds the lines of a content of any size in bounded memory. A line ends with LF, CRLF or a
// lone CR; the one rule of all text processors. Bytes are never interpreted otherwise: a BOM or
// invalid UTF-8 is part of its line.
class LineScanner {
 public:
  // Lines are compared with `marker` (may be empty: none starts with it).
  LineScanner(InputStream& in, std::string marker);

  std::optional<Line> next();

 private:
  bool fill();  // more bytes into the buffer; false at the end

  InputStream* in_;
  std::string marker_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace weir::processors
