#pragma once

#include "engine/api/processor.h"

namespace weir::processors::kafka {

const ProcessorDefinition& publish_kafka();
// As NiFi 1.x's versioned processors are declared, the connection among their properties: for flows
// that name those types, in no list.
const ProcessorDefinition& publish_kafka_1();
const ProcessorDefinition& publish_kafka_record_1();

}  // namespace weir::processors::kafka
