#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Looks for the terms of a dictionary.
const ProcessorDefinition& scan_content();

}  // namespace weir::processors
