#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "engine/json/value.h"

namespace weir::json {

struct ParseError {
  std::size_t offset = 0;  // bytes into the text
  std::size_t line = 1;
  std::size_t column = 1;  // in bytes, from 1
  std::string message;

  std::string describe() const;  // "message at line 1, column 5"
};

struct ParseOptions {
  std::size_t most_nesting = 1000;
  std::size_t longest_string_bytes = 20'000'000;
  std::size_t longest_number = 1000;  // characters
  std::size_t longest_name_bytes = 50'000;
  // A value takes up to some hundred bytes of memory while its array or object is read.
  std::size_t most_values = 20'000'000;
  // Whether anything but white space after the document is an error.
  bool whole_text = false;
};

// Parses the first JSON document of `text`, as Jackson does with its defaults: strict syntax, no
// comments, no NaN, no byte order mark; of members of one name the last one wins, at the place of
// the first. Malformed UTF-8 within strings becomes U+FFFD. What follows the document is left
// alone, unless `whole_text`. The values refer to `text`, which must live as long as they are used.
//
// A deeper, longer or larger text than the options allow is an error; the stack does not grow with
// the text.
std::expected<Value, ParseError> parse(std::string_view text, Arena& arena,
                                       const ParseOptions& options = {});

// Whether a document of `text` begins here and is complete; as `parse`, without its values.
bool is_json(std::string_view text);

}  // namespace weir::json
