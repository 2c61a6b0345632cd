#include "engine/flow/parameters.h"

#include <algorithm>

#include "engine/flow/component_properties.h"

namespace weir::flow {

class ParameterContexts::Values : public expression::Parameters {
 public:
  const expression::Parameter* find(std::string_view name) const override {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
  std::map<std::string, expression::Parameter, std::less<>> values;
};

namespace {

const ParameterContextNode* find_context(const Flow& flow, const std::string& name) {
  const auto& all = flow.parameter_contexts;
  const auto found = std::ranges::find(all, name, &ParameterContextNode::name);
  return found == all.end() ? nullptr : &*found;
}

void seal_properties(const ComponentDefinition* definition, Component& component,
                     Properties& properties, const SensitiveValues& sensitive) {
  if (definition == nullptr) return;
  for (auto& [key, property] : properties) {
    const PropertyDescriptor* const descriptor = find_descriptor(*definition, key);
    if (!descriptor || !descriptor->sensitive || !property.value) continue;
    if (SensitiveValues::is_encrypted(*property.value)) continue;
    // A reference gives nothing away.
    if (!parameters_named(*property.value).empty()) continue;
    if (sensitive.has_key()) {
      property.value = sensitive.encrypt(*property.value, component.id + "\n" + descriptor->name);
    } else {
      property.value.reset();
    }
  }
}

void seal_group(Group& group, const SensitiveValues& sensitive, const ComponentRegistry& registry) {
  for (ProcessorNode& one : group.processors) {
    seal_properties(registry.find_processor(one.type), one, one.properties, sensitive);
  }
  for (ServiceNode& one : group.services) {
    seal_properties(registry.find_controller_service(one.type), one, one.properties, sensitive);
  }
  for (Group& child : group.groups) seal_group(child, sensitive, registry);
}

void seal_parameter(const std::string& where, ParameterValue& parameter,
                    const SensitiveValues& sensitive) {
  if (parameter.origin != ParameterValue::Origin::flow) {
    parameter.value.reset();
  } else if (parameter.sensitive && parameter.value &&
             !SensitiveValues::is_encrypted(*parameter.value)) {
    if (sensitive.has_key()) {
      parameter.value = sensitive.encrypt(*parameter.value, where);
    } else {
      parameter.value.reset();
    }
  }
}

}  // namespace

Flow seal_values(Flow flow, const SensitiveValues& sensitive, const ComponentRegistry& registry) {
  for (ParameterContextNode& context : flow.parameter_contexts) {
    for (auto& [name, parameter] : context.parameters) {
      seal_parameter(context.name + "\n" + name, parameter, sensitive);
    }
    std::erase_if(context.parameters, [](const auto& one) {
      return one.second.origin == ParameterValue::Origin::provider && !one.second.listed;
    });
  }
  for (ServiceNode& one : flow.controller_services) {
    seal_properties(registry.find_controller_service(one.type), one, one.properties, sensitive);
  }
  seal_group(flow.root, sensitive, registry);
  return flow;
}

ParameterContexts::ParameterContexts(const Flow& flow) {
  contexts_[""] = std::make_shared<Values>();
  for (const ParameterContextNode& context : flow.parameter_contexts) {
    auto values = std::make_shared<Values>();
    std::set<std::string> seen;
    collect(flow, context, *values, seen);
    contexts_.try_emplace(context.name, std::move(values));
  }
}

void ParameterContexts::collect(const Flow& flow, const ParameterContextNode& context,
                                Values& values, std::set<std::string>& seen) {
  if (!seen.insert(context.name).second) return;  // a circle is reported by the check
  for (const auto& [name, parameter] : context.parameters) {
    if (parameter.value) values.values.try_emplace(name, *parameter.value, parameter.sensitive);
  }
  for (const std::string& inherited : context.inherited) {
    const ParameterContextNode* const above = find_context(flow, inherited);
    if (above) collect(flow, *above, values, seen);
  }
}

const expression::Parameters& ParameterContexts::of(const std::string& context) const {
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? *contexts_.at("") : *found->second;
}

std::set<std::string> parameters_named(std::string_view value) {
  std::set<std::string> names;
  for (std::size_t at = value.find("#{"); at != std::string_view::npos;
       at = value.find("#{", at + 2)) {
    const std::size_t end = value.find('}', at);
    if (end == std::string_view::npos) break;
    std::string_view name = value.substr(at + 2, end - at - 2);
    const std::size_t first = name.find_first_not_of(" '\"");
    if (first == std::string_view::npos) continue;
    name = name.substr(first, name.find_last_not_of(" '\"") - first + 1);
    names.emplace(name);
  }
  return names;
}

}  // namespace weir::flow
