#include "engine/flow/prepared_properties.h"

namespace weir::flow {

PreparedProperties::PreparedProperties(const ComponentDefinition& definition,
                                       const std::map<std::string, std::string>& values,
                                       const expression::Environment& environment)
    : definition_(definition) {
  for (const auto& [name, value] : values) {
    const PropertyDescriptor* const descriptor = definition.find_property(name);
    ExpressionScope scope = ExpressionScope::none;
    if (descriptor) {
      scope = descriptor->expression_scope;
    } else if (definition.dynamic_properties) {
      scope = definition.dynamic_properties->expression_scope;
    }
    prepare(name, value, scope, environment);
  }
  for (const PropertyDescriptor& descriptor : definition.properties) {
    if (!descriptor.default_value || values.contains(descriptor.name)) continue;
    prepare(descriptor.name, *descriptor.default_value, descriptor.expression_scope, environment);
  }
}

void PreparedProperties::prepare(const std::string& name, const std::string& value,
                                 ExpressionScope scope,
                                 const expression::Environment& environment) {
  auto prepared = expression::prepare(value, scope, environment);
  if (prepared) {
    for (auto& [offset, message] : prepared->warnings) {
      warnings_.push_back({name, offset + 1, std::move(message)});
    }
    prepared->warnings.clear();
    values_.emplace(name, *std::move(prepared));
  } else {
    const auto& [offset, message] = prepared.error();
    problems_.push_back({name, offset + 1, message});
  }
}

PropertyValue PreparedProperties::property(std::string_view name) const {
  const PropertyDescriptor* const descriptor = definition_.find_property(name);
  const auto found = values_.find(descriptor ? std::string_view(descriptor->name) : name);
  if (found != values_.end()) {
    return {&found->first, &found->second.text, found->second.expression.get()};
  }
  return descriptor ? PropertyValue(&descriptor->name, nullptr) : PropertyValue();
}

std::vector<std::string> PreparedProperties::dynamic_properties() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) {
    if (definition_.find_property(name) == nullptr) names.push_back(name);
  }
  return names;
}

}  // namespace weir::flow
