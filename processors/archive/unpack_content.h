#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Takes the files out of an archive, or the FlowFiles out of a package, each as a FlowFile.
const ProcessorDefinition& unpack_content();

}  // namespace weir::processors
