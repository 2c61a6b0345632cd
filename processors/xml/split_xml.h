#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Cuts an XML document into its elements below a depth.
const ProcessorDefinition& split_xml();

}  // namespace weir::processors
