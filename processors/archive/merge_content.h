#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Joins the contents of several FlowFiles into one.
const ProcessorDefinition& merge_content();

}  // namespace weir::processors
