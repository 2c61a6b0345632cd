#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Writes attributes as one line of CSV.
const ProcessorDefinition& attributes_to_csv();

}  // namespace weir::processors
