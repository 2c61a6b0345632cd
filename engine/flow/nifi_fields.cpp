#include "engine/flow/nifi_fields.h"

#include <fmt/format.h>

namespace weir::flow::nifi {
namespace {

const std::vector<std::string> states = {"ENABLED", "DISABLED", "RUNNING"};
constexpr RunState state_values[] = {RunState::enabled, RunState::disabled, RunState::running};

void begin(const Node& node, const std::string& parent, Component& component, Reporter& reporter) {
  component.id = reporter.placeholder_id();
  component.place = node.place();
  component.source = node.source();
  if (const auto name = node.get("name"); name && name->is_string()) component.name = name->text();
  std::string shown = component.name;
  for (const char* key : {"type", "identifier"}) {
    const auto given = node.get(key);
    if (shown.empty() && given && given->is_string()) shown = last_part(given->text());
  }
  component.path = join_path(parent, shown.empty() ? "(no name)" : shown);
  const Fields fields(node, component, reporter);
  fields.text("name", component.name);
  fields.text("identifier", component.identifier);
  fields.text("comments", component.comments);
}

RunState read_state(const Fields& fields) {
  return state_values[fields.choice("scheduledState", states, 0)];
}

// NiFi has texts only; numbers and booleans come from other tools and mean their text.
Property read_property(const Fields& fields, const std::string& key, const Node& value) {
  Property property;
  property.place = value.key_place();
  if (value.is_string()) {
    property.value = value.text();
  } else if (value.json().is_primitive() && !value.is_null()) {
    property.value = value.json().dump();
  } else if (!value.is_null()) {
    fields.wrong_kind(value, key, "a text");
  }
  return property;
}

Properties read_properties(const Fields& fields) {
  Properties properties;
  if (const auto given = fields.node().get("properties")) {
    if (!given->is_object()) fields.wrong_kind(*given, "properties", "an object");
    for (const auto& [key, value] : given->members()) {
      properties[key] = read_property(fields, key, value);
    }
  }
  // Exports leave sensitive values out; the descriptor tells that there was a property.
  if (const auto descriptors = fields.node().get("propertyDescriptors")) {
    for (const auto& [key, descriptor] : descriptors->members()) {
      const auto sensitive = descriptor.get("sensitive");
      const bool is_sensitive = sensitive && sensitive->json() == true;
      if (is_sensitive && !properties.contains(key)) {
        properties[key] = Property{std::nullopt, descriptor.key_place()};
      }
    }
  }
  return properties;
}

Endpoint read_endpoint(const Fields& fields, std::string_view key) {
  Endpoint endpoint;
  const auto given = fields.node().get(key);
  if (!given) {
    endpoint.place = fields.node().place();
    return endpoint;
  }
  endpoint.place = given->place();
  const auto type = given->get("type");
  if (!type || !type->is_string()) return endpoint;
  if (type->text() == "PROCESSOR") endpoint.type = Endpoint::Type::processor;
  if (type->text() == "INPUT_PORT") endpoint.type = Endpoint::Type::input_port;
  if (type->text() == "OUTPUT_PORT") endpoint.type = Endpoint::Type::output_port;
  if (type->text() == "FUNNEL") endpoint.type = Endpoint::Type::funnel;
  return endpoint;
}

// What a person calls an endpoint.
std::string endpoint_label(const Node& connection, std::string_view key) {
  const auto endpoint = connection.get(key);
  for (const char* field : {"name", "id"}) {
    const auto given = endpoint ? endpoint->get(field) : std::nullopt;
    if (given && given->is_string() && !given->text().empty()) return given->text();
  }
  return "?";
}

}  // namespace

std::string join_path(const std::string& parent, const std::string& name) {
  return parent.empty() ? name : parent + " / " + name;
}

std::string last_part(const std::string& type) {
  return type.substr(type.rfind('.') + 1);
}

ProcessorNode read_processor(const Node& node, const std::string& parent, Reporter& reporter) {
  ProcessorNode processor;
  begin(node, parent, processor, reporter);
  const Fields fields(node, processor, reporter);
  fields.text("type", processor.type);
  processor.properties = read_properties(fields);
  processor.state = read_state(fields);
  const std::size_t strategy =
      fields.choice("schedulingStrategy",
                    {"TIMER_DRIVEN", "CRON_DRIVEN", "EVENT_DRIVEN", "PRIMARY_NODE_ONLY"}, 0);
  if (strategy == 1) processor.scheduling = Scheduling::cron_driven;
  if (strategy == 2) {
    reporter.warning(&processor, node.get("schedulingStrategy")->place(),
                     "EVENT_DRIVEN scheduling is gone in NiFi 2: taken as TIMER_DRIVEN");
  }
  if (const auto period = node.get("schedulingPeriod")) {
    processor.scheduling_period_place = period->place();
    processor.scheduling_period.emplace();
    fields.text("schedulingPeriod", *processor.scheduling_period);
  }
  fields.number("concurrentlySchedulableTaskCount", processor.concurrent_tasks, 0);
  if (processor.concurrent_tasks == 0) {
    reporter.warning(&processor, node.get("concurrentlySchedulableTaskCount")->place(),
                     "0 concurrent tasks are taken as 1");
    processor.concurrent_tasks = 1;
  }
  fields.text("penaltyDuration", processor.penalty_duration);
  fields.text("yieldDuration", processor.yield_duration);
  if (node.get("runDurationMillis")) {
    int run_duration_ms = 0;
    fields.number("runDurationMillis", run_duration_ms, 0);
    processor.run_duration_ms = run_duration_ms;
  }
  fields.text("bulletinLevel", processor.bulletin_level);
  fields.text("executionNode", processor.execution_node);
  fields.names("autoTerminatedRelationships", processor.auto_terminated);
  fields.names("retriedRelationships", processor.retried);
  fields.number("retryCount", processor.retry_count, 0);
  if (fields.choice("backoffMechanism", {"PENALIZE_FLOWFILE", "YIELD_PROCESSOR"}, 0) == 1) {
    processor.backoff = Backoff::yield_processor;
  }
  fields.text("maxBackoffPeriod", processor.max_backoff);
  fields.text("annotationData", processor.annotation_data);
  if (processor.type.empty()) reporter.error(&processor, node.place(), "the type is missing");
  return processor;
}

ServiceNode read_service(const Node& node, const std::string& parent, Reporter& reporter) {
  ServiceNode service;
  begin(node, parent, service, reporter);
  const Fields fields(node, service, reporter);
  fields.text("type", service.type);
  service.properties = read_properties(fields);
  service.state = read_state(fields);
  fields.text("bulletinLevel", service.bulletin_level);
  if (service.type.empty()) reporter.error(&service, node.place(), "the type is missing");
  return service;
}

PortNode read_port(const Node& node, bool input, const std::string& parent, Reporter& reporter) {
  PortNode port;
  begin(node, parent, port, reporter);
  const Fields fields(node, port, reporter);
  port.input = input;
  port.state = read_state(fields);
  fields.number("concurrentlySchedulableTaskCount", port.concurrent_tasks, 0);
  return port;
}

FunnelNode read_funnel(const Node& node, const std::string& parent, Reporter& reporter) {
  FunnelNode funnel;
  begin(node, parent, funnel, reporter);
  return funnel;
}

ConnectionNode read_connection(const Node& node, const std::string& parent, Reporter& reporter) {
  ConnectionNode connection;
  begin(node, parent, connection, reporter);
  connection.path = join_path(
      parent, endpoint_label(node, "source") + " -> " + endpoint_label(node, "destination"));
  const Fields fields(node, connection, reporter);
  connection.from = read_endpoint(fields, "source");
  connection.to = read_endpoint(fields, "destination");
  fields.names("selectedRelationships", connection.relationships);
  fields.number("backPressureObjectThreshold", connection.backpressure_count);
  fields.text("backPressureDataSizeThreshold", connection.backpressure_size);
  fields.text("flowFileExpiration", connection.expiration);
  std::vector<std::string> prioritizers;
  fields.names("prioritizers", prioritizers);
  for (const std::string& type : prioritizers) connection.prioritizers.push_back(last_part(type));
  return connection;
}

Group read_group_fields(const Node& node, const std::string& parent, Reporter& reporter) {
  Group group;
  begin(node, parent, group, reporter);
  const Fields fields(node, group, reporter);
  fields.text("parameterContextName", group.parameter_context);
  fields.text("flowFileConcurrency", group.flow_file_concurrency);
  fields.text("flowFileOutboundPolicy", group.outbound_policy);
  return group;
}

ParameterContextNode read_parameter_context(const Node& node, const std::string& name,
                                            Reporter& reporter) {
  ParameterContextNode context;
  context.source = node.source();
  context.place = node.place();
  context.name = name;
  Component whole;  // problems of a context are those of the file
  whole.path = "parameter context " + name;
  const Fields fields(node, whole, reporter);
  fields.text("name", context.name);
  fields.names("inheritedParameterContexts", context.inherited);
  fields.text("parameterProvider", context.provider);
  fields.text("parameterGroupName", context.provider_group);
  const auto parameters = node.get("parameters");
  if (!parameters) return context;
  for (const Node& entry : parameters->elements()) {
    // flow.json wraps nothing; the REST API's exports have {"parameter": {...}}.
    const Node given = entry.get("parameter").value_or(entry);
    std::string key;
    const Fields parameter(given, whole, reporter);
    parameter.text("name", key);
    ParameterValue value;
    value.place = given.place();
    if (given.get("value")) {
      value.value.emplace();
      parameter.text("value", *value.value);
    }
    const auto sensitive = given.get("sensitive");
    value.sensitive = sensitive && sensitive->json() == true;
    const auto provided = given.get("provided");
    if (provided && provided->json() == true) value.origin = ParameterValue::Origin::provider;
    read_origin(parameter, value);
    context.parameters[key] = value;
  }
  return context;
}

ParameterProviderNode read_parameter_provider(const Node& node, const std::string& key,
                                              Reporter& reporter) {
  ParameterProviderNode provider;
  provider.source = node.source();
  provider.id = provider.name = key;
  const Component whole;
  const Fields fields(node, whole, reporter);
  fields.text("identifier", provider.id);
  fields.text("name", provider.name);
  fields.text("type", provider.type);
  if (const auto properties = node.get("properties")) {
    for (const auto& [name, value] : properties->members()) {
      if (value.is_string()) provider.properties[name] = {value.text(), value.place()};
    }
  }
  return provider;
}

}  // namespace weir::flow::nifi
