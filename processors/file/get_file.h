#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Takes files out of a folder.
const ProcessorDefinition& get_file();

}  // namespace weir::processors
