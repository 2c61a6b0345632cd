#pragma once

#include <map>
#include <string>

#include "engine/flow/check.h"
#include "engine/flow/sensitive.h"
#include "engine/runtime/engine_config.h"

namespace weir::tools {

// The variables of this process by name.
std::map<std::string, std::string> process_environment();

// The key that the configuration gives.
flow::SensitiveValues sensitive_values(const runtime::EngineConfig& config);

// Checks a flow with its values open, as an engine here would run it.
flow::CheckResult check_opened(flow::Flow flow, const runtime::EngineConfig& config,
                               const ComponentRegistry& registry);

}  // namespace weir::tools
