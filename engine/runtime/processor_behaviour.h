#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/api/processor.h"
#include "engine/flow/prepared_properties.h"
#include "engine/runtime/node.h"
#include "engine/runtime/service_node.h"

namespace weir::runtime {

// The property values of one component, parameters put in, with the services they name.
class ComponentProperties {
 public:
  // `engine` and `services` must live.
  ComponentProperties(const ComponentDefinition& definition,
                      const std::map<std::string, std::string>& values, ParameterView parameters,
                      Services& engine, const ServiceNodes& services);

  PropertyValue property(std::string_view name) const { return properties_.property(name); }
  std::vector<std::string> dynamic_properties() const { return properties_.dynamic_properties(); }
  std::shared_ptr<ControllerService> controller_service(std::string_view property) const;

 private:
  const ParameterView parameters_;
  const flow::PreparedProperties properties_;
  const ServiceNodes& services_;
};

// A component's own map in the state repository.
class ComponentState : public StateManager {
 public:
  ComponentState(state::StateRepository& states, std::string component)
      : states_(states), component_(std::move(component)) {}
  state::StateMap get() override { return states_.get(component_); }
  void set(std::map<std::string, std::string> values) override {
    states_.set(component_, std::move(values));
  }
  void clear() override { states_.clear(component_); }

 private:
  state::StateRepository& states_;
  const std::string component_;
};

// Runs a processor. One object a start; a terminated trigger may outlive the node's use of it.
std::shared_ptr<Behaviour> make_processor_behaviour(
    Node& node, const ProcessorDefinition& definition,
    std::shared_ptr<const ComponentProperties> properties);

// Passes FlowFiles on: input and output ports, funnels.
std::shared_ptr<Behaviour> make_pass_through();

}  // namespace weir::runtime
