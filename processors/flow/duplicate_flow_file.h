#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Sends copies of each FlowFile.
const ProcessorDefinition& duplicate_flow_file();

}  // namespace weir::processors
