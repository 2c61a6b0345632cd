#include "engine/api/registry.h"

#include <algorithm>

#include "engine/api/units.h"

namespace weir {
namespace {

std::string_view last_part(std::string_view type) {
  return type.substr(type.rfind('.') + 1);
}

// A full name of another package still means the component of that name: NiFi moves packages.
template <typename Definition>
const Definition* find_exactly(const std::vector<const Definition*>& definitions,
                               std::string_view type) {
  for (const Definition* definition : definitions) {
    if (definition->type == type) return definition;
  }
  for (const Definition* definition : definitions) {
    if (std::ranges::find(definition->old_types, type) != definition->old_types.end()) {
      return definition;
    }
  }
  return nullptr;
}

template <typename Definition>
const Definition* find(const std::vector<const Definition*>& definitions, std::string_view type) {
  if (const Definition* const found = find_exactly(definitions, type)) return found;
  const std::string_view short_type = last_part(type);
  for (const Definition* definition : definitions) {
    if (definition->short_type() == short_type) return definition;
    for (const std::string& old : definition->old_types) {
      if (last_part(old) == short_type) return definition;
    }
  }
  return nullptr;
}

template <typename Definition>
void insert_sorted(std::vector<const Definition*>& definitions, const Definition& definition) {
  const auto place = std::ranges::lower_bound(definitions, definition.short_type(), {},
                                              [](const Definition* d) { return d->short_type(); });
  definitions.insert(place, &definition);
}

}  // namespace

void ComponentRegistry::add(const ProcessorDefinition& definition) {
  insert_sorted(processors_, definition);
}

void ComponentRegistry::add(const ControllerServiceDefinition& definition) {
  insert_sorted(services_, definition);
}

void ComponentRegistry::add_unlisted(const ProcessorDefinition& definition) {
  insert_sorted(unlisted_, definition);
}

const ProcessorDefinition* ComponentRegistry::find_processor(std::string_view type) const {
  if (const auto* const found = find_exactly(processors_, type)) return found;
  if (const auto* const found = find_exactly(unlisted_, type)) return found;
  const auto* const found = find(processors_, type);
  return found ? found : find(unlisted_, type);
}

const ControllerServiceDefinition* ComponentRegistry::find_controller_service(
    std::string_view type) const {
  return find(services_, type);
}

std::vector<const ProcessorDefinition*> ComponentRegistry::processors() const {
  return processors_;
}

std::vector<const ControllerServiceDefinition*> ComponentRegistry::controller_services() const {
  return services_;
}

std::string ComponentRegistry::nearest_type(std::string_view type) const {
  std::vector<std::string_view> names;
  for (const auto* definition : processors_) names.push_back(definition->short_type());
  for (const auto* definition : services_) names.push_back(definition->short_type());
  return nearest_name(last_part(type), names);
}

}  // namespace weir
