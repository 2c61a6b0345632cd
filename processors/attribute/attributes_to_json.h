#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Writes attributes as a JSON object.
const ProcessorDefinition& attributes_to_json();

}  // namespace weir::processors
