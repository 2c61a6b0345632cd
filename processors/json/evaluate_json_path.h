#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Writes what JSONPaths find into attributes or into the content.
const ProcessorDefinition& evaluate_json_path();

}  // namespace weir::processors
