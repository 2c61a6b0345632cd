#pragma once

#include "engine/api/controller_service.h"

namespace weir::processors::ssl {

// Implementations of `SslContext`.
const ControllerServiceDefinition& standard_ssl_context_service();
const ControllerServiceDefinition& standard_restricted_ssl_context_service();

}  // namespace weir::processors::ssl
