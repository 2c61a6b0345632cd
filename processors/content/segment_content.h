#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Cuts a content into segments of a size.
const ProcessorDefinition& segment_content();

}  // namespace weir::processors
