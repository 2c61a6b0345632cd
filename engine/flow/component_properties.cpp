#include "engine/flow/component_properties.h"

#include <algorithm>

#include "engine/api/units.h"
#include "engine/flow/annotation_rules.h"
#include "engine/flow/check.h"
#include "engine/flow/document.h"
#include "engine/flow/renames.h"

namespace weir::flow {
namespace {

// The groups from the root to `wanted`; empty where it is not below `group`.
std::vector<const Group*> path_to(const Group& group, const Group* wanted) {
  if (&group == wanted) return {&group};
  for (const Group& child : group.groups) {
    std::vector<const Group*> path = path_to(child, wanted);
    if (path.empty()) continue;
    path.insert(path.begin(), &group);
    return path;
  }
  return {};
}

bool is_named(const ServiceNode& service, std::string_view value) {
  if (service.id == value || (!service.identifier.empty() && service.identifier == value)) {
    return true;
  }
  if (!service.source || !service.source->is_object()) return false;
  const auto instance = service.source->find("instanceIdentifier");
  return instance != service.source->end() && instance->is_string() &&
         instance->get_ref<const std::string&>() == value;
}

const ServiceNode* find_in(const std::vector<ServiceNode>& services, std::string_view value) {
  const auto found =
      std::ranges::find_if(services, [&](const auto& one) { return is_named(one, value); });
  return found == services.end() ? nullptr : &*found;
}

}  // namespace

const PropertyDescriptor* find_descriptor(const ComponentDefinition& definition,
                                          std::string_view key) {
  if (const auto* found = definition.find_property(key)) return found;
  const std::string_view renamed = renamed_property(definition.type, key);
  if (renamed != key) {
    if (const auto* found = definition.find_property(renamed)) return found;
  }
  if (definition.dynamic_properties) return nullptr;
  const auto shown =
      std::ranges::find(definition.properties, key, &PropertyDescriptor::display_name);
  return shown == definition.properties.end() ? nullptr : &*shown;
}

bool is_boolean_choice(const PropertyDescriptor& descriptor) {
  return !descriptor.allowable_values.empty() &&
         std::ranges::all_of(descriptor.allowable_values, [](const AllowableValue& one) {
           return parse_boolean(one.value).has_value();
         });
}

std::map<std::string, std::string> resolve_properties(const Properties& properties,
                                                      const ComponentDefinition& definition) {
  std::map<std::string, std::string> values;
  for (const bool exact : {true, false}) {  // today's key wins over an old one beside it
    for (const auto& [key, property] : properties) {
      if (!property.value) continue;
      const PropertyDescriptor* const descriptor = find_descriptor(definition, key);
      const std::string& name = descriptor ? descriptor->name : key;
      if ((name == key) != exact) continue;
      std::string value = *property.value;
      if (descriptor && is_boolean_choice(*descriptor)) {
        const auto given = parse_boolean(value);
        for (const AllowableValue& one : descriptor->allowable_values) {
          if (given && parse_boolean(one.value) == given) value = one.value;
        }
      }
      values.emplace(name, std::move(value));
    }
  }
  return values;
}

std::map<std::string, std::string> resolve_properties(const ProcessorNode& processor,
                                                      const ProcessorDefinition& definition) {
  std::map<std::string, std::string> values = resolve_properties(processor.properties, definition);
  if (auto annotated = annotation_values(processor.annotation_data, definition)) {
    values.merge(*annotated);
  }
  return values;
}

const ServiceNode* find_service(const Flow& flow, const Group& group, std::string_view value) {
  const std::vector<const Group*> path = path_to(flow.root, &group);
  for (auto one = path.rbegin(); one != path.rend(); ++one) {
    if (const ServiceNode* found = find_in((*one)->services, value)) return found;
  }
  return find_in(flow.controller_services, value);
}

}  // namespace weir::flow
