#pragma once

#include <optional>
#include <string_view>

#include "engine/json/value.h"

namespace weir::json {

// An array or object as it may stand in a filter: as JSON, but also with single quotes, words
// without quotes, and commas too many. `text` must live as long as the value; nullopt where it is
// none.
std::optional<Value> parse_literal(std::string_view text, Arena& arena);

}  // namespace weir::json
