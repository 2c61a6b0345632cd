#pragma once

#include <memory>
#include <vector>

#include "engine/flow/parameters.h"
#include "engine/runtime/flow_builder.h"

namespace weir::runtime {

// The flow a controller runs, with all its values open.
struct LoadedFlow {
  flow::Flow flow;
  std::shared_ptr<const flow::ParameterContexts> parameters;
};

// FlowController::update_parameters: `now` takes the place of `loaded`, of which `built` was made.
std::vector<flow::Problem> update_parameters(LoadedFlow& loaded, flow::Flow now, BuiltFlow& built,
                                             const ComponentRegistry& registry, Services& services,
                                             ServiceNodes& controller_services);

}  // namespace weir::runtime
