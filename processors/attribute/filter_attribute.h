#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Keeps or removes attributes by name.
const ProcessorDefinition& filter_attribute();

}  // namespace weir::processors
