#include <fmt/format.h>

#include <algorithm>

#include "engine/api/units.h"
#include "engine/flow/checker.h"
#include "engine/flow/component_properties.h"

namespace weir::flow {

struct PropertyChecker::Subject {
  const Component& component;
  const Properties& properties;
  const ComponentDefinition& definition;
  PlainPropertyContext values;  // with defaults

  // Where the flow gives the property, under whatever spelling; null where it does not.
  const Property* given(const PropertyDescriptor& descriptor) const {
    const auto exact = properties.find(descriptor.name);
    if (exact != properties.end()) return &exact->second;
    for (const auto& [key, property] : properties) {
      if (find_descriptor(definition, key) == &descriptor) return &property;
    }
    return nullptr;
  }

  // As NiFi does: a property counts when all it depends on count and have the wanted values.
  bool dependencies_hold(const PropertyDescriptor& descriptor, int depth = 0) const {
    constexpr int deepest = 20;  // a declaration that depends on itself must not hang
    return depth > deepest ||
           std::ranges::all_of(descriptor.depends_on, [&](const auto& dependency) {
             const PropertyDescriptor* const other = definition.find_property(dependency.property);
             const PropertyValue value = values.property(dependency.property);
             if (other == nullptr || !value.is_set()) return false;
             const bool fits =
                 dependency.values.empty() ||
                 std::ranges::find(dependency.values, value.text()) != dependency.values.end();
             return fits && dependencies_hold(*other, depth + 1);
           });
  }
};

namespace {

// A reference to a parameter, "#{name}", that is not escaped by another '#'.
bool has_parameter(std::string_view value) {
  for (std::size_t at = value.find("#{"); at != std::string_view::npos;
       at = value.find("#{", at + 2)) {
    const std::size_t end = value.find('}', at);
    if (end == std::string_view::npos) return false;
    const std::string_view name = value.substr(at + 2, end - at - 2);
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) {
      return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
             std::string_view(" _.-'").find(c) != std::string_view::npos;
    });
    if (is_name && (at == 0 || value[at - 1] != '#')) return true;
  }
  return false;
}

}  // namespace

void PropertyChecker::error(const Subject& subject, Place place, std::string message,
                            std::string nearest) {
  clean_ = false;
  reporter_.error(&subject.component, place, std::move(message), std::move(nearest));
}

bool PropertyChecker::check(const Component& component, const Properties& properties,
                            const ComponentDefinition& definition) {
  clean_ = true;
  const Subject subject{
      component, properties, definition,
      PlainPropertyContext(definition, resolve_properties(properties, definition))};
  for (const auto& [key, property] : properties) {
    if (find_descriptor(definition, key) == nullptr) check_unknown(subject, key, property);
  }
  for (const PropertyDescriptor& descriptor : definition.properties) {
    check_declared(subject, descriptor);
  }
  return clean_;
}

void PropertyChecker::check_custom(const Component& component, const Properties& properties,
                                   const ComponentDefinition& definition,
                                   const weir::Component& instance) {
  const PlainPropertyContext values(definition, resolve_properties(properties, definition));
  for (const ValidationProblem& problem : instance.custom_validate(values)) {
    Place place;
    std::string message = problem.message;
    if (!problem.property.empty()) {
      message = fmt::format("property '{}': {}", problem.property, problem.message);
    }
    for (const auto& [key, property] : properties) {
      const PropertyDescriptor* const descriptor = find_descriptor(definition, key);
      if ((descriptor ? descriptor->name : key) == problem.property) place = property.place;
    }
    reporter_.error(&component, place, message);
  }
}

void PropertyChecker::check_unknown(const Subject& subject, const std::string& key,
                                    const Property& property) {
  const ComponentDefinition& definition = subject.definition;
  if (!definition.dynamic_properties) {
    if (!property.value) return;  // null: an export of another version lists it unset
    std::vector<std::string> names;
    for (const PropertyDescriptor& one : definition.properties) names.push_back(one.name);
    error(subject, property.place,
          fmt::format("{} has no property '{}'", definition.short_type(), key),
          nearest_name(key, names));
    return;
  }
  if (!property.value) return;
  const ExpressionScope scope = definition.dynamic_properties->expression_scope;
  if (check_special(subject, key, property.place, *property.value, scope)) return;
  if (!definition.dynamic_property_validator) return;
  if (const auto wrong = definition.dynamic_property_validator(*property.value)) {
    error(subject, property.place, fmt::format("property '{}': {}", key, *wrong));
  }
}

void PropertyChecker::check_declared(const Subject& subject, const PropertyDescriptor& descriptor) {
  if (!subject.dependencies_hold(descriptor)) return;
  const Property* const given = subject.given(descriptor);
  const PropertyValue value = subject.values.property(descriptor);
  const Place place = given ? given->place : Place{};
  if (value.is_set()) return check_value(subject, descriptor, place, value.text());
  if (!descriptor.required) return;
  if (given != nullptr && descriptor.sensitive) {
    return error(subject, place,
                 fmt::format("property '{}' is required, and its sensitive value was left out of "
                             "the export: set it",
                             descriptor.name));
  }
  error(subject, place, fmt::format("property '{}' is required and not set", descriptor.name));
}

bool PropertyChecker::check_special(const Subject& subject, const std::string& name, Place place,
                                    const std::string& value, ExpressionScope scope) {
  if (value.starts_with("enc{") && value.ends_with("}")) {
    error(subject, place,
          fmt::format("property '{}' is encrypted with the key of another NiFi and cannot be "
                      "decrypted: set it anew",
                      name));
    return true;
  }
  if (has_parameter(value)) {
    error(subject, place,
          fmt::format("property '{}': parameters are not evaluated by this version", name));
    return true;
  }
  if (scope != ExpressionScope::none && value.find("${") != std::string::npos) {
    error(subject, place,
          fmt::format("property '{}': expressions are not evaluated by this version", name));
    return true;
  }
  return false;
}

void PropertyChecker::check_value(const Subject& subject, const PropertyDescriptor& descriptor,
                                  Place place, const std::string& value) {
  if (value == descriptor.default_value) return;
  if (check_special(subject, descriptor.name, place, value, descriptor.expression_scope)) return;
  if (!descriptor.controller_service.empty()) {
    return check_service(subject, descriptor, place, value);
  }
  if (!descriptor.allowable_values.empty()) {
    return check_choice(subject, descriptor, place, value);
  }
  if (!descriptor.validator) return;
  if (const auto wrong = descriptor.validator(value)) {
    error(subject, place, fmt::format("property '{}': {}", descriptor.name, *wrong));
  }
}

void PropertyChecker::check_choice(const Subject& subject, const PropertyDescriptor& descriptor,
                                   Place place, const std::string& value) {
  std::vector<std::string> values;
  std::string nearest;
  for (const AllowableValue& one : descriptor.allowable_values) {
    if (one.value == value) return;
    if (one.display_name == value) nearest = one.value;
    values.push_back(one.value);
  }
  if (nearest.empty()) nearest = nearest_name(value, values);
  error(subject, place,
        fmt::format("property '{}' is '{}' instead of one of: {}", descriptor.name, value,
                    fmt::join(values, ", ")),
        nearest);
}

void PropertyChecker::check_service(const Subject& subject, const PropertyDescriptor& descriptor,
                                    Place place, const std::string& value) {
  const ServiceNode* const service = find_service(flow_, group_, value);
  if (service == nullptr) {
    const auto external = flow_.external_services.find(value);
    const std::string what =
        external == flow_.external_services.end()
            ? fmt::format("there is no controller service '{}' here", value)
            : fmt::format("the controller service '{}' is not part of this file", external->second);
    const bool by_name = flow_.form == Flow::Form::hand_written;
    return error(subject, place,
                 fmt::format("property '{}': {}{}", descriptor.name, what,
                             by_name ? "; a service is named as {\"service\": \"its name\"}" : ""));
  }
  const ControllerServiceDefinition* const definition =
      registry_.find_controller_service(service->type);
  if (definition == nullptr) {
    return error(subject, place,
                 fmt::format("property '{}': the service '{}' is of a type that is not known",
                             descriptor.name, service->name));
  }
  const auto& interfaces = definition->interfaces;
  if (std::ranges::find(interfaces, descriptor.controller_service) == interfaces.end()) {
    return error(subject, place,
                 fmt::format("property '{}': the service '{}' is no {}", descriptor.name,
                             service->name, descriptor.controller_service));
  }
  if (service->state == RunState::disabled) {
    error(
        subject, place,
        fmt::format("property '{}': the service '{}' is disabled", descriptor.name, service->name));
  }
}

}  // namespace weir::flow
