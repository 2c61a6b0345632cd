#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Takes bytes off the beginning and the end of a content.
const ProcessorDefinition& modify_bytes();

}  // namespace weir::processors
