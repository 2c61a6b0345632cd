#include "engine/flow/short_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/api/units.h"
#include "engine/flow/ids.h"
#include "engine/flow/nifi_fields.h"
#include "engine/flow/short_endpoints.h"

namespace weir::flow::short_form {

const std::vector<std::string>& flow_keys() {
  static const std::vector<std::string> keys = {"$schema",
                                                "name",
                                                "comments",
                                                "id",
                                                "maxTimerDrivenThreadCount",
                                                "parameters",
                                                "parameterContexts",
                                                "parameterProviders",
                                                "parameterContext",
                                                "flowFileConcurrency",
                                                "flowFileOutboundPolicy",
                                                "services",
                                                "inputPorts",
                                                "processors",
                                                "funnels",
                                                "groups",
                                                "outputPorts",
                                                "connections"};
  return keys;
}

const std::vector<std::string>& group_keys() {
  static const std::vector<std::string> keys = {
      "name",       "comments",   "id",          "parameters",          "parameterContext",
      "services",   "inputPorts", "funnels",     "flowFileConcurrency", "flowFileOutboundPolicy",
      "processors", "groups",     "outputPorts", "connections"};
  return keys;
}

const std::vector<std::string>& processor_keys() {
  static const std::vector<std::string> keys = {"name",          "type",
                                                "comments",      "id",
                                                "state",         "properties",
                                                "schedule",      "concurrentTasks",
                                                "runDuration",   "penaltyDuration",
                                                "yieldDuration", "bulletinLevel",
                                                "executionNode", "autoTerminate",
                                                "retry",         "annotationData"};
  return keys;
}

const std::vector<std::string>& service_keys() {
  static const std::vector<std::string> keys = {"name",       "type",          "comments", "id",
                                                "properties", "bulletinLevel", "state"};
  return keys;
}

const std::vector<std::string>& port_keys() {
  static const std::vector<std::string> keys = {"name", "comments", "id", "state",
                                                "concurrentTasks"};
  return keys;
}

const std::vector<std::string>& connection_keys() {
  static const std::vector<std::string> keys = {"from",         "to",         "relationships",
                                                "name",         "comments",   "id",
                                                "backpressure", "expiration", "prioritizers"};
  return keys;
}

namespace {

const std::vector<std::string> funnel_keys = {"name", "comments", "id"};

class Reader {
 public:
  explicit Reader(Reporter& reporter) : reporter_(reporter) {}

  Flow read(const Node& root) {
    flow_.form = Flow::Form::hand_written;
    flow_.file = reporter_.file();
    flow_.source = root.source();
    const Component whole;
    const Fields fields(root, whole, reporter_);
    fields.number("maxTimerDrivenThreadCount", flow_.max_timer_driven_threads, 1);
    read_contexts(root, fields);
    read_providers(root, fields);
    flow_.root = read_group(root, "flow", "", true);
    const auto final_ids = assign_ids(flow_, reporter_);
    Handles by_final_id;
    for (const auto& [placeholder, handle] : handles_) {
      by_final_id[final_ids.at(placeholder)] = handle;
    }
    resolve_names(flow_, by_final_id, reporter_);
    return std::move(flow_);
  }

 private:
  void check_keys(const Node& node, const Component* component,
                  const std::vector<std::string>& keys) {
    for (const auto& [key, value] : node.members()) {
      if (std::ranges::find(keys, key) != keys.end()) continue;
      std::string nearest = nearest_name(key, keys);
      if (key == "source" && &keys == &connection_keys()) nearest = "from";
      if (key == "destination" && &keys == &connection_keys()) nearest = "to";
      reporter_.error(component, value.key_place(), fmt::format("there is no key '{}'", key),
                      nearest);
    }
  }

  // The entries of a member: an object keyed by handle, or a list of names or of objects with a
  // name.
  std::vector<std::pair<std::string, Node>> entries(const Node& node, const char* key,
                                                    const Component& owner) {
    std::vector<std::pair<std::string, Node>> found;
    const auto given = node.get(key);
    if (!given) return found;
    const Fields fields(node, owner, reporter_);
    if (given->is_object()) {
      for (const auto& [handle, one] : given->members()) {
        if (!one.is_object()) fields.wrong_kind(one, handle, "an object");
        if (one.is_object()) found.emplace_back(handle, one);
      }
    } else if (given->is_array()) {
      for (const Node& one : given->elements()) {
        const auto name = one.get("name");
        if (one.is_string()) {
          found.emplace_back(one.text(), one);
        } else if (one.is_object() && name && name->is_string()) {
          found.emplace_back(name->text(), one);
        } else {
          fields.wrong_kind(one, key, "a list of objects with a name");
        }
      }
    } else {
      fields.wrong_kind(*given, key, "an object or a list");
    }
    return found;
  }

  Fields begin(const Node& node, const std::string& handle, const std::string& parent,
               Component& component) {
    component.id = reporter_.placeholder_id();
    component.place = node.key_place();
    component.source = node.source();
    component.name = handle;
    component.path = nifi::join_path(parent, handle);
    handles_[component.id] = handle;
    Fields fields(node, component, reporter_);
    fields.text("name", component.name);
    fields.text("comments", component.comments);
    fields.text("id", component.identifier);
    return fields;
  }

  RunState read_state(const Fields& fields, RunState otherwise) {
    static constexpr RunState values[] = {RunState::running, RunState::enabled, RunState::enabled,
                                          RunState::disabled};
    const std::vector<std::string> words = {"running", "stopped", "enabled", "disabled"};
    const std::size_t chosen = fields.choice("state", words, words.size());
    return chosen == words.size() ? otherwise : values[chosen];
  }

  Properties read_properties(const Fields& fields) {
    Properties properties;
    const auto given = fields.node().get("properties");
    if (given && !given->is_object()) fields.wrong_kind(*given, "properties", "an object");
    if (!given) return properties;
    for (const auto& [key, value] : given->members()) {
      Property property;
      property.place = value.key_place();
      const bool is_service = value.is_object() && value.get("service");
      if (value.is_string()) {
        property.value = value.text();
      } else if (value.json().is_primitive() && !value.is_null()) {
        property.value = value.json().dump();
      } else if (!value.is_null() && !is_service) {
        fields.wrong_kind(value, key, "a text, a number, true, false or {\"service\": name}");
      }
      properties[key] = property;
    }
    return properties;
  }

  void read_schedule(const Fields& fields, ProcessorNode& processor) {
    const auto given = fields.node().get("schedule");
    if (!given) return;
    processor.scheduling_period_place = given->place();
    if (given->is_string()) {
      processor.scheduling_period = given->text();
      return;
    }
    const auto cron = given->get("cron");
    if (!cron || !cron->is_string()) {
      fields.wrong_kind(*given, "schedule", "a period (\"10 sec\") or {\"cron\": \"0 0 6 * * ?\"}");
      return;
    }
    check_keys(*given, &processor, {"cron"});
    processor.scheduling = Scheduling::cron_driven;
    processor.scheduling_period = cron->text();
    processor.scheduling_period_place = cron->place();
  }

  void read_retry(const Fields& fields, ProcessorNode& processor) {
    const auto given = fields.node().get("retry");
    if (!given) return;
    if (!given->is_object()) return fields.wrong_kind(*given, "retry", "an object");
    check_keys(*given, &processor, {"relationships", "count", "backoff", "maxBackoff"});
    const Fields retry(*given, processor, reporter_);
    retry.names("relationships", processor.retried);
    retry.number("count", processor.retry_count, 0);
    if (retry.choice("backoff", {"penalize", "yield"}, 0) == 1) {
      processor.backoff = Backoff::yield_processor;
    }
    retry.text("maxBackoff", processor.max_backoff);
  }

  ProcessorNode read_processor(const std::string& handle, const Node& node,
                               const std::string& parent) {
    ProcessorNode processor;
    const Fields fields = begin(node, handle, parent, processor);
    check_keys(node, &processor, processor_keys());
    fields.text("type", processor.type);
    processor.state = read_state(fields, RunState::running);
    processor.properties = read_properties(fields);
    read_schedule(fields, processor);
    fields.number("concurrentTasks", processor.concurrent_tasks, 1);
    if (const auto given = node.get("runDuration")) {
      std::string text;
      fields.text("runDuration", text);
      const auto parsed = parse_duration(text);
      if (parsed) processor.run_duration_ms = parsed->count() / 1'000'000;
      if (!parsed) reporter_.error(&processor, given->place(), parsed.error());
    }
    fields.text("penaltyDuration", processor.penalty_duration);
    fields.text("yieldDuration", processor.yield_duration);
    fields.text("bulletinLevel", processor.bulletin_level);
    fields.text("executionNode", processor.execution_node);
    fields.names("autoTerminate", processor.auto_terminated);
    read_retry(fields, processor);
    fields.text("annotationData", processor.annotation_data);
    if (processor.type.empty()) reporter_.error(&processor, node.place(), "the type is missing");
    return processor;
  }

  ServiceNode read_service(const std::string& handle, const Node& node, const std::string& parent) {
    ServiceNode service;
    const Fields fields = begin(node, handle, parent, service);
    check_keys(node, &service, service_keys());
    fields.text("type", service.type);
    service.state = read_state(fields, RunState::enabled);
    service.properties = read_properties(fields);
    fields.text("bulletinLevel", service.bulletin_level);
    if (service.type.empty()) reporter_.error(&service, node.place(), "the type is missing");
    return service;
  }

  PortNode read_port(const std::string& handle, const Node& node, bool input,
                     const std::string& parent) {
    PortNode port;
    const Fields fields = begin(node, handle, parent, port);
    check_keys(node, &port, port_keys());
    port.input = input;
    port.state = read_state(fields, RunState::running);
    fields.number("concurrentTasks", port.concurrent_tasks, 1);
    return port;
  }

  ConnectionNode read_connection(const Node& node, const std::string& parent) {
    ConnectionNode connection;
    const ConnectionText text = connection_text(node, connection, nullptr);
    connection.from.place = text.from_place;
    connection.to.place = text.to_place;
    const Fields fields = begin(node, "", parent, connection);
    handles_.erase(connection.id);
    connection.path = nifi::join_path(parent, text.from + " -> " + text.to);
    if (node.is_string()) return connection;
    check_keys(node, &connection, connection_keys());
    fields.names("relationships", connection.relationships);
    if (const auto given = node.get("backpressure")) {
      if (!given->is_object()) fields.wrong_kind(*given, "backpressure", "an object");
      check_keys(*given, &connection, {"count", "size"});
      const Fields backpressure(*given, connection, reporter_);
      backpressure.number("count", connection.backpressure_count);
      backpressure.text("size", connection.backpressure_size);
    }
    fields.text("expiration", connection.expiration);
    std::vector<std::string> prioritizers;
    fields.names("prioritizers", prioritizers);
    for (const auto& type : prioritizers) connection.prioritizers.push_back(nifi::last_part(type));
    return connection;
  }

  Group read_group(const Node& node, const std::string& handle, const std::string& parent,
                   bool is_root) {
    Group group;
    const Fields fields = begin(node, handle, parent, group);
    if (is_root) group.path = group.name;
    check_keys(node, is_root ? nullptr : &group, is_root ? flow_keys() : group_keys());
    fields.text("parameterContext", group.parameter_context);
    fields.text("flowFileConcurrency", group.flow_file_concurrency);
    fields.text("flowFileOutboundPolicy", group.outbound_policy);
    read_parameters_of_group(fields, group);
    const std::string path = is_root ? "" : group.path;
    for (const auto& [key, one] : entries(node, "services", group)) {
      group.services.push_back(read_service(key, one, path));
    }
    for (const auto& [key, one] : entries(node, "processors", group)) {
      group.processors.push_back(read_processor(key, one, path));
    }
    for (const auto& [key, one] : entries(node, "inputPorts", group)) {
      group.ports.push_back(read_port(key, one, true, path));
    }
    for (const auto& [key, one] : entries(node, "outputPorts", group)) {
      group.ports.push_back(read_port(key, one, false, path));
    }
    for (const auto& [key, one] : entries(node, "funnels", group)) {
      FunnelNode funnel;
      begin(one, key, path, funnel);
      check_keys(one, &funnel, funnel_keys);
      group.funnels.push_back(funnel);
    }
    for (const auto& [key, one] : entries(node, "groups", group)) {
      group.groups.push_back(read_group(one, key, path, false));
    }
    read_connections(fields, path, group);
    return group;
  }

  void read_connections(const Fields& fields, const std::string& path, Group& group) {
    const auto given = fields.node().get("connections");
    if (!given) return;
    if (!given->is_array()) fields.wrong_kind(*given, "connections", "a list");
    for (const Node& one : given->elements()) {
      if (one.is_string() || one.is_object()) {
        group.connections.push_back(read_connection(one, path));
        connection_text(one, group.connections.back(), &reporter_);
      } else {
        fields.wrong_kind(one, "connections", "a list of texts (\"a.success -> b\") or objects");
      }
    }
  }

  void read_parameters(const Node& given, ParameterContextNode& context) {
    for (const auto& [name, one] : given.members()) {
      ParameterValue parameter;
      parameter.place = one.key_place();
      const Node value = one.get("value").value_or(one);
      const auto sensitive = one.get("sensitive");
      parameter.sensitive = sensitive && sensitive->json() == true;
      check_keys(one, nullptr, {"value", "environment", "file", "sensitive", "description"});
      read_origin(fields_of(one), parameter);
      if (value.is_string()) {
        parameter.value = value.text();
      } else if (value.json().is_primitive() && !value.is_null()) {
        parameter.value = value.json().dump();
      } else if (value.is_array()) {
        reporter_.error(nullptr, one.place(), fmt::format("parameter '{}' must be a text", name));
      }
      context.parameters[name] = parameter;
    }
  }

  // "parameters" right in a group: a context of its own, called like the group.
  void read_parameters_of_group(const Fields& fields, Group& group) {
    const auto given = fields.node().get("parameters");
    if (!given) return;
    if (!given->is_object()) return fields.wrong_kind(*given, "parameters", "an object");
    ParameterContextNode context;
    context.name = group.path;
    context.place = given->key_place();
    if (!group.parameter_context.empty()) context.inherited.push_back(group.parameter_context);
    read_parameters(*given, context);
    group.parameter_context = context.name;
    flow_.parameter_contexts.push_back(std::move(context));
  }

  void read_contexts(const Node& root, const Fields& fields) {
    const auto given = root.get("parameterContexts");
    if (!given) return;
    if (!given->is_object()) return fields.wrong_kind(*given, "parameterContexts", "an object");
    for (const auto& [name, one] : given->members()) {
      ParameterContextNode context;
      context.name = name;
      context.source = one.source();
      context.place = one.key_place();
      check_keys(one, nullptr, {"inherited", "parameters", "provider", "providerGroup"});
      fields_of(one).names("inherited", context.inherited);
      fields_of(one).text("provider", context.provider);
      fields_of(one).text("providerGroup", context.provider_group);
      if (const auto parameters = one.get("parameters")) read_parameters(*parameters, context);
      flow_.parameter_contexts.push_back(std::move(context));
    }
  }

  void read_providers(const Node& root, const Fields& fields) {
    const auto given = root.get("parameterProviders");
    if (!given) return;
    if (!given->is_object()) return fields.wrong_kind(*given, "parameterProviders", "an object");
    for (const auto& [name, one] : given->members()) {
      check_keys(one, nullptr, {"type", "properties"});
      flow_.parameter_providers.push_back(nifi::read_parameter_provider(one, name, reporter_));
    }
  }

  Fields fields_of(const Node& node) { return Fields(node, whole_, reporter_); }

  Reporter& reporter_;
  Flow flow_;
  Handles handles_;  // by placeholder
  const Component whole_;
};

}  // namespace

Flow read(const Node& root, Reporter& reporter) {
  return Reader(reporter).read(root);
}

}  // namespace weir::flow::short_form
