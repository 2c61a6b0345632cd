#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Replaces what a file gives a replacement for.
const ProcessorDefinition& replace_text_with_mapping();

}  // namespace weir::processors
