#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Finds out which MIME type a content has.
const ProcessorDefinition& identify_mime_type();

}  // namespace weir::processors
