#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Reads a Kinesis stream at least once, through the Kinesis Client Library (NIFI-14727).
const ProcessorDefinition& consume_kinesis();

}  // namespace weir::processors
