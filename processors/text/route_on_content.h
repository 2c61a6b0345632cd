#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Routes FlowFiles by what their content matches.
const ProcessorDefinition& route_on_content();

}  // namespace weir::processors
