#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Sets and removes attributes, also by what it remembers.
const ProcessorDefinition& update_attribute();

}  // namespace weir::processors
