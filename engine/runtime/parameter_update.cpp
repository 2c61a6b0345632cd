#include "engine/runtime/parameter_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/flow/annotation_rules.h"
#include "engine/flow/check.h"
#include "engine/flow/write.h"

namespace weir::runtime {
namespace {

constexpr std::chrono::seconds stop_wait{30};

// All of a flow but the values of its parameters.
std::string shape_of(flow::Flow flow) {
  for (flow::ParameterContextNode& context : flow.parameter_contexts) {
    context.parameters.clear();
    context.source.reset();
  }
  flow.source.reset();
  flow.parameter_providers.clear();
  return flow::write_nifi_flow(flow);
}

flow::Problem problem(const std::string& file, const flow::Component* component,
                      std::string message) {
  flow::Problem made;
  made.file = file;
  if (component) {
    made.place = component->place;
    made.component = component->path;
    made.component_id = component->id;
  }
  made.message = std::move(message);
  return made;
}

class Update {
 public:
  Update(LoadedFlow& loaded, BuiltFlow& built, const ComponentRegistry& registry,
         Services& services, ServiceNodes& controller_services)
      : loaded_(loaded),
        built_(built),
        registry_(registry),
        services_(services),
        controller_services_(controller_services) {}

  std::vector<flow::Problem> run(flow::Flow now) {
    if (shape_of(now) != shape_of(loaded_.flow)) {
      return {problem(now.file, nullptr,
                      "the flow differs from the one that runs in more than the values of "
                      "parameters: nothing was changed")};
    }
    parameters_ = std::make_shared<const flow::ParameterContexts>(now);
    flow::CheckResult check = flow::check_flow(now, registry_);
    for (const flow::Problem& problem : check.problems) {
      if (problem.severity == flow::Problem::Severity::error) invalid_.insert(problem.component_id);
    }
    problems_ = std::move(check.problems);
    for (const flow::ServiceNode& one : now.controller_services) find_service(one, now.root);
    find_services(now.root);
    changed_services_ = controller_services_.with_users(std::move(changed_services_));
    find_processors(now.root);
    stop_processors();
    renew_services();
    for (const Affected& one : affected_) renew(one);
    controller_services_.enable_all();
    for (const Affected& one : affected_) {
      if (one.wanted) one.node->start();
    }
    loaded_ = {std::move(now), parameters_};
    return std::move(problems_);
  }

 private:
  struct Affected {
    const flow::ProcessorNode* processor;
    const ProcessorDefinition* definition;
    const flow::Group* group;
    Node* node;
    bool wanted;
  };

  bool has_changed(const flow::Properties& properties, const std::string& context) const {
    return std::ranges::any_of(properties, [&](const auto& one) {
      return one.second.value && has_changed(*one.second.value, context);
    });
  }

  // A value, by the parameters that it names.
  bool has_changed(const std::string& value, const std::string& context) const {
    const expression::Parameters& before = loaded_.parameters->of(context);
    const expression::Parameters& now = parameters_->of(context);
    return std::ranges::any_of(flow::parameters_named(value), [&](const std::string& name) {
      const auto* old_one = before.find(name);
      const auto* new_one = now.find(name);
      if ((old_one == nullptr) != (new_one == nullptr)) return true;
      return old_one && old_one->value != new_one->value;
    });
  }

  bool has_changed(const flow::ProcessorNode& processor, const ProcessorDefinition& definition,
                   const std::string& context) const {
    if (has_changed(processor.properties, context)) return true;
    const auto annotated = flow::annotation_values(processor.annotation_data, definition);
    return annotated && std::ranges::any_of(*annotated, [&](const auto& one) {
             return has_changed(one.second, context);
           });
  }

  void find_service(const flow::ServiceNode& service, const flow::Group& group) {
    if (!has_changed(service.properties, group.parameter_context)) return;
    changed_services_.insert(service.id);
    plans_.emplace_back(&service, &group);
  }

  void find_services(const flow::Group& group) {
    for (const flow::ServiceNode& one : group.services) find_service(one, group);
    for (const flow::Group& child : group.groups) find_services(child);
  }

  void find_processors(const flow::Group& group) {
    for (const flow::ProcessorNode& one : group.processors) {
      const ProcessorDefinition* const definition = registry_.find_processor(one.type);
      if (definition == nullptr || one.state == flow::RunState::disabled) continue;
      const std::vector<std::string>& used = built_.uses[one.id];
      const bool uses_changed = std::ranges::any_of(
          used, [&](const std::string& id) { return changed_services_.contains(id); });
      if (!uses_changed && !has_changed(one, *definition, group.parameter_context)) continue;
      Node& node = *built_.nodes.at(one.id);
      const Node::State state = node.state();
      const bool wanted = state == Node::State::running ||
                          (state == Node::State::invalid && one.state == flow::RunState::running);
      affected_.push_back({&one, definition, &group, &node, wanted});
    }
    for (const flow::Group& child : group.groups) find_processors(child);
  }

  void stop_processors() {
    for (const Affected& one : affected_) one.node->stop();
    const auto all_stopped = [&] {
      return std::ranges::all_of(affected_,
                                 [](const Affected& one) { return one.node->stopped(); });
    };
    if (services_.executor.wait_until(all_stopped, stop_wait)) return;
    for (const Affected& one : affected_) {
      if (!one.node->stopped()) one.node->terminate();
    }
  }

  void renew_services() {
    controller_services_.disable(changed_services_);
    for (const auto& [service, group] : plans_) {
      if (invalid_.contains(service->id)) continue;
      if (auto plan = service_plan(*service, registry_, view_of(*group))) {
        controller_services_.add(*std::move(plan));
      }
    }
  }

  void renew(const Affected& one) {
    if (invalid_.contains(one.processor->id)) {
      one.node->set_unavailable(Node::State::invalid);
      return;
    }
    if (!same_relationships(one)) {
      problems_.push_back(problem(loaded_.flow.file, one.processor,
                                  "its relationships change with the parameter: it stays stopped "
                                  "until the engine starts anew"));
      one.node->set_unavailable(Node::State::invalid);
      return;
    }
    built_.uses[one.processor->id] =
        give_values(*one.node, *one.processor, *one.definition, view_of(*one.group), services_,
                    controller_services_);
    one.node->set_unavailable(Node::State::stopped);
  }

  bool same_relationships(const Affected& one) const {
    const std::vector<Relationship> now =
        relationships_of(*one.processor, *one.definition, view_of(*one.group));
    return std::ranges::equal(now, one.node->owner.routes,
                              [](const Relationship& relationship, const Route& route) {
                                return relationship.name == route.relationship;
                              });
  }

  ParameterView view_of(const flow::Group& group) const {
    return {parameters_, group.parameter_context};
  }

  LoadedFlow& loaded_;
  BuiltFlow& built_;
  const ComponentRegistry& registry_;
  Services& services_;
  ServiceNodes& controller_services_;
  std::shared_ptr<const flow::ParameterContexts> parameters_;
  std::set<std::string> invalid_;
  std::set<std::string> changed_services_;
  std::vector<std::pair<const flow::ServiceNode*, const flow::Group*>> plans_;
  std::vector<Affected> affected_;
  std::vector<flow::Problem> problems_;
};

}  // namespace

std::vector<flow::Problem> update_parameters(LoadedFlow& loaded, flow::Flow now, BuiltFlow& built,
                                             const ComponentRegistry& registry, Services& services,
                                             ServiceNodes& controller_services) {
  return Update(loaded, built, registry, services, controller_services).run(std::move(now));
}

}  // namespace weir::runtime
