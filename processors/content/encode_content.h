#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Writes a content in Base64, Base32 or hexadecimal digits, or reads it back.
const ProcessorDefinition& encode_content();

}  // namespace weir::processors
