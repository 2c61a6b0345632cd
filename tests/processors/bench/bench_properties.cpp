#include "tests/processors/bench/bench_properties.h"

#include <algorithm>

namespace weir::bench {
BenchProperties::Held BenchProperties::hold(const std::string& name, const std::string& value,
                                            ExpressionScope scope) const {
  auto prepared = expression::prepare(value, scope, environment_);
  if (!prepared) return {.name = name, .problem = prepared.error().message};
  return {.name = name, .prepared = *std::move(prepared)};
}

void BenchProperties::set(const std::string& name, const std::string& value) {
  const PropertyDescriptor* descriptor = definition_.find_property(name);
  ExpressionScope scope = ExpressionScope::none;
  if (descriptor) {
    scope = descriptor->expression_scope;
  } else if (definition_.dynamic_properties) {
    scope = definition_.dynamic_properties->expression_scope;
  }
  const std::string key = descriptor ? descriptor->name : name;
  values_.insert_or_assign(key, hold(key, value, scope));
}

const BenchProperties::Held* BenchProperties::find(std::string_view name) const {
  if (const auto found = values_.find(name); found != values_.end()) return &found->second;
  const PropertyDescriptor* descriptor = definition_.find_property(name);
  if (!descriptor || !descriptor->default_value) return nullptr;
  auto place = defaults_.find(name);
  if (place == defaults_.end()) {
    Held held = hold(descriptor->name, *descriptor->default_value, descriptor->expression_scope);
    place = defaults_.emplace(name, std::move(held)).first;
  }
  return &place->second;
}

PropertyValue BenchProperties::property(std::string_view name) const {
  const Held* held = find(name);
  if (!held) return {};
  return {&held->name, &held->prepared.text, held->prepared.expression.get()};
}

std::vector<std::string> BenchProperties::dynamic_properties() const {
  std::vector<std::string> names;
  for (const auto& [name, held] : values_) {
    if (!definition_.find_property(name)) names.push_back(name);
  }
  return names;
}

bool BenchProperties::applies(const PropertyDescriptor& descriptor) const {
  return std::ranges::all_of(descriptor.depends_on, [&](const auto& dependency) {
    const Held* other = find(dependency.property);
    if (!other) return false;
    const PropertyDescriptor* declared = definition_.find_property(dependency.property);
    if (declared && !applies(*declared)) return false;
    return dependency.values.empty() ||
           std::ranges::find(dependency.values, other->prepared.text) != dependency.values.end();
  });
}

std::vector<ValidationProblem> BenchProperties::validate() const {
  std::vector<ValidationProblem> problems;
  for (const PropertyDescriptor& descriptor : definition_.properties) {
    if (!applies(descriptor)) continue;
    const Held* held = find(descriptor.name);
    if (!held) {
      if (descriptor.required) problems.push_back({descriptor.name, "is required"});
      continue;
    }
    if (!held->problem.empty()) problems.push_back({descriptor.name, held->problem});
    if (!held->problem.empty() || held->prepared.expression) continue;
    if (!descriptor.allowable_values.empty()) {
      const bool known = std::ranges::any_of(
          descriptor.allowable_values,
          [&](const AllowableValue& value) { return value.value == held->prepared.text; });
      if (!known) problems.push_back({descriptor.name, "is not one of the allowable values"});
    } else if (descriptor.validator) {
      if (auto problem = descriptor.validator(held->prepared.text)) {
        problems.push_back({descriptor.name, *problem});
      }
    }
  }
  for (const std::string& name : dynamic_properties()) {
    if (!definition_.dynamic_properties) problems.push_back({name, "is not a property"});
    const Held* held = find(name);
    if (!held->problem.empty()) problems.push_back({name, held->problem});
    if (!held->problem.empty() || held->prepared.expression) continue;
    if (!definition_.dynamic_property_validator) continue;
    if (auto problem = definition_.dynamic_property_validator(held->prepared.text)) {
      problems.push_back({name, *problem});
    }
  }
  return problems;
}

}  // namespace weir::bench
