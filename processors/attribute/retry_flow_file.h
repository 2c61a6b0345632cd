#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Counts how often a FlowFile came by and sends it back until a limit.
const ProcessorDefinition& retry_flow_file();

}  // namespace weir::processors
