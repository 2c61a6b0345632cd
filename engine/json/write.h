#pragma once

#include <string>
#include <string_view>

#include "engine/json/value.h"

namespace weir::json {

enum class Layout {
  compact,  // {"a":[1,2]}
  pretty,   // as Jackson's default pretty printer: members on lines, arrays on one
};

struct WriteOptions {
  Layout layout = Layout::compact;
  bool plain_decimals = false;  // 0.0000001 rather than 1.0E-7
};

// Appends `value` as JSON text. Decimals are written as Java's Double.toString writes them, whole
// numbers with all their digits.
void write(const Value& value, std::string& out, const WriteOptions& options = {});
std::string to_json(const Value& value, const WriteOptions& options = {});

// Appends `text` in quotes, with Jackson's escapes.
void write_string(std::string_view text, std::string& out);

// Appends what Java's String.valueOf gives: a string without quotes, a number, true, null;
// arrays and objects as List and Map print themselves ("[1, a]", "{k=v}").
void append_java_text(const Value& value, std::string& out);

}  // namespace weir::json
