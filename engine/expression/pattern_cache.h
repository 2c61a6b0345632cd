#pragma once

#include <string_view>

#include "engine/api/pattern.h"
#include "engine/expression/node.h"
#include "engine/text/date_pattern.h"
#include "engine/text/zone.h"

// Patterns and zones that are not known before an expression is evaluated, compiled once a thread
// as long as the same few texts come again. Each throws a ProcessException where the text is
// wrong. A reference stays good until the next call in the same thread.
namespace weir::expression {

const Pattern& cached_pattern(std::string_view expression);
const text::DatePattern& cached_date_pattern(std::string_view pattern);
text::Zone zone_of(std::string_view id);

}  // namespace weir::expression
