#include <fmt/format.h>

#include <algorithm>

#include "engine/api/annotation.h"
#include "engine/api/units.h"
#include "engine/flow/annotation_rules.h"
#include "engine/flow/checker.h"
#include "engine/flow/component_properties.h"
#include "engine/flow/parameters.h"

namespace weir::flow {

struct PropertyChecker::Subject {
  const Component& component;
  const Properties& properties;
  const ComponentDefinition& definition;
  const std::map<std::string, std::string>& resolved;
  PlainPropertyContext values;  // with defaults

  // The property as its user spells it.
  const std::string& as_given(const PropertyDescriptor& descriptor) const {
    for (const auto& [key, property] : properties) {
      if (find_descriptor(definition, key) == &descriptor) return key;
    }
    return descriptor.shown_name();
  }
  std::string shown(const std::string& name) const {
    const PropertyDescriptor* const descriptor = definition.find_property(name);
    return descriptor ? fmt::format("property '{}'", as_given(*descriptor))
                      : shown_property(name, resolved);
  }

  // Where the flow gives the property, under whatever spelling; null where it does not.
  const Property* given(const PropertyDescriptor& descriptor) const {
    const auto exact = properties.find(descriptor.name);
    if (exact != properties.end()) return &exact->second;
    for (const auto& [key, property] : properties) {
      if (find_descriptor(definition, key) == &descriptor) return &property;
    }
    return nullptr;
  }

  Place place_of(const std::string& name) const {
    for (const auto& [key, property] : properties) {
      const PropertyDescriptor* const descriptor = find_descriptor(definition, key);
      if ((descriptor ? descriptor->name : key) == name) return property.place;
    }
    return {};
  }

  bool could_not_be_read(const std::string& name) const {
    return std::ranges::any_of(values.prepared().problems(),
                               [&](const auto& problem) { return problem.property == name; });
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

void PropertyChecker::error(const Subject& subject, Place place, std::string message,
                            std::string nearest) {
  clean_ = false;
  reporter_.error(&subject.component, place, std::move(message), std::move(nearest));
}

bool PropertyChecker::check(const Component& component, const Properties& properties,
                            const ComponentDefinition& definition,
                            const std::map<std::string, std::string>& resolved) {
  clean_ = true;
  const Subject subject{component, properties, definition, resolved,
                        PlainPropertyContext(definition, resolved, &parameters_)};
  check_prepared(subject);
  check_secrets(subject);
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
                                   const std::map<std::string, std::string>& resolved,
                                   const weir::Component& instance) {
  const Subject subject{component, properties, definition, resolved,
                        PlainPropertyContext(definition, resolved, &parameters_)};
  for (const ValidationProblem& problem : instance.custom_validate(subject.values)) {
    Place place;
    std::string message = problem.message;
    if (!problem.property.empty()) {
      place = subject.place_of(problem.property);
      message = fmt::format("{}: {}", subject.shown(problem.property), problem.message);
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
  if (is_annotation(key)) {
    return error(subject, property.place, "a property's name begins with a control character");
  }
  const PropertyValue value = subject.values.property(key);
  if (!property.value || !value.is_set() || value.has_expression()) return;
  if (!definition.dynamic_property_validator) return;
  if (const auto wrong = definition.dynamic_property_validator(value.text())) {
    error(subject, property.place, fmt::format("property '{}': {}", key, *wrong));
  }
}

void PropertyChecker::check_declared(const Subject& subject, const PropertyDescriptor& descriptor) {
  if (!subject.dependencies_hold(descriptor)) return;
  const Property* const given = subject.given(descriptor);
  const PropertyValue value = subject.values.property(descriptor);
  const Place place = given ? given->place : Place{};
  if (value.is_set()) return check_value(subject, descriptor, place, value);
  if (!descriptor.required || subject.could_not_be_read(descriptor.name)) return;
  if (given != nullptr && descriptor.sensitive) {
    return error(subject, place,
                 fmt::format("property '{}' is required, and its sensitive value was left out of "
                             "the export: set it",
                             subject.as_given(descriptor)));
  }
  error(subject, place,
        fmt::format("property '{}' is required and not set", subject.as_given(descriptor)));
}

// What could not be read at all: unknown parameters, malformed expressions, foreign secrets.
void PropertyChecker::check_prepared(const Subject& subject) {
  for (const auto& [name, character, message] : subject.values.prepared().problems()) {
    error(subject, subject.place_of(name),
          fmt::format("{}, character {}: {}", subject.shown(name), character, message));
  }
  for (const auto& [name, character, message] : subject.values.prepared().warnings()) {
    reporter_.warning(&subject.component, subject.place_of(name),
                      fmt::format("{}, character {}: {}", subject.shown(name), character, message));
  }
  for (const auto& [key, property] : subject.properties) {
    if (!property.value || !SensitiveValues::is_encrypted(*property.value)) continue;
    error(subject, property.place,
          fmt::format("property '{}' is encrypted and cannot be decrypted here: set it anew, or "
                      "give its key as nifi.sensitive.props.key",
                      key));
  }
}

// A sensitive value must not show where everybody may look.
void PropertyChecker::check_secrets(const Subject& subject) {
  for (const auto& [key, property] : subject.properties) {
    const PropertyDescriptor* const descriptor = find_descriptor(subject.definition, key);
    if (!property.value || (descriptor && descriptor->sensitive)) continue;
    check_secret(subject, property.place, key, *property.value);
  }
  for (const auto& [key, value] : subject.resolved) {
    if (is_annotation(key) && !subject.properties.contains(key)) {
      check_secret(subject, {}, key, value);
    }
  }
}

void PropertyChecker::check_secret(const Subject& subject, Place place, const std::string& key,
                                   const std::string& value) {
  for (const std::string& name : parameters_named(value)) {
    const expression::Parameter* const parameter = parameters_.find(name);
    if (!parameter || !parameter->sensitive) continue;
    error(subject, place,
          fmt::format("{} is not sensitive and refers to the sensitive parameter '{}'",
                      shown_property(key, subject.resolved), name));
  }
}

void PropertyChecker::check_value(const Subject& subject, const PropertyDescriptor& descriptor,
                                  Place place, const PropertyValue& given) {
  const std::string& value = given.text();
  if (value == descriptor.default_value || given.has_expression()) return;
  if (SensitiveValues::is_encrypted(value)) return;
  if (!descriptor.controller_service.empty()) {
    return check_service(subject, descriptor, place, value);
  }
  if (!descriptor.allowable_values.empty()) {
    return check_choice(subject, descriptor, place, value);
  }
  if (!descriptor.validator) return;
  if (const auto wrong = descriptor.validator(value)) {
    error(subject, place, fmt::format("property '{}': {}", subject.as_given(descriptor), *wrong));
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
        fmt::format("property '{}' is '{}' instead of one of: {}", subject.as_given(descriptor),
                    value, fmt::join(values, ", ")),
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
                 fmt::format("property '{}': {}{}", subject.as_given(descriptor), what,
                             by_name ? "; a service is named as {\"service\": \"its name\"}" : ""));
  }
  const ControllerServiceDefinition* const definition =
      registry_.find_controller_service(service->type);
  if (definition == nullptr) {
    return error(subject, place,
                 fmt::format("property '{}': the service '{}' is of a type that is not known",
                             subject.as_given(descriptor), service->name));
  }
  const auto& interfaces = definition->interfaces;
  if (std::ranges::find(interfaces, descriptor.controller_service) == interfaces.end()) {
    return error(
        subject, place,
        fmt::format("property '{}': the service '{}' is no {}", subject.as_given(descriptor),
                    service->name, descriptor.controller_service));
  }
  if (service->state == RunState::disabled) {
    error(subject, place,
          fmt::format("property '{}': the service '{}' is disabled", subject.as_given(descriptor),
                      service->name));
  }
}

}  // namespace weir::flow
