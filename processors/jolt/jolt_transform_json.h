#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Transforms a JSON document by a Jolt specification.
const ProcessorDefinition& jolt_transform_json();

}  // namespace weir::processors
