#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Spreads FlowFiles over numbered relationships.
const ProcessorDefinition& distribute_load();

}  // namespace weir::processors
