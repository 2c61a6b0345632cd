#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Turns nested JSON into one level of names and values, and back.
const ProcessorDefinition& flatten_json();

}  // namespace weir::processors
