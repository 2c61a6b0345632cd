#pragma once

#include <span>

#include "engine/text/zone_names.h"

namespace weir::text {

std::span<const AbbreviationGroup> abbreviation_groups();

}  // namespace weir::text
