#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "engine/api/process_session.h"
#include "processors/text/line_scanner.h"

namespace weir::processors {

struct SplitRules {
  std::uint64_t lines = 1;  // a fragment; 0: only the size counts
  std::uint64_t fragment_bytes = UINT64_MAX;
  std::uint64_t header_lines = 0;
  std::string header_marker;  // where header_lines is 0
};

struct Header {
  std::uint64_t length = 0;   // 0: there is none
  std::uint64_t trimmed = 0;  // without the end of its last line
};

// A fragment's own lines, as a range of the content.
struct Fragment {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t trimmed = 0;       // without the line ends at its end
  std::uint64_t filled_lines = 0;  // lines that are not blank
  bool is_carried = false;         // its first line did not fit into the fragment before
};

// Computes the fragments that SplitText makes, one after the other, in bounded memory.
class TextSplitter {
 public:
  // Reads the header. The stream outlives the splitter.
  TextSplitter(InputStream& in, SplitRules rules);

  // The error says why the text cannot be split.
  const std::expected<Header, std::string>& header() const { return header_; }
  // Only where there is a header. A content of nothing but a header gives one empty fragment.
  std::optional<Fragment> next();
  // Goes on at a fragment's offset that an earlier splitter of the same rules gave.
  void skip_to(std::uint64_t offset, bool is_carried);

 private:
  std::expected<Header, std::string> read_header();
  std::optional<Line> next_line();

  InputStream& in_;
  SplitRules rules_;
  LineScanner scanner_;
  std::optional<Line> pending_;      // read, but not yet of a fragment
  bool pending_is_carried_ = false;  // did not fit into the fragment before
  std::uint64_t offset_ = 0;
  bool made_any_ = false;
  std::expected<Header, std::string> header_;
};

}  // namespace weir::processors
