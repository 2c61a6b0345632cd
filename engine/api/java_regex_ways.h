#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weir::java_regex {

// Expressions one of which is to match: how a look-behind of varying length is kept apart, since
// PCRE2 wants each of its alternatives to have one length. Elsewhere there is one.
using Ways = std::vector<std::string>;

// The functions below give nullopt where there would be too many.
std::string join(const Ways& ways);  // with '|'
// Every way followed by every one of `next`.
std::optional<Ways> append(Ways ways, const Ways& next);
std::optional<Ways> repeat(const Ways& ways, std::size_t least, std::size_t most);

}  // namespace weir::java_regex
