#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Counts lines, words and characters.
const ProcessorDefinition& count_text();

}  // namespace weir::processors
