#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::expression {

// String.replace: every occurrence, from the left. An empty search finds each place between two
// characters and both ends. Throws ProcessException where the result passes the limit.
void replace_literally(std::string_view text, std::string_view search, std::string_view replacement,
                       std::size_t limit_bytes, std::string& out);

}  // namespace weir::expression
