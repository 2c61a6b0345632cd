#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Takes parts of a text into attributes.
const ProcessorDefinition& extract_text();

}  // namespace weir::processors
