#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Splits text on line borders.
const ProcessorDefinition& split_text();

}  // namespace weir::processors
