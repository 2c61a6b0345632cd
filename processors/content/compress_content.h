#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Compresses or decompresses a FlowFile's content.
const ProcessorDefinition& compress_content();

}  // namespace weir::processors
