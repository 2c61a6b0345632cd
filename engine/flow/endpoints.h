#pragma once

#include "engine/flow/flow.h"
#include "engine/flow/reporter.h"

namespace weir::flow {

// Fills the endpoints of NiFi connections, in the group and below: by `id` within the group that
// `groupId` names, since public flows repeat identifiers. Needs final ids.
void resolve_endpoints(Group& root, Reporter& reporter);

}  // namespace weir::flow
