#include "engine/runtime/service_node.h"

#include <algorithm>

#include "engine/runtime/processor_behaviour.h"

namespace weir::runtime {

struct ServiceNodes::Node : ComponentContext {
  Node(Services& services, Plan plan_of_it, const ServiceNodes& all)
      : plan(std::move(plan_of_it)),
        engine(services),
        properties(*plan.definition, plan.values, plan.parameters, services, all),
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
  for (const std::string& id : named_by(node)) {
    const auto used = nodes_.find(id);
    if (used == nodes_.end() || !enable(*used->second, path)) {
      node.component_log.error("Cannot be enabled: the service {} that it uses is not enabled", id);
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

std::set<std::string> ServiceNodes::named_by(const Node& node) {
  std::set<std::string> ids;
  for (const PropertyDescriptor& descriptor : node.plan.definition->properties) {
    const PropertyValue value = node.properties.property(descriptor.name);
    if (!descriptor.controller_service.empty() && value.is_set()) ids.insert(value.text());
  }
  return ids;
}

std::set<std::string> ServiceNodes::with_users(std::set<std::string> ids) const {
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [id, node] : nodes_) {
      const std::set<std::string> used = named_by(*node);
      const bool uses_one =
          std::ranges::any_of(used, [&](const std::string& one) { return ids.contains(one); });
      if (uses_one) grew |= ids.insert(id).second;
    }
  }
  return ids;
}

void ServiceNodes::enable_all() {
  for (const auto& [id, node] : nodes_) node->failed = false;
  for (const auto& [id, node] : nodes_) {
    std::vector<const Node*> path;
    enable(*node, path);
  }
}

void ServiceNodes::disable_all() {
  std::set<std::string> all;
  for (const auto& [id, node] : nodes_) all.insert(id);
  disable(all);
}

void ServiceNodes::disable(const std::set<std::string>& ids) {
  std::vector<Node*> order;
  {
    const std::lock_guard lock(mutex_);
    for (Node* node : enabled_order_) {
      if (ids.contains(node->plan.id)) order.push_back(node);
    }
    std::erase_if(enabled_order_, [&](Node* node) { return ids.contains(node->plan.id); });
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
