#include "engine/flow/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/api/units.h"
#include "engine/flow/annotation_rules.h"
#include "engine/flow/checker.h"
#include "engine/flow/parameters.h"

namespace weir::flow {
namespace {

class Checker {
 public:
  Checker(const Flow& flow, const ComponentRegistry& registry)
      : flow_(flow), registry_(registry), parameters_(flow), reporter_(flow.file) {}

  CheckResult run() {
    check_contexts();
    for (const ServiceNode& one : flow_.controller_services) check_service(one, flow_.root);
    check_group(flow_.root, {});
    sort_by_place(reporter_.problems());
    result_.problems = std::move(reporter_.problems());
    return std::move(result_);
  }

 private:
  void check_contexts() {
    for (const ParameterContextNode& context : flow_.parameter_contexts) {
      std::set<std::string> above;
      if (inherits_itself(context, above)) {
        reporter_.error(nullptr, context.place,
                        fmt::format("the parameter context '{}' inherits itself", context.name));
      }
      for (const std::string& name : context.inherited) {
        if (find_context(name) != nullptr) continue;
        reporter_.error(nullptr, context.place,
                        fmt::format("the parameter context '{}' inherits '{}', which is not there",
                                    context.name, name),
                        nearest_name(name, context_names()));
      }
    }
  }

  const ParameterContextNode* find_context(const std::string& name) const {
    const auto& all = flow_.parameter_contexts;
    const auto found = std::ranges::find(all, name, &ParameterContextNode::name);
    return found == all.end() ? nullptr : &*found;
  }

  std::vector<std::string> context_names() const {
    std::vector<std::string> names;
    for (const auto& one : flow_.parameter_contexts) names.push_back(one.name);
    return names;
  }

  // `seen` holds all contexts above, so that this ends.
  bool inherits_itself(const ParameterContextNode& start, std::set<std::string>& seen) const {
    std::vector<const ParameterContextNode*> open{&start};
    while (!open.empty()) {
      const ParameterContextNode* const one = open.back();
      open.pop_back();
      for (const std::string& name : one->inherited) {
        if (name == start.name) return true;
        const ParameterContextNode* const next = find_context(name);
        if (next != nullptr && seen.insert(name).second) open.push_back(next);
      }
    }
    return false;
  }

  void check_group(const Group& group, std::vector<std::string> above) {
    if (!group.identifier.empty() && std::ranges::find(above, group.identifier) != above.end()) {
      reporter_.error(&group, {}, "the group has the identifier of a group around it");
    }
    above.push_back(group.identifier);
    check_group_settings(group);
    const GroupConnections connections(group);
    for (const ServiceNode& one : group.services) check_service(one, group);
    for (const ProcessorNode& one : group.processors) check_processor(one, group, connections);
    check_connections(group, reporter_);
    for (const FunnelNode& one : group.funnels) check_passes_on(one, "funnel", connections);
    for (const PortNode& one : group.ports) {
      if (!one.input) continue;
      const bool is_used = &group != &flow_.root;
      if (is_used && !connections.from.contains(one.id)) {
        reporter_.warning(&one, {},
                          "the input port leads nowhere: what arrives stays in the queue");
      }
    }
    for (const Group& child : group.groups) {
      check_outputs(child, connections);
      check_group(child, above);
    }
  }

  void check_group_settings(const Group& group) {
    if (!group.parameter_context.empty() && find_context(group.parameter_context) == nullptr) {
      reporter_.error(&group, {},
                      fmt::format("there is no parameter context '{}'", group.parameter_context),
                      nearest_name(group.parameter_context, context_names()));
    }
    check_word(group, "FlowFile concurrency", group.flow_file_concurrency,
               {"UNBOUNDED", "SINGLE_FLOWFILE_PER_NODE", "SINGLE_BATCH_PER_NODE"});
    check_word(group, "outbound policy", group.outbound_policy,
               {"STREAM_WHEN_AVAILABLE", "BATCH_OUTPUT"});
  }

  void check_word(const Group& group, const char* what, const std::string& value,
                  const std::vector<std::string>& words) {
    if (std::ranges::find(words, value) != words.end()) return;
    reporter_.error(
        &group, {},
        fmt::format("{} is '{}' instead of one of: {}", what, value, fmt::join(words, ", ")),
        nearest_name(value, words));
  }

  void check_passes_on(const Component& one, const char* kind, const GroupConnections& inside) {
    if (inside.from.contains(one.id) || !inside.to.contains(one.id)) return;
    reporter_.warning(&one, {},
                      fmt::format("the {} leads nowhere: what arrives stays in the queue", kind));
  }

  // An output port is fed inside its group and emptied in the one around it.
  void check_outputs(const Group& child, const GroupConnections& outside) {
    const GroupConnections inside(child);
    for (const PortNode& one : child.ports) {
      if (one.input || outside.from.contains(one.id) || !inside.to.contains(one.id)) continue;
      reporter_.warning(&one, {}, "the output port leads nowhere: what arrives stays in the queue");
    }
  }

  void check_service(const ServiceNode& service, const Group& group) {
    const std::size_t before = reporter_.problems().size();
    const ControllerServiceDefinition* const definition =
        registry_.find_controller_service(service.type);
    if (definition == nullptr) {
      unknown(service, service.type, "controller service");
    } else {
      ++result_.known_types;
      PropertyChecker properties(flow_, group, registry_, parameters_of(group), reporter_);
      const auto values = resolve_properties(service.properties, *definition);
      if (properties.check(service, service.properties, *definition, values) && definition->make) {
        properties.check_custom(service, service.properties, *definition, values,
                                *definition->make());
      }
    }
    if (service.state == RunState::disabled) soften(before);
  }

  void check_processor(const ProcessorNode& processor, const Group& group,
                       const GroupConnections& connections) {
    const std::size_t before = reporter_.problems().size();
    const ProcessorDefinition* const definition = registry_.find_processor(processor.type);
    if (definition == nullptr) {
      unknown(processor, processor.type, "processor");
    } else {
      ++result_.known_types;
      PropertyChecker properties(flow_, group, registry_, parameters_of(group), reporter_);
      const auto annotated = annotation_values(processor.annotation_data, *definition);
      if (!annotated) reporter_.error(&processor, {}, annotated.error());
      const auto values = resolve_properties(processor, *definition);
      if (properties.check(processor, processor.properties, *definition, values)) {
        const PlainPropertyContext context(*definition, values, &parameters_of(group));
        check_relationships(processor, *definition, context, connections, reporter_);
        if (definition->make) {
          properties.check_custom(processor, processor.properties, *definition, values,
                                  *definition->make());
        }
      } else if (!definition->dynamic_relationships) {
        check_relationships(processor, *definition, PlainPropertyContext(*definition, {}),
                            connections, reporter_);
      }
      check_input(processor, *definition, connections, reporter_);
    }
    check_scheduling(processor, reporter_);
    if (processor.state == RunState::disabled) soften(before);
  }

  const expression::Parameters& parameters_of(const Group& group) const {
    return parameters_.of(group.parameter_context);
  }

  void unknown(const Component& component, const std::string& type, const char* kind) {
    ++result_.unknown_types;
    if (type.empty()) return;  // the reader has said so
    reporter_.error(
        &component, {},
        fmt::format("there is no {} type '{}': it does not start, the others do", kind, type),
        registry_.nearest_type(type));
  }

  // A disabled component is not meant to run: what is wrong with it keeps nobody from starting.
  void soften(std::size_t before) {
    auto& problems = reporter_.problems();
    for (std::size_t i = before; i < problems.size(); ++i) {
      problems[i].severity = Problem::Severity::warning;
    }
  }

  const Flow& flow_;
  const ComponentRegistry& registry_;
  const ParameterContexts parameters_;
  Reporter reporter_;
  CheckResult result_;
};

}  // namespace

bool CheckResult::has_errors() const {
  return std::ranges::any_of(
      problems, [](const Problem& one) { return one.severity == Problem::Severity::error; });
}

CheckResult check_flow(const Flow& flow, const ComponentRegistry& registry) {
  return Checker(flow, registry).run();
}

}  // namespace weir::flow
