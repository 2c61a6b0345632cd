#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Routes the lines of a text to relationships.
const ProcessorDefinition& route_text();

}  // namespace weir::processors
