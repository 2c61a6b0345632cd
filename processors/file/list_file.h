#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Lists the files of a folder, each once.
const ProcessorDefinition& list_file();

}  // namespace weir::processors
