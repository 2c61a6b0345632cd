#include "tools/flow_test/flow_under_test.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/api/units.h"
#include "engine/flow/check.h"
#include "engine/flow/ids.h"
#include "tools/flow_test/groups.h"
#include "tools/flow_test/text_syntax.h"

namespace weir::flow_test {
namespace {

using flow::Endpoint;
using flow::Group;
using flow::ProcessorNode;
using flow::RunState;
using Kind = NamedComponent::Kind;

class Preparer {
 public:
  Preparer(flow::Flow read, const FlowTest& test, ComponentRegistry& registry,
           const std::function<std::string(std::string)>& expand)
      : made_(std::make_unique<FlowUnderTest>(std::move(read))),
        test_(test),
        registry_(registry),
        expand_(expand) {}

  std::unique_ptr<FlowUnderTest> run() {
    set_parameters();
    set_states();
    mark_part();
    for (const Mock& mock : test_.mocks) guarded(mock.line, [&] { put_mock(mock); });
    list_tested();
    drop_unused_services();
    require_known_types();
    if (!test_.flow_file.empty()) require_mocks();
    made_->names = Names(made_->flow);
    add_inputs();
    return std::move(made_);
  }

 private:
  template <typename Action>
  void guarded(int line, const Action& action) {
    try {
      action();
    } catch (const SyntaxError& error) {
      made_->mistakes.push_back({test_.file, line, error.what, error.nearest});
    }
  }

  // A test gives values itself: nothing is asked of parameter providers.
  void set_parameters() {
    for (auto& context : made_->flow.parameter_contexts) context.provider.clear();
    for (const Parameter& parameter : test_.parameters) {
      std::vector<std::string> known;
      bool found = false;
      for (auto& context : made_->flow.parameter_contexts) {
        for (auto& [name, value] : context.parameters) {
          known.push_back(name);
          if (name != parameter.name && context.name + "/" + name != parameter.name) continue;
          value.value = expand_(parameter.value);
          value.origin = flow::ParameterValue::Origin::flow;
          found = true;
        }
      }
      if (found) continue;
      made_->mistakes.push_back(
          {test_.file, parameter.line,
           fmt::format("no parameter context of the flow has a parameter '{}'", parameter.name),
           nearest_name(parameter.name, known)});
    }
  }

  // NiFi's exports tell nothing of what is to run: all that is not disabled does. What reaches an
  // output port of the root group stays there, to be looked at.
  void set_states() {
    if (made_->flow.form != flow::Flow::Form::hand_written) {
      for (auto& one : made_->flow.controller_services) one.state = RunState::enabled;
      each_group(made_->flow.root, [](Group& group) {
        for (auto& one : group.processors) run_if_enabled(one.state);
        for (auto& one : group.ports) run_if_enabled(one.state);
        for (auto& one : group.services) one.state = RunState::enabled;
      });
    }
    stop_output_ports(made_->flow.root);
  }
  static void run_if_enabled(RunState& state) {
    if (state == RunState::enabled) state = RunState::running;
  }
  void stop_output_ports(Group& group) {
    for (auto& one : group.ports) {
      if (one.input) continue;
      if (one.state == RunState::running) one.state = RunState::enabled;
      captured_.insert(one.id);
    }
  }

  // `only`: what is outside becomes a stopped port of the same name, where it is joined to the
  // part, and goes where it is not.
  void mark_part() {
    if (test_.only.empty()) return;
    for (const Named& only : test_.only) {
      guarded(only.line, [&] {
        const auto& named = made_->names.component(only.name, "group or component");
        if (named.kind == Kind::group) {
          each_group(made_->flow.root, [&](Group& group) {
            if (group.id == named.id) include(group);
          });
        } else {
          part_.insert(named.id);
        }
      });
    }
    if (!made_->mistakes.empty()) return;
    each_group(made_->flow.root, [&](Group& group) {
      std::erase_if(group.connections, [&](const flow::ConnectionNode& one) {
        return !part_.contains(one.from.id) && !part_.contains(one.to.id);
      });
      for (auto& one : group.connections) {
        for (Endpoint* end : {&one.from, &one.to}) {
          if (!part_.contains(end->id)) joined_.insert(end->id);
        }
      }
    });
    each_group(made_->flow.root, [&](Group& group) { cut(group); });
    uncap_captures();
  }

  void include(Group& group) {
    stop_output_ports(group);
    each_group(group, [&](Group& inner) {
      part_.insert(inner.id);
      for (const auto& one : inner.processors) part_.insert(one.id);
      for (const auto& one : inner.ports) part_.insert(one.id);
      for (const auto& one : inner.funnels) part_.insert(one.id);
    });
  }

  void cut(Group& group) {
    if (!part_.contains(group.id)) group.flow_file_concurrency = "UNBOUNDED";
    std::erase_if(group.ports, [&](const flow::PortNode& one) { return is_gone(one.id); });
    for (auto& one : group.ports) {
      if (!part_.contains(one.id)) make_stub(one);
    }
    const auto replace = [&](auto& components) {
      for (const auto& one : components) {
        if (part_.contains(one.id) || is_gone(one.id)) continue;
        flow::PortNode stub{static_cast<const flow::Component&>(one)};
        make_stub(stub);
        group.ports.push_back(std::move(stub));
      }
      std::erase_if(components, [&](const auto& one) { return !part_.contains(one.id); });
    };
    replace(group.processors);
    replace(group.funnels);
  }
  bool is_gone(const std::string& id) const { return !part_.contains(id) && !joined_.contains(id); }
  void make_stub(flow::PortNode& port) {
    port.state = RunState::enabled;
    outside_.insert(port.id);
    captured_.insert(port.id);
  }

  // What the part sends out must not hold it up.
  void uncap_captures() {
    each_group(made_->flow.root, [&](Group& group) {
      for (auto& one : group.connections) {
        if (!captured_.contains(one.to.id)) continue;
        one.backpressure_count = 0;
        one.backpressure_size = "0 B";
        one.expiration = "0 sec";
      }
    });
  }

  ProcessorNode* find_processor(const std::string& id) {
    ProcessorNode* found = nullptr;
    each_group(made_->flow.root, [&](Group& group) {
      for (auto& one : group.processors) {
        if (one.id == id) found = &one;
      }
    });
    return found;
  }

  void put_mock(const Mock& mock) {
    const std::string id = made_->names.processor(mock.name).id;
    ProcessorNode* const node = find_processor(id);
    if (node == nullptr) return;  // outside of the part
    const std::vector<std::string> relationships = used_relationships(*node);
    std::shared_ptr<MockedSink> sink;
    if (mock.source) {
      made_->sources[id] = source_relationship(mock, relationships);
      node->state = RunState::enabled;
    } else {
      require_relationship(mock, mock.relationship, relationships);
      sink = std::make_shared<MockedSink>();
      sink->relationship = mock.relationship;
      sink->expand = expand_;
      for (const FlowFileText& one : mock.flow_files) {
        if (!one.relationship.empty()) require_relationship(mock, one.relationship, relationships);
        for (std::uint64_t i = 0; i < one.times; ++i) sink->sent_on.push_back(one);
      }
      made_->sinks[id] = sink;
      node->state = RunState::running;
      node->scheduling = flow::Scheduling::timer_driven;
      node->scheduling_period = "0 sec";
    }
    node->type = fmt::format("weir.test.Mock{}", made_->mock_definitions.size() + 1);
    node->properties.clear();
    auto definition = make_mock_definition(node->type, relationships, std::move(sink));
    registry_.add(*definition);
    made_->mock_definitions.push_back(std::move(definition));
  }

  // Those that the flow says something about: the type may be one that nobody here knows.
  std::vector<std::string> used_relationships(const ProcessorNode& node) {
    std::set<std::string> names;
    for (const auto& [name, place] : node.auto_terminated) names.insert(name);
    each_group(made_->flow.root, [&](Group& group) {
      for (const auto& one : group.connections) {
        if (one.from.id != node.id) continue;
        for (const auto& [name, place] : one.relationships) names.insert(name);
      }
    });
    return {names.begin(), names.end()};
  }

  static void require_relationship(const Mock& mock, const std::string& name,
                                   const std::vector<std::string>& known) {
    if (name.empty() || std::ranges::find(known, name) != known.end()) return;
    throw SyntaxError{
        fmt::format("relationship '{}' of '{}' leads nowhere in the flow", name, mock.name),
        nearest_name(name, known)};
  }

  static std::string source_relationship(const Mock& mock, const std::vector<std::string>& known) {
    require_relationship(mock, mock.relationship, known);
    if (!mock.relationship.empty()) return mock.relationship;
    if (known.size() == 1) return known.front();
    return std::ranges::find(known, "success") != known.end() ? "success" : "";
  }

  void list_tested() {
    each_group(made_->flow.root, [&](Group& group) {
      for (const ProcessorNode& one : group.processors) {
        const bool mocked = made_->sources.contains(one.id) || made_->sinks.contains(one.id);
        if (!mocked && one.state != RunState::disabled) made_->tested.insert(one.id);
      }
    });
  }

  // Services that nothing under test uses may be of types that nobody here knows.
  void drop_unused_services() {
    std::set<std::string> used;
    each_group(made_->flow.root, [&](Group& group) {
      for (const ProcessorNode& one : group.processors) {
        if (made_->tested.contains(one.id)) use_services(group, one.properties, used);
      }
    });
    for (std::size_t before = SIZE_MAX; before != used.size();) {  // services use others
      before = used.size();
      each_group(made_->flow.root, [&](Group& group) {
        for (const auto& one : group.services) {
          if (used.contains(one.id)) use_services(group, one.properties, used);
        }
      });
    }
    const auto unused = [&](const auto& one) { return !used.contains(one.id); };
    std::erase_if(made_->flow.controller_services, unused);
    each_group(made_->flow.root, [&](Group& group) { std::erase_if(group.services, unused); });
  }

  void use_services(const Group& group, const flow::Properties& properties,
                    std::set<std::string>& used) {
    std::vector<std::string> values;
    for (const auto& [name, property] : properties) {
      if (property.value) values.push_back(*property.value);
    }
    for (const auto& context : made_->flow.parameter_contexts) {
      for (const auto& [name, parameter] : context.parameters) {
        if (parameter.value) values.push_back(*parameter.value);
      }
    }
    for (const std::string& value : values) {
      const auto* const service = flow::find_service(made_->flow, group, value);
      if (service != nullptr) used.insert(service->id);
    }
  }

  void require_known_types() {
    for (const std::string& id : made_->tested) {
      const ProcessorNode& node = *find_processor(id);
      if (node.type.empty() || registry_.find_processor(node.type) != nullptr) continue;
      made_->mistakes.push_back(
          {made_->flow.file, static_cast<int>(node.place.line),
           fmt::format("there is no processor type '{}': put something in the place of '{}' "
                       "(mock NAME source, mock NAME sink), or test a part of the flow (only NAME)",
                       node.type, node.name),
           registry_.nearest_type(node.type)});
    }
  }

  // A user's flow must not read or write anything outside because a test forgot a line.
  void require_mocks() {
    std::set<std::string> allowed;
    for (const Named& real : test_.real) {
      guarded(real.line, [&] { allowed.insert(made_->names.processor(real.name).id); });
    }
    for (const std::string& id : made_->tested) {
      const ProcessorNode& node = *find_processor(id);
      const auto* const definition = registry_.find_processor(node.type);
      if (definition == nullptr || allowed.contains(id)) continue;
      const bool source = definition->input == InputRequirement::forbidden;
      if (definition->short_type() == "GenerateFlowFile") continue;
      if (!source && !definition->blocking) continue;
      made_->mistakes.push_back(
          {test_.file,
           test_.flow_line,
           fmt::format("'{0}' ({1}) works outside of the flow: put something in its place (mock "
                       "{0} {2}), or let it (real {0})",
                       node.name, definition->short_type(), source ? "source" : "sink"),
           {}});
    }
  }

  // A hidden connection into each component that the test sends to.
  void add_inputs() {
    for (const Step& step : test_.steps) {
      if (step.kind != Step::Kind::send) continue;
      guarded(step.line, [&] { add_input(made_->names.where(step.target)); });
    }
    if (made_->inputs.empty()) return;
    flow::FunnelNode funnel;
    funnel.id = input_id_;
    funnel.name = "flow test";
    funnel.path = funnel.name;
    made_->flow.root.funnels.push_back(std::move(funnel));
  }

  void add_input(const Where& where) {
    const std::string& id = where.component_id;
    if (where.kind == Where::Kind::connection) return;
    if (made_->sources.contains(id)) {
      if (where.kind == Where::Kind::component && made_->sources.at(id).empty()) {
        throw SyntaxError{"its relationships are several: send NAME.RELATIONSHIP"};
      }
      return;
    }
    if (where.kind == Where::Kind::relationship) {
      throw SyntaxError{"only a mocked source sends by a relationship: mock NAME source"};
    }
    if (outside_.contains(id)) throw SyntaxError{"that is outside of the part under test"};
    if (made_->inputs.contains(id)) return;
    flow::ConnectionNode connection;
    connection.id = flow::id_from_text("flow test input " + id);
    connection.from = {Endpoint::Type::funnel, input_id_, {}};
    connection.to = {Endpoint::Type::processor, id, {}};
    connection.backpressure_count = 0;
    connection.backpressure_size = "0 B";
    made_->inputs[id] = connection.id;
    group_feeding(id).connections.push_back(std::move(connection));
  }

  // The group in which a component's incoming connections stand: for an input port the one around
  // its own.
  Group& group_feeding(const std::string& id) {
    Group* found = &made_->flow.root;
    each_group(made_->flow.root, [&](Group& group) {
      const auto here = [&](const auto& one) { return one.id == id; };
      const bool output = std::ranges::any_of(
          group.ports, [&](const flow::PortNode& one) { return one.id == id && !one.input; });
      if (output || std::ranges::any_of(group.processors, here) ||
          std::ranges::any_of(group.funnels, here)) {
        found = &group;
      }
      for (const Group& child : group.groups) {
        if (std::ranges::any_of(child.ports,
                                [&](const auto& one) { return one.id == id && one.input; })) {
          found = &group;
        }
      }
    });
    return *found;
  }

  const std::string input_id_ = flow::id_from_text("flow test input");
  std::unique_ptr<FlowUnderTest> made_;
  const FlowTest& test_;
  ComponentRegistry& registry_;
  const std::function<std::string(std::string)>& expand_;
  std::set<std::string> part_;      // with `only`: groups and components under test
  std::set<std::string> joined_;    // outside, at the other end of a connection
  std::set<std::string> outside_;   // those of them, as stopped ports
  std::set<std::string> captured_;  // what arrives there stays
};

}  // namespace

std::unique_ptr<FlowUnderTest> make_flow_under_test(
    flow::Flow read, const FlowTest& test, ComponentRegistry& registry,
    const std::function<std::string(std::string)>& expand) {
  return Preparer(std::move(read), test, registry, expand).run();
}

}  // namespace weir::flow_test
