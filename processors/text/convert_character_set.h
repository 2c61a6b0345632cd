#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Converts a text to another character set.
const ProcessorDefinition& convert_character_set();

}  // namespace weir::processors
