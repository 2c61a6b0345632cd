#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Splits a content at a sequence of bytes.
const ProcessorDefinition& split_content();

}  // namespace weir::processors
