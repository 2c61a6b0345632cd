#include "engine/flow/nifi_reader.h"

#include <fmt/format.h>

#include "engine/flow/endpoints.h"
#include "engine/flow/ids.h"
#include "engine/flow/nifi_fields.h"

namespace weir::flow::nifi {
namespace {

// The objects of a list member; what is no object is reported.
std::vector<Node> objects(const Node& node, std::string_view key, const Component& owner,
                          Reporter& reporter) {
  std::vector<Node> found;
  const auto list = node.get(key);
  if (!list) return found;
  const Fields fields(node, owner, reporter);
  if (!list->is_array()) fields.wrong_kind(*list, key, "a list");
  for (const Node& element : list->elements()) {
    if (element.is_object()) {
      found.push_back(element);
    } else {
      fields.wrong_kind(element, key, "a list of objects");
    }
  }
  return found;
}

void report_what_is_not_run(const Node& node, const Group& group, Reporter& reporter) {
  for (const Node& remote : objects(node, "remoteProcessGroups", group, reporter)) {
    reporter.error(nullptr, remote.place(),
                   fmt::format("{}: remote process groups are not supported",
                               group.path.empty() ? "root" : group.path));
  }
  const auto variables = node.get("variables");
  if (variables && variables->is_object() && !variables->json().empty()) {
    reporter.warning(&group, variables->place(),
                     "variables are gone in NiFi 2 and have no effect: use parameters");
  }
}

Group read_group(const Node& node, const std::string& parent, bool is_root, Reporter& reporter) {
  Group group = read_group_fields(node, parent, reporter);
  const std::string path = is_root ? "" : group.path;
  for (const Node& one : objects(node, "processors", group, reporter)) {
    group.processors.push_back(read_processor(one, path, reporter));
  }
  for (const Node& one : objects(node, "controllerServices", group, reporter)) {
    group.services.push_back(read_service(one, path, reporter));
  }
  for (const Node& one : objects(node, "inputPorts", group, reporter)) {
    group.ports.push_back(read_port(one, true, path, reporter));
  }
  for (const Node& one : objects(node, "outputPorts", group, reporter)) {
    group.ports.push_back(read_port(one, false, path, reporter));
  }
  for (const Node& one : objects(node, "funnels", group, reporter)) {
    group.funnels.push_back(read_funnel(one, path, reporter));
  }
  for (const Node& one : objects(node, "connections", group, reporter)) {
    group.connections.push_back(read_connection(one, path, reporter));
  }
  for (const Node& one : objects(node, "processGroups", group, reporter)) {
    group.groups.push_back(read_group(one, path, false, reporter));
  }
  report_what_is_not_run(node, group, reporter);
  return group;
}

void read_parameter_contexts(const Node& root, Flow& flow, Reporter& reporter) {
  const auto contexts = root.get("parameterContexts");
  if (!contexts) return;
  for (const Node& one : contexts->elements()) {
    flow.parameter_contexts.push_back(read_parameter_context(one, "", reporter));
  }
  for (const auto& [name, one] : contexts->members()) {
    flow.parameter_contexts.push_back(read_parameter_context(one, name, reporter));
  }
}

void read_parameter_providers(const Node& root, Flow& flow, Reporter& reporter) {
  const auto providers = root.get("parameterProviders");
  if (!providers) return;
  for (const Node& one : providers->elements()) {
    flow.parameter_providers.push_back(read_parameter_provider(one, "", reporter));
  }
  for (const auto& [key, one] : providers->members()) {
    flow.parameter_providers.push_back(read_parameter_provider(one, key, reporter));
  }
}

void read_external_services(const Node& root, Flow& flow) {
  const auto services = root.get("externalControllerServices");
  if (!services) return;
  const auto add = [&](const Node& one, const std::string& key) {
    std::string identifier = key, name;
    if (const auto id = one.get("identifier"); id && id->is_string()) identifier = id->text();
    if (const auto given = one.get("name"); given && given->is_string()) name = given->text();
    flow.external_services[identifier] = name;
  };
  for (const Node& one : services->elements()) add(one, "");
  for (const auto& [key, one] : services->members()) add(one, key);
}

void finish(Flow& flow, Reporter& reporter) {
  flow.file = reporter.file();
  assign_ids(flow, reporter);
  resolve_endpoints(flow.root, reporter);
}

}  // namespace

Flow read_flow_json(const Node& root, Reporter& reporter) {
  Flow flow;
  flow.form = Flow::Form::nifi_flow;
  flow.source = root.source();
  Component whole;
  const Fields fields(root, whole, reporter);
  fields.number("maxTimerDrivenThreadCount", flow.max_timer_driven_threads, 1);
  for (const Node& one : objects(root, "controllerServices", whole, reporter)) {
    flow.controller_services.push_back(read_service(one, "", reporter));
  }
  read_parameter_contexts(root, flow, reporter);
  read_parameter_providers(root, flow, reporter);
  flow.root = read_group(*root.get("rootGroup"), "", true, reporter);
  finish(flow, reporter);
  return flow;
}

Flow read_snapshot(const Node& root, Flow::Form form, Reporter& reporter) {
  Flow flow;
  flow.form = form;
  flow.source = root.source();
  read_parameter_contexts(root, flow, reporter);
  read_parameter_providers(root, flow, reporter);
  read_external_services(root, flow);
  flow.root = read_group(*root.get("flowContents"), "", true, reporter);
  finish(flow, reporter);
  return flow;
}

Flow read_bare_group(const Node& group, Flow::Form form, Reporter& reporter) {
  Flow flow;
  flow.form = form;
  flow.source = group.source();
  flow.root = read_group(group, "", true, reporter);
  finish(flow, reporter);
  return flow;
}

std::optional<Imitation> find_imitation(const Node& group) {
  if (!group.is_object()) return Imitation{group.place(), "the group is no object"};
  if (const auto connections = group.get("connections")) {
    for (const Node& one : connections->elements()) {
      for (const char* key : {"source", "destination"}) {
        const auto end = one.get(key);
        if (!end) return Imitation{one.place(), fmt::format("a connection has no '{}'", key)};
        if (!end->is_object()) {
          return Imitation{end->place(), fmt::format("'{}' of a connection is no object", key)};
        }
      }
    }
  }
  if (const auto processors = group.get("processors")) {
    if (!processors->is_array()) return Imitation{processors->place(), "'processors' is no list"};
    for (const Node& one : processors->elements()) {
      if (!one.get("identifier")) return Imitation{one.place(), "a processor has no 'identifier'"};
    }
  }
  if (const auto groups = group.get("processGroups")) {
    for (const Node& one : groups->elements()) {
      if (auto found = find_imitation(one)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace weir::flow::nifi
