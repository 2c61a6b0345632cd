#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Routes FlowFiles by expressions over their attributes.
const ProcessorDefinition& route_on_attribute();

}  // namespace weir::processors
