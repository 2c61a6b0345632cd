#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Looks attribute values up in a list of terms.
const ProcessorDefinition& scan_attribute();

}  // namespace weir::processors
