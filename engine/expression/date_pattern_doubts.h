#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::expression {

// What looks like a slip in a date pattern that is well formed: minutes where the month is meant,
// the year of weeks where the year is meant, hours up to 12 without morning or afternoon. One
// sentence each.
std::vector<std::string> date_pattern_doubts(std::string_view pattern);

}  // namespace weir::expression
