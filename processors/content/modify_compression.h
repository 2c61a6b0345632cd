#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Changes the compression of a FlowFile's content: from one format to another, or to none.
const ProcessorDefinition& modify_compression();

}  // namespace weir::processors
