#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Splits a JSON array into its elements.
const ProcessorDefinition& split_json();

}  // namespace weir::processors
