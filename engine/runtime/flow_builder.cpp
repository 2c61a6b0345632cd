#include "engine/runtime/flow_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/api/units.h"
#include "engine/flow/check.h"
#include "engine/runtime/group_gate.h"
#include "engine/runtime/processor_behaviour.h"

namespace weir::runtime {

namespace {

using flow::ConnectionNode;
using flow::Group;
using flow::ProcessorNode;

std::int64_t milliseconds(const std::string& text, std::int64_t otherwise) {
  const auto duration = parse_duration(text);
  if (!duration) return otherwise;  // the flow check has reported it
  return std::chrono::duration_cast<std::chrono::milliseconds>(*duration).count();
}

class Builder {
 public:
  Builder(const ComponentRegistry& registry,
          std::shared_ptr<const flow::ParameterContexts> parameters,
          const std::set<std::string>& invalid, Services& services,
          ServiceNodes& controller_services)
      : registry_(registry),
        parameters_(std::move(parameters)),
        invalid_(invalid),
        services_(services),
        controller_services_(controller_services) {}

  BuiltFlow build(const flow::Flow& flow) {
    for (const auto& service : flow.controller_services) add_service(service, flow.root);
    add_group(flow.root);
    connect_group(flow.root);
    add_gates(flow.root);
    mark_loops();
    for (auto& [id, node] : built_.nodes) finish(*node);
    return std::move(built_);
  }

 private:
  void add_group(const Group& group) {
    for (const auto& service : group.services) add_service(service, group);
    for (const ProcessorNode& processor : group.processors) add_processor(processor, group);
    for (const auto& port : group.ports) {
      add_pass_through(port, port.input ? "Input Port" : "Output Port", port.state,
                       port.concurrent_tasks);
    }
    for (const auto& funnel : group.funnels) {
      add_pass_through(funnel, "Funnel", flow::RunState::running, 1);
    }
    for (const Group& child : group.groups) add_group(child);
  }

  ParameterView view_of(const Group& group) const { return {parameters_, group.parameter_context}; }

  void add_service(const flow::ServiceNode& service, const Group& group) {
    if (invalid_.contains(service.id)) return;
    if (auto plan = service_plan(service, registry_, view_of(group))) {
      controller_services_.add(*std::move(plan));
    }
  }

  Node& add_node(const flow::Component& component, std::string type, LogLevel bulletin_level) {
    auto node = std::make_unique<Node>(
        services_, provenance::ComponentRef{component.id, component.name, std::move(type)},
        bulletin_level);
    return *(built_.nodes[component.id] = std::move(node));
  }

  void add_pass_through(const flow::Component& component, const char* type, flow::RunState state,
                        int tasks) {
    Node& node = add_node(component, type, LogLevel::warn);
    node.owner.routes.push_back({"", {}, false, false});
    node.schedule.needs_input = true;
    node.schedule.tasks = std::max(tasks, 1);
    node.make_behaviour = [] { return make_pass_through(); };
    set_state(node, state);
  }

  void set_state(Node& node, flow::RunState state) {
    if (invalid_.contains(node.id())) {
      node.set_unavailable(Node::State::invalid);
    } else if (state == flow::RunState::disabled) {
      node.set_unavailable(Node::State::disabled);
    } else if (state == flow::RunState::running) {
      built_.wanted.insert(node.id());
    }
  }

  void add_processor(const ProcessorNode& processor, const Group& group) {
    const ProcessorDefinition* definition = registry_.find_processor(processor.type);
    if (definition == nullptr) {
      Node& node = add_node(processor, processor.type, LogLevel::warn);
      node.set_unavailable(Node::State::invalid);
      return;
    }
    Node& node = add_node(processor, std::string(definition->short_type()),
                          parse_log_level(processor.bulletin_level));
    built_.uses[processor.id] =
        give_values(node, processor, *definition, view_of(group), services_, controller_services_);
    add_routes(node, processor, *definition, group);
    set_schedule(node, processor, *definition);
    set_state(node, processor.state);
  }

  void add_routes(Node& node, const ProcessorNode& processor, const ProcessorDefinition& definition,
                  const Group& group) {
    // With a bad value the relationships cannot be known; the component does not start anyway.
    const std::vector<Relationship> relationships =
        invalid_.contains(processor.id) ? definition.relationships
                                        : relationships_of(processor, definition, view_of(group));
    for (const Relationship& relationship : relationships) {
      const std::string& name = relationship.name;
      node.owner.routes.push_back(
          {name, {}, processor.auto_terminated.contains(name), processor.retried.contains(name)});
    }
    node.owner.penalty_ms = milliseconds(processor.penalty_duration, 30000);
    node.owner.retry_count = processor.retry_count;
    node.owner.retry_yields = processor.backoff == flow::Backoff::yield_processor;
    node.owner.max_backoff_ms = milliseconds(processor.max_backoff, 600000);
  }

  void set_schedule(Node& node, const ProcessorNode& processor,
                    const ProcessorDefinition& definition) {
    Schedule& schedule = node.schedule;
    const std::string period =
        processor.scheduling_period.value_or(definition.default_scheduling_period);
    if (processor.scheduling == flow::Scheduling::cron_driven) {
      if (auto cron = CronSchedule::parse(period)) schedule.cron = *cron;
    } else if (const auto duration = parse_duration(period)) {
      schedule.period = *duration;
    }
    const auto run_duration = processor.run_duration_ms
                                  ? std::chrono::milliseconds(*processor.run_duration_ms)
                                  : definition.default_run_duration;
    schedule.run_duration = run_duration;
    schedule.batching =
        definition.supports_batching && !definition.manages_sessions && run_duration.count() > 0;
    schedule.manages_sessions = definition.manages_sessions;
    schedule.any_destination = definition.trigger_when_any_destination_available;
    schedule.blocking = definition.blocking;
    schedule.tasks = definition.trigger_serially ? 1 : std::max(processor.concurrent_tasks, 1);
    schedule.yield_ms = milliseconds(processor.yield_duration, 1000);
    schedule.needs_input =
        definition.input != InputRequirement::forbidden && !definition.trigger_when_empty;
  }

  void connect_group(const Group& group) {
    for (const ConnectionNode& connection : group.connections) add_connection(connection);
    for (const Group& child : group.groups) connect_group(child);
  }

  void add_connection(const ConnectionNode& connection) {
    const auto from = built_.nodes.find(connection.from.id);
    const auto to = built_.nodes.find(connection.to.id);
    if (from == built_.nodes.end() || to == built_.nodes.end()) return;  // reported by the reader
    Node& producer = *from->second;
    Node& consumer = *to->second;
    FlowFileQueue::Config config;
    config.id = connection.id;
    config.name = connection.name.empty() ? fmt::format("{} -> {}", producer.owner.component.name,
                                                        consumer.owner.component.name)
                                          : connection.name;
    config.backpressure_count = connection.backpressure_count;
    config.backpressure_bytes = parse_data_size(connection.backpressure_size).value_or(1u << 30);
    config.expiration_ms = milliseconds(connection.expiration, 0);
    config.expiration = connection.expiration;
    config.prioritizers = connection.prioritizers;
    config.swap_threshold = services_.config.swap_threshold;
    auto queue = std::make_unique<FlowFileQueue>(
        std::move(config), *services_.flow_files, services_.clock,
        [&consumer](const std::string& message) { consumer.log().error("{}", message); });
    queue->connect(&producer, &consumer);
    ends_.emplace_back(queue.get(), &consumer);
    consumer.owner.incoming.push_back(queue.get());
    bool routed = false;
    for (Route& route : producer.owner.routes) {
      if (!route.relationship.empty() && !connection.relationships.contains(route.relationship)) {
        continue;
      }
      route.queues.push_back(queue.get());
      routed = true;
    }
    if (routed) edges_.push_back({&producer, &consumer, queue.get(), false});
    built_.queues[connection.id] = std::move(queue);
  }

  static void collect_ids(const Group& group, std::set<std::string>& ids) {
    for (const auto& processor : group.processors) ids.insert(processor.id);
    for (const auto& port : group.ports) ids.insert(port.id);
    for (const auto& funnel : group.funnels) ids.insert(funnel.id);
    for (const Group& child : group.groups) collect_ids(child, ids);
  }

  void add_gates(const Group& group) {
    for (const Group& child : group.groups) add_gates(child);
    if (group.flow_file_concurrency == "SINGLE_FLOWFILE_PER_NODE") {
      add_gate(group, GroupGate::Entry::single_flow_file);
    } else if (group.flow_file_concurrency == "SINGLE_BATCH_PER_NODE") {
      add_gate(group, GroupGate::Entry::single_batch);
    }
  }

  void add_gate(const Group& group, GroupGate::Entry entry) {
    const auto gate = std::make_shared<GroupGate>(entry);
    std::set<std::string> inner;
    collect_ids(group, inner);
    std::map<std::string, const flow::PortNode*> own_ports;
    std::vector<Node*> gated;
    for (const flow::PortNode& port : group.ports) {
      own_ports[port.id] = &port;
      Node& node = *built_.nodes.at(port.id);
      if (!port.input && group.outbound_policy != "BATCH_OUTPUT") continue;
      gated.push_back(&node);
      gate->add_port(node);
      node.schedule.tasks = 1;
      if (port.input) {
        node.gate = [gate] { return gate->may_enter(); };
        node.make_behaviour = [gate] { return make_gated_input(gate); };
      } else {
        node.gate = [gate] { return gate->may_leave(); };
        node.make_behaviour = [gate] { return make_batch_output(gate); };
      }
    }
    for (const auto& [queue, consumer] : ends_) {
      const auto port = own_ports.find(consumer->id());
      if (port == own_ports.end()) {
        if (!inner.contains(consumer->id())) continue;
        gate->add_inner(*queue);
      } else if (!port->second->input) {
        gate->add_output(port->second->name, *queue);
      } else {
        continue;  // waits outside
      }
      for (Node* node : gated) queue->wake_when_empty(node);
    }
  }

  struct Edge {
    Node* from;
    Node* to;
    FlowFileQueue* queue;
    bool in_loop;
  };

  bool reaches(const Node* from, const Node* target) const {
    std::set<const Node*> seen{from};
    std::vector<const Node*> open{from};
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      if (node == target) return true;
      const auto next = next_.find(node);
      if (next == next_.end()) continue;
      for (const Node* other : next->second) {
        if (seen.insert(other).second) open.push_back(other);
      }
    }
    return false;
  }

  void mark_loops() {
    for (const Edge& edge : edges_) next_[edge.from].insert(edge.to);
    for (Edge& edge : edges_) {
      edge.in_loop = reaches(edge.to, edge.from);
      if (edge.in_loop && edge.from != edge.to) edge.to->loop_inputs.push_back(edge.queue);
    }
  }

  // What depends on the connections.
  void finish(Node& node) {
    for (const Route& route : node.owner.routes) {
      Node::Output output;
      for (FlowFileQueue* queue : route.queues) {
        const auto edge = std::find_if(edges_.begin(), edges_.end(),
                                       [&](const Edge& e) { return e.queue == queue; });
        output.connections.push_back({queue, edge->from == edge->to, edge->in_loop});
      }
      node.outputs.push_back(std::move(output));
    }
    keep_where_nothing_leads_on(node);
    const bool fed = std::any_of(edges_.begin(), edges_.end(), [&](const Edge& edge) {
      return edge.to == &node && edge.from != &node;
    });
    // Without a connection from elsewhere a processor is a source: it runs without input.
    node.source = !fed;
    if (!fed && node.owner.component.type != "Funnel" && !node.owner.routes.empty()) {
      const bool port = node.owner.component.type.ends_with(" Port");
      if (!port) node.schedule.needs_input = false;
    }
  }

  // What arrives at a port or funnel without a connection onwards stays in the queue.
  void keep_where_nothing_leads_on(Node& node) {
    const auto& routes = node.owner.routes;
    if (routes.size() != 1 || !routes[0].relationship.empty() || !routes[0].queues.empty()) return;
    built_.wanted.erase(node.id());
    node.gate = [] { return false; };
  }

  const ComponentRegistry& registry_;
  const std::shared_ptr<const flow::ParameterContexts> parameters_;
  const std::set<std::string>& invalid_;
  Services& services_;
  ServiceNodes& controller_services_;
  BuiltFlow built_;
  std::vector<Edge> edges_;
  std::vector<std::pair<FlowFileQueue*, Node*>> ends_;  // each queue with its consumer
  std::map<const Node*, std::set<const Node*>> next_;
};

}  // namespace

BuiltFlow build_flow(const flow::Flow& flow, const ComponentRegistry& registry,
                     const std::shared_ptr<const flow::ParameterContexts>& parameters,
                     const std::set<std::string>& invalid, Services& services,
                     ServiceNodes& controller_services) {
  return Builder(registry, parameters, invalid, services, controller_services).build(flow);
}

std::vector<std::string> give_values(Node& node, const ProcessorNode& processor,
                                     const ProcessorDefinition& definition,
                                     ParameterView parameters, Services& services,
                                     const ServiceNodes& controller_services) {
  const auto properties = std::make_shared<const ComponentProperties>(
      definition, flow::resolve_properties(processor, definition), std::move(parameters), services,
      controller_services);
  node.renew_behaviour([&node, &definition, properties] {
    return make_processor_behaviour(node, definition, properties);
  });
  std::vector<std::string> used;
  for (const PropertyDescriptor& descriptor : definition.properties) {
    const PropertyValue value = properties->property(descriptor.name);
    if (!descriptor.controller_service.empty() && value.is_set()) used.push_back(value.text());
  }
  return used;
}

std::vector<Relationship> relationships_of(const ProcessorNode& processor,
                                           const ProcessorDefinition& definition,
                                           const ParameterView& parameters) {
  if (!definition.dynamic_relationships) return definition.relationships;
  const flow::PlainPropertyContext context(definition,
                                           flow::resolve_properties(processor, definition),
                                           &parameters.contexts->of(parameters.context));
  return definition.dynamic_relationships(context);
}

std::optional<ServiceNodes::Plan> service_plan(const flow::ServiceNode& service,
                                               const ComponentRegistry& registry,
                                               ParameterView parameters) {
  const ControllerServiceDefinition* definition = registry.find_controller_service(service.type);
  if (definition == nullptr || service.state == flow::RunState::disabled) return std::nullopt;
  return ServiceNodes::Plan{service.id,
                            service.name,
                            parse_log_level(service.bulletin_level),
                            definition,
                            flow::resolve_properties(service.properties, *definition),
                            std::move(parameters)};
}

}  // namespace weir::runtime
