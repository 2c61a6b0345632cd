#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Replaces a FlowFile's content by a file's.
const ProcessorDefinition& fetch_file();

}  // namespace weir::processors
