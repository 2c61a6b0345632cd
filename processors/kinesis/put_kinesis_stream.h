#pragma once

#include <chrono>

#include "engine/api/processor.h"

namespace weir::processors {

// Writes FlowFiles to a Kinesis stream, many with one PutRecords request.
const ProcessorDefinition& put_kinesis_stream();

// The same with another wait before the first repetition of a request, for tests.
ProcessorDefinition put_kinesis_stream(std::chrono::milliseconds first_wait);

}  // namespace weir::processors
