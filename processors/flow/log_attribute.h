#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Writes attributes to the log.
const ProcessorDefinition& log_attribute();

}  // namespace weir::processors
