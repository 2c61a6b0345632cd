#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Writes a hash of the content to an attribute.
const ProcessorDefinition& cryptographic_hash_content();

}  // namespace weir::processors
