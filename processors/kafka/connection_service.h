#pragma once

#include "engine/api/controller_service.h"

namespace weir::processors::kafka {

// Kafka3ConnectionService: an implementation of `Connection`.
const ControllerServiceDefinition& kafka3_connection_service();

}  // namespace weir::processors::kafka
