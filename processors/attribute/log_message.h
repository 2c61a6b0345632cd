#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Writes a message to the log for each FlowFile.
const ProcessorDefinition& log_message();

}  // namespace weir::processors
