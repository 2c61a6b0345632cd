#pragma once

#include <map>
#include <string>

#include "engine/flow/flow.h"
#include "engine/flow/reporter.h"

namespace weir::flow {

// Gives every component its final id in place of the placeholder, also in the problems reported
// so far: the instance identifier where the file has one that is a UUID and occurs once, else the
// identifier under the same terms, else a UUID that follows from the place in the flow. Returns
// the final id of each placeholder.
std::map<std::string, std::string> assign_ids(Flow& flow, Reporter& reporter);

// A UUID that follows from a text, stable from run to run.
std::string id_from_text(const std::string& text);

// Calls `visit(Component&, const std::string& kind)` for all components of the flow in the order
// of the file, the root group first.
template <typename Visit>
void visit_group(Group& group, const Visit& visit) {
  visit(static_cast<Component&>(group), "group");
  for (auto& one : group.processors) visit(static_cast<Component&>(one), "processor");
  for (auto& one : group.services) visit(static_cast<Component&>(one), "service");
  for (auto& one : group.ports) {
    visit(static_cast<Component&>(one), one.input ? "input port" : "output port");
  }
  for (auto& one : group.funnels) visit(static_cast<Component&>(one), "funnel");
  for (auto& one : group.connections) visit(static_cast<Component&>(one), "connection");
  for (Group& child : group.groups) visit_group(child, visit);
}

}  // namespace weir::flow
