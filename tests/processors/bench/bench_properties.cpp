#include "tests/processors/bench/bench_properties.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/api/flow_file.h"

namespace weir::bench {
namespace {

// Replaces each ${name} by the attribute of that name.
class AttributeReference : public PreparedExpression {
 public:
  explicit AttributeReference(std::string text) : text_(std::move(text)) {}
  std::string evaluate(const FlowFile* flow_file) const override {
    std::string out;
    std::size_t at = 0;
    while (true) {
      const std::size_t start = text_.find("${", at);
      const std::size_t end = start == std::string::npos ? start : text_.find('}', start);
      if (end == std::string::npos) return out + text_.substr(at);
      out += text_.substr(at, start - at);
      const std::string name = text_.substr(start + 2, end - start - 2);
      if (flow_file) out += flow_file->attribute(name).value_or("");
      at = end + 1;
    }
  }

 private:
  std::string text_;
};

std::unique_ptr<PreparedExpression> prepare(const std::string& text, ExpressionScope scope) {
  if (scope == ExpressionScope::none || text.find("${") == std::string::npos) return nullptr;
  return std::make_unique<AttributeReference>(text);
}

}  // namespace

void BenchProperties::set(const std::string& name, std::string value) {
  const PropertyDescriptor* descriptor = definition_.find_property(name);
  ExpressionScope scope = ExpressionScope::none;
  if (descriptor) {
    scope = descriptor->expression_scope;
  } else if (definition_.dynamic_properties) {
    scope = definition_.dynamic_properties->expression_scope;
  }
  const std::string key = descriptor ? descriptor->name : name;
  Held& held = values_[key];
  held.name = key;
  held.expression = prepare(value, scope);
  held.text = std::move(value);
}

const BenchProperties::Held* BenchProperties::find(std::string_view name) const {
  if (const auto found = values_.find(name); found != values_.end()) return &found->second;
  const PropertyDescriptor* descriptor = definition_.find_property(name);
  if (!descriptor || !descriptor->default_value) return nullptr;
  auto [place, is_new] = defaults_.try_emplace(std::string(name));
  if (is_new) {
    place->second.name = name;
    place->second.text = *descriptor->default_value;
    place->second.expression = prepare(*descriptor->default_value, descriptor->expression_scope);
  }
  return &place->second;
}

PropertyValue BenchProperties::property(std::string_view name) const {
  const Held* held = find(name);
  return held ? PropertyValue(&held->name, &held->text, held->expression.get()) : PropertyValue();
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
           std::ranges::find(dependency.values, other->text) != dependency.values.end();
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
    if (held->expression) continue;
    if (!descriptor.allowable_values.empty()) {
      const bool known = std::ranges::any_of(
          descriptor.allowable_values,
          [&](const AllowableValue& value) { return value.value == held->text; });
      if (!known) problems.push_back({descriptor.name, "is not one of the allowable values"});
    } else if (descriptor.validator) {
      if (auto problem = descriptor.validator(held->text)) {
        problems.push_back({descriptor.name, *problem});
      }
    }
  }
  for (const std::string& name : dynamic_properties()) {
    if (!definition_.dynamic_properties) problems.push_back({name, "is not a property"});
    const Held* held = find(name);
    if (held->expression || !definition_.dynamic_property_validator) continue;
    if (auto problem = definition_.dynamic_property_validator(held->text)) {
      problems.push_back({name, *problem});
    }
  }
  return problems;
}

}  // namespace weir::bench
