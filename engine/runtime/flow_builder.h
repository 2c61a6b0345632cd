#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/api/registry.h"
#include "engine/flow/flow.h"
#include "engine/runtime/node.h"
#include "engine/runtime/service_node.h"

namespace weir::runtime {

// A flow as it runs: groups are gone, ports and funnels are nodes that pass FlowFiles on.
struct BuiltFlow {
  std::map<std::string, std::unique_ptr<FlowFileQueue>> queues;  // by connection id
  std::map<std::string, std::unique_ptr<Node>> nodes;            // by component id
  std::set<std::string> wanted;                          // nodes that the flow wants running
  std::map<std::string, std::vector<std::string>> uses;  // controller services, by component id
};

// Makes queues, nodes and services of the flow. Components in `invalid` are made, so that their
// queues exist, but never start.
BuiltFlow build_flow(const flow::Flow& flow, const ComponentRegistry& registry,
                     const std::shared_ptr<const flow::ParameterContexts>& parameters,
                     const std::set<std::string>& invalid, Services& services,
                     ServiceNodes& controller_services);

// Gives a node that does not run its values: with the next start it works by them. Returns the
// controller services that they name.
std::vector<std::string> give_values(Node& node, const flow::ProcessorNode& processor,
                                     const ProcessorDefinition& definition,
                                     ParameterView parameters, Services& services,
                                     const ServiceNodes& controller_services);

// The relationships that a processor has with its values, which are valid.
std::vector<Relationship> relationships_of(const flow::ProcessorNode& processor,
                                           const ProcessorDefinition& definition,
                                           const ParameterView& parameters);

// How a controller service of the flow is run; nullopt: disabled or of unknown type.
std::optional<ServiceNodes::Plan> service_plan(const flow::ServiceNode& service,
                                               const ComponentRegistry& registry,
                                               ParameterView parameters);

}  // namespace weir::runtime
