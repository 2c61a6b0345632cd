#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/process_session.h"
#include "engine/text/character_set.h"

namespace weir::processors {

// A line is longer than may be held.
class LineTooLong : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

// Gives a text of any size as UTF-8 in blocks of whole lines. UTF-8 without a bad byte is neither
// decoded nor copied: a block is a view of what was read. Malformed bytes become U+FFFD, as
// Java's decoder has it. Memory is a buffer of 256 KB at most, more only for a longer line.
class TextBlocks {
 public:
  // Lines may have `line_units` UTF-16 units, their ends included.
  TextBlocks(InputStream& in, const text::CharacterSet& character_set, std::size_t line_units);

  // Whole lines; the last line of the text may lack its end. Empty at the end of the text. Valid
  // until the next call. Throws LineTooLong.
  std::string_view next();
  // The block given last ends the text.
  bool is_last() const { return at_end_ && begin_ == end_ && decoded_.empty(); }

 private:
  void fill();
  void make_room();
  void append_decoded();
  void check_length(std::string_view line) const;
  std::size_t whole_lines() const;

  InputStream& in_;
  const std::size_t line_units_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what was not given yet
  std::size_t end_ = 0;    // of what is known to be good UTF-8
  std::size_t read_ = 0;   // past `end_`: a character that the last read cut
  bool at_end_ = false;    // nothing is left to read
  // Once used, to the end of the text.
  std::optional<text::Decoder> decoder_;
  std::string decoded_;  // what did not fit into the buffer yet
  const text::CharacterSet& character_set_;
};

// The buffer that NiFi's line reader ends with where a line may be `most` characters: it starts
// with 8192 and doubles, in steps of at most 1 MB, while it stays within.
std::size_t line_buffer_units(std::uint64_t most);

}  // namespace weir::processors
