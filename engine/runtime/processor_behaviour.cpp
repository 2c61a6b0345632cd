#include "engine/runtime/processor_behaviour.h"

#include <fmt/format.h>

namespace weir::runtime {

namespace {

constexpr std::size_t kPassThroughBatch = 1000;

class NodeContext : public ProcessContext {
 public:
  NodeContext(Node& node, std::shared_ptr<const ComponentProperties> properties)
      : node_(node),
        properties_(std::move(properties)),
        state_(*node.owner.services.states, node.id()) {}

  using PropertyContext::property;
  PropertyValue property(std::string_view name) const override {
    return properties_->property(name);
  }
  std::vector<std::string> dynamic_properties() const override {
    return properties_->dynamic_properties();
  }
  std::shared_ptr<ControllerService> controller_service(std::string_view name) const override {
    return properties_->controller_service(name);
  }
  const std::string& component_id() const override { return node_.id(); }
  const std::string& component_name() const override { return node_.owner.component.name; }
  ComponentLog& log() override { return node_.log(); }
  StateManager& state() override { return state_; }
  Clock& clock() override { return node_.owner.services.clock; }
  Random& random() override { return node_.owner.services.random; }

  bool has_incoming_connection() const override { return !node_.owner.incoming.empty(); }
  bool has_connection(std::string_view relationship) const override {
    const Route* route = node_.owner.find_route(relationship);
    return route != nullptr && !route->queues.empty();
  }
  std::set<std::string> available_relationships() const override {
    std::set<std::string> names;
    for (std::size_t i = 0; i < node_.owner.routes.size(); ++i) {
      if (node_.relationship_has_room(i)) names.insert(node_.owner.routes[i].relationship);
    }
    return names;
  }
  std::chrono::milliseconds penalty_duration() const override {
    return std::chrono::milliseconds(node_.owner.penalty_ms);
  }
  void yield() override { node_.yield(node_.schedule.yield_ms); }
  void yield(std::chrono::milliseconds duration) override { node_.yield(duration.count()); }
  bool is_scheduled() const override { return node_.is_scheduled(); }
  int concurrent_tasks() const override { return node_.schedule.tasks; }

 private:
  Node& node_;
  const std::shared_ptr<const ComponentProperties> properties_;
  ComponentState state_;
};

class ProcessorBehaviour : public Behaviour {
 public:
  ProcessorBehaviour(Node& node, const ProcessorDefinition& definition,
                     std::shared_ptr<const ComponentProperties> properties)
      : context_(node, std::move(properties)),
        manages_sessions_(definition.manages_sessions),
        processor_(definition.make()) {}

  void scheduled() override { processor_->on_scheduled(context_); }
  void trigger(Session& session, ProcessSessionFactory& sessions) override {
    if (manages_sessions_) {
      processor_->on_trigger_with(context_, sessions);
    } else {
      processor_->on_trigger(context_, session);
    }
  }
  void unscheduled() override { processor_->on_unscheduled(context_); }
  void stopped() override { processor_->on_stopped(context_); }

 private:
  NodeContext context_;
  const bool manages_sessions_;
  const std::unique_ptr<Processor> processor_;
};

class PassThrough : public Behaviour {
 public:
  void trigger(Session& session, ProcessSessionFactory&) override {
    for (const FlowFile& flow_file : session.get(kPassThroughBatch)) {
      session.transfer(flow_file, std::string_view());
    }
  }
};

}  // namespace

ComponentProperties::ComponentProperties(const ComponentDefinition& definition,
                                         const std::map<std::string, std::string>& values,
                                         ParameterView parameters, Services& engine,
                                         const ServiceNodes& services)
    : parameters_(std::move(parameters)),
      properties_(definition, values,
                  {engine.clock, engine.random, &parameters_.contexts->of(parameters_.context)}),
      services_(services) {}

std::shared_ptr<ControllerService> ComponentProperties::controller_service(
    std::string_view property_name) const {
  const PropertyValue named = property(property_name);
  if (!named.is_set()) return nullptr;
  std::shared_ptr<ControllerService> service = services_.enabled(named.text());
  if (!service) {
    throw ProcessException(fmt::format("The controller service {} that '{}' names is not enabled",
                                       named.text(), property_name));
  }
  return service;
}

std::shared_ptr<Behaviour> make_processor_behaviour(
    Node& node, const ProcessorDefinition& definition,
    std::shared_ptr<const ComponentProperties> properties) {
  return std::make_shared<ProcessorBehaviour>(node, definition, std::move(properties));
}

std::shared_ptr<Behaviour> make_pass_through() {
  return std::make_shared<PassThrough>();
}

}  // namespace weir::runtime
