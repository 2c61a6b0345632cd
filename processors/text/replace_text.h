#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Replaces parts of a text, line by line or as a whole.
const ProcessorDefinition& replace_text();

}  // namespace weir::processors
