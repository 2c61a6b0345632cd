#pragma once

#include "engine/api/controller_service.h"
#include "processors/aws/surroundings.h"

namespace weir::processors::aws {

// Gives AWS credentials to processors: keys of the flow, a file or profile, what the machine
// offers, or a role assumed with them.
const ControllerServiceDefinition& aws_credentials_provider_service();

// The same with an environment and files of its own, for tests.
ControllerServiceDefinition aws_credentials_provider_service(const Surroundings& surroundings);

}  // namespace weir::processors::aws
