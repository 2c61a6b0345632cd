#include "engine/json/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/json/reader.h"

namespace weir::json {

std::string ParseError::describe() const {
  return fmt::format("{} at line {}, column {}", message, line, column);
}

std::expected<Value, ParseError> parse(std::string_view text, Arena& arena,
                                       const ParseOptions& options) {
  Reader reader(text, arena, options);
  const auto root = reader.read();
  if (root) return *root;
  ParseError error{.offset = std::min(reader.error_offset(), text.size()),
                   .message = reader.error_message()};
  const std::string_view before = text.substr(0, error.offset);
  error.line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  error.column = error.offset - (before.rfind('\n') + 1) + 1;
  return std::unexpected(std::move(error));
}

bool is_json(std::string_view text) {
  Arena arena;
  return parse(text, arena).has_value();
}

}  // namespace weir::json
