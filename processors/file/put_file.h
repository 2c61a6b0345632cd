#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Writes FlowFiles to files.
const ProcessorDefinition& put_file();

}  // namespace weir::processors
