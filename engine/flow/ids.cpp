#include "engine/flow/ids.h"

#include <map>
#include <set>

#include "engine/flow/document.h"
#include "repositories/flowfile/uuid.h"

namespace weir::flow {
namespace {

using flowfile::Uuid;

// The namespace of derived ids; any constant would do, but it can never change.
constexpr Uuid id_space{0x77656972666C4F57ull, 0x8C0D3A519B2E4F60ull};

// As a UUID in lower case, or "" where the text is none.
std::string uuid_text(const std::string& text) {
  const auto uuid = Uuid::parse(text);
  return uuid ? uuid->to_string() : "";
}

std::string instance_identifier(const Component& component) {
  if (!component.source) return "";
  const auto found = component.source->find("instanceIdentifier");
  if (found == component.source->end() || !found->is_string()) return "";
  return uuid_text(found->get_ref<const std::string&>());
}

template <typename Visit>
void visit_all(Flow& flow, const Visit& visit) {
  for (ServiceNode& service : flow.controller_services) {
    visit(static_cast<Component&>(service), "service");
  }
  visit_group(flow.root, visit);
}

}  // namespace

std::string id_from_text(const std::string& text) {
  return Uuid::from_name(id_space, text).to_string();
}

std::map<std::string, std::string> assign_ids(Flow& flow, Reporter& reporter) {
  std::map<std::string, int> instances, identifiers;
  visit_all(flow, [&](Component& component, const char*) {
    ++instances[instance_identifier(component)];
    ++identifiers[uuid_text(component.identifier)];
  });
  std::map<std::string, std::string> final_ids;
  std::set<std::string> used;
  visit_all(flow, [&](Component& component, const char* kind) {
    const std::string instance = instance_identifier(component);
    const std::string identifier = uuid_text(component.identifier);
    std::string id;
    if (!instance.empty() && instances[instance] == 1) {
      id = instance;
    } else if (!identifier.empty() && identifiers[identifier] == 1 &&
               !instances.contains(identifier)) {
      id = identifier;
    }
    // The number makes equals differ; it counts only among those with the same path.
    for (int number = 1; id.empty() || used.contains(id); ++number) {
      id = id_from_text(std::string(kind) + "\n" + component.path + "\n" + component.identifier +
                        "\n" + std::to_string(number));
    }
    used.insert(id);
    final_ids[component.id] = id;
    component.id = id;
  });
  reporter.replace_ids(final_ids);
  return final_ids;
}

}  // namespace weir::flow
