#pragma once

#include "engine/api/processor.h"

namespace weir::processors {

// Mirrors topics of one Kafka cluster to another one and loses nothing (KIP-3).
const ProcessorDefinition& mirror_kafka();

}  // namespace weir::processors
