#include "engine/flow/endpoints.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/flow/document.h"

namespace weir::flow {
namespace {

// A component that a connection of the group may end at.
struct Candidate {
  const Component* component;
  const Group* group;
  Endpoint::Type type;
};

std::string text_member(const Json& json, const char* key) {
  if (!json.is_object()) return "";
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return "";
  return found->get<std::string>();
}

std::string instance_of(const Component& component) {
  return component.source ? text_member(*component.source, "instanceIdentifier") : "";
}

Endpoint::Type port_type(const PortNode& port) {
  return port.input ? Endpoint::Type::input_port : Endpoint::Type::output_port;
}

// A connection starts at the group's own components or at an output port of a group in it, and
// ends at the group's own or at an input port of a group in it.
std::vector<Candidate> candidates(const Group& group, bool is_source) {
  std::vector<Candidate> found;
  for (const auto& one : group.processors) {
    found.push_back({&one, &group, Endpoint::Type::processor});
  }
  for (const auto& one : group.funnels) found.push_back({&one, &group, Endpoint::Type::funnel});
  for (const auto& one : group.ports) {
    if (one.input == is_source) found.push_back({&one, &group, port_type(one)});
  }
  for (const Group& child : group.groups) {
    for (const auto& one : child.ports) {
      if (one.input != is_source) found.push_back({&one, &child, port_type(one)});
    }
  }
  return found;
}

// Keeps what fits, unless nothing does.
template <typename Fits>
void narrow(std::vector<Candidate>& found, const Fits& fits) {
  if (std::ranges::none_of(found, fits)) return;
  std::erase_if(found, [&](const Candidate& one) { return !fits(one); });
}

void resolve(Endpoint& endpoint, const char* key, const Group& group, bool is_source,
             const ConnectionNode& connection, Reporter& reporter) {
  const char* const word = is_source ? "source" : "destination";
  const auto given = connection.source->find(key);
  if (given == connection.source->end() || !given->is_object()) {
    reporter.error(&connection, connection.place, fmt::format("the {} is missing", word));
    return;
  }
  const std::string type = text_member(*given, "type");
  if (type.starts_with("REMOTE_")) {
    reporter.error(
        &connection, endpoint.place,
        fmt::format("the {} is a remote port: remote process groups are not supported", word));
    return;
  }
  const std::string id = text_member(*given, "id"), group_id = text_member(*given, "groupId");
  const std::string instance = text_member(*given, "instanceIdentifier");
  std::vector<Candidate> found = candidates(group, is_source);
  std::erase_if(found, [&](const Candidate& one) {
    return one.component->identifier != id &&
           (instance.empty() || instance_of(*one.component) != instance);
  });
  if (id.empty() && instance.empty()) found.clear();
  if (found.empty()) {
    const std::string name = text_member(*given, "name");
    reporter.error(&connection, endpoint.place,
                   fmt::format("the {} '{}' is not in this group", word, name.empty() ? id : name));
    return;
  }
  narrow(found, [&](const Candidate& one) { return one.component->identifier == id; });
  narrow(found, [&](const Candidate& one) {
    return one.group->identifier == group_id || one.group->id == group_id;
  });
  if (!instance.empty()) {
    narrow(found, [&](const Candidate& one) { return instance_of(*one.component) == instance; });
  }
  if (endpoint.type != Endpoint::Type::unknown) {
    narrow(found, [&](const Candidate& one) { return one.type == endpoint.type; });
  }
  if (found.size() > 1) {
    reporter.warning(&connection, endpoint.place,
                     fmt::format("{} components have the identifier of the {}: the first is taken",
                                 found.size(), word));
  }
  endpoint.id = found.front().component->id;
  endpoint.type = found.front().type;
}

}  // namespace

void resolve_endpoints(Group& group, Reporter& reporter) {
  for (ConnectionNode& connection : group.connections) {
    resolve(connection.from, "source", group, true, connection, reporter);
    resolve(connection.to, "destination", group, false, connection, reporter);
  }
  for (Group& child : group.groups) resolve_endpoints(child, reporter);
}

}  // namespace weir::flow
