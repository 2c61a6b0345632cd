#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Packs FlowFiles, attributes and content, into the content of one.
const ProcessorDefinition& package_flow_file();

}  // namespace weir::processors
