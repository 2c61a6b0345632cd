#pragma once

#include "engine/api/registry.h"

namespace weir {

// Every processor and controller service of this engine, one line each. Called once, where a
// program starts.
void register_standard_processors(ComponentRegistry& registry);

}  // namespace weir
