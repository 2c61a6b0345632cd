#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Makes FlowFiles out of nothing: for tests and for load.
const ProcessorDefinition& generate_flow_file();

}  // namespace weir::processors
