#include "engine/runtime/service_node.h"

#include <algorithm>

#include "engine/runtime/processor_behaviour.h"

namespace weir::runtime {

struct ServiceNodes::Node : ComponentContext {
  Node(Services& services, Plan plan_of_it, const ServiceNodes& all)
      : plan(std::move(plan_of_it)),
        engine(services),
        properties(*plan.definition, plan.values, all),
        component_log(services.bulletins, plan.id, plan.name, plan.bulletin_level),
        component_state(*services.states, plan.id) {}

  using PropertyContext::property;
  PropertyValue property(std::string_view name) const override { return properties.property(name); }
  std::vector<std::string> dynamic_properties() const override {
    return properties.dynamic_properties();
  }
  std::shared_ptr<ControllerService> controller_service(std::string_view name) const override {
    return properties.controller_service(name);
  }
  const std::string& component_id() const override { return plan.id; }
  const std::string& component_name() const override { return plan.name; }
  ComponentLog& log() override { return component_log; }
  StateManager& state() override { return component_state; }
  Clock& clock() override { return engine.clock; }
  Random& random() override { return engine.random; }

  const Plan plan;
  Services& engine;
  const ComponentProperties properties;
  BulletinLog component_log;
  ComponentState component_state;
  std::shared_ptr<ControllerService> instance;
  bool is_enabled = false;
  bool failed = false;  // this time: it is not tried once more for each of its users
};

ServiceNodes::ServiceNodes(Services& services) : services_(services) {}
ServiceNodes::~ServiceNodes() = default;

void ServiceNodes::add(Plan plan) {
  const std::string id = plan.id;
  nodes_[id] = std::make_unique<Node>(services_, std::move(plan), *this);
}

bool ServiceNodes::enable(Node& node, std::vector<const Node*>& path) {
  if (node.is_enabled || node.failed) return node.is_enabled;
  if (std::find(path.begin(), path.end(), &node) != path.end()) {
    node.component_log.error("Cannot be enabled: the service refers to itself");
    return false;
  }
  path.push_back(&node);
  for (const PropertyDescriptor& descriptor : node.plan.definition->properties) {
    const auto value = node.plan.values.find(descriptor.name);
    if (descriptor.controller_service.empty() || value == node.plan.values.end()) continue;
    const auto used = nodes_.find(value->second);
    if (used == nodes_.end() || !enable(*used->second, path)) {
      node.component_log.error("Cannot be enabled: the service {} that '{}' names is not enabled",
                               value->second, descriptor.name);
      path.pop_back();
      node.failed = true;
      return false;
    }
  }
  path.pop_back();
  auto instance = node.plan.definition->make();
  try {
    instance->on_enabled(node);
  } catch (const std::exception& error) {
    node.component_log.error("Cannot be enabled: {}", error.what());
    node.failed = true;
    return false;
  }
  const std::lock_guard lock(mutex_);
  node.instance = std::move(instance);
  node.is_enabled = true;
  enabled_order_.push_back(&node);
  return true;
}

void ServiceNodes::enable_all() {
  for (const auto& [id, node] : nodes_) node->failed = false;
  for (const auto& [id, node] : nodes_) {
    std::vector<const Node*> path;
    enable(*node, path);
  }
}

void ServiceNodes::disable_all() {
  std::vector<Node*> order;
  {
    const std::lock_guard lock(mutex_);
    order.swap(enabled_order_);
    for (Node* node : order) node->is_enabled = false;
  }
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    try {
      (*node)->instance->on_disabled(**node);
    } catch (const std::exception& error) {
      (*node)->component_log.error("on_disabled failed: {}", error.what());
    }
    const std::lock_guard lock(mutex_);
    (*node)->instance.reset();
  }
}

std::shared_ptr<ControllerService> ServiceNodes::enabled(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto place = nodes_.find(id);
  return place != nodes_.end() && place->second->is_enabled ? place->second->instance : nullptr;
}

bool ServiceNodes::known(const std::string& id) const {
  return nodes_.contains(id);
}

}  // namespace weir::runtime
