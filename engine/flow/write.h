#pragma once

#include <string>

#include "engine/api/registry.h"
#include "engine/flow/flow.h"

namespace weir::flow {

// NiFi's flow.json with the model's values over the sources' fields: what was read comes back,
// unknown components and fields included.
std::string write_nifi_flow(const Flow& flow);

// The short hand-written form: defaults, positions and identifiers left out, endpoints by name,
// keys in a fixed order. Formatting its own output changes nothing.
std::string write_short_flow(const Flow& flow);

// JSON Schema (draft 2020-12) of the short form with every component of the registry, for
// editors: completion and errors while typing.
std::string flow_schema(const ComponentRegistry& registry);

}  // namespace weir::flow
