#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/flow/check.h"
#include "engine/flow/document.h"
#include "engine/flow/write.h"

namespace weir::flow {
namespace {

// Defaults are left out: a member is written where it differs from a fresh component's.
class Writer {
 public:
  explicit Writer(const Flow& flow) : flow_(flow) {}

  Json write() {
    Json root = Json::object();
    if (!flow_.root.name.empty()) root["name"] = flow_.root.name;
    if (flow_.max_timer_driven_threads != Flow().max_timer_driven_threads) {
      root["maxTimerDrivenThreadCount"] = flow_.max_timer_driven_threads;
    }
    Json contexts = Json::object();
    for (const ParameterContextNode& one : flow_.parameter_contexts) {
      contexts[one.name] = context(one);
    }
    if (!contexts.empty()) root["parameterContexts"] = std::move(contexts);
    for (const ParameterProviderNode& one : flow_.parameter_providers) {
      Json properties = Json::object();
      for (const auto& [key, property] : one.properties) {
        if (property.value) properties[key] = *property.value;
      }
      root["parameterProviders"][one.id] = {{"type", one.type}, {"properties", properties}};
    }
    choose_handles(flow_.root);
    write_group(root, flow_.root, true);
    return root;
  }

 private:
  // A name by which the file refers to a component of the group: its own where that is free, else
  // one with a number.
  void choose_handles(const Group& group) {
    std::set<std::string> taken;
    const auto choose = [&](const Component& one, const std::string& otherwise) {
      std::string wanted = one.name.empty() ? otherwise : one.name;
      if (wanted.empty()) wanted = "component";
      std::string handle = wanted;
      for (int number = 2; !taken.insert(handle).second; ++number) {
        handle = fmt::format("{} {}", wanted, number);
      }
      handles_[one.id] = handle;
    };
    const auto choose_by_type = [&](const auto& one) {
      choose(one, one.type.substr(one.type.rfind('.') + 1));
    };
    if (&group == &flow_.root) std::ranges::for_each(flow_.controller_services, choose_by_type);
    std::ranges::for_each(group.services, choose_by_type);
    std::ranges::for_each(group.processors, choose_by_type);
    for (const auto& one : group.ports) choose(one, one.input ? "in" : "out");
    for (const auto& one : group.funnels) choose(one, "funnel");
    for (const auto& one : group.groups) choose(one, "group");
    for (const Group& child : group.groups) choose_handles(child);
  }

  const std::string& handle(const std::string& id) const { return handles_.at(id); }

  Json begin(const Component& one) const {
    Json object = Json::object();
    if (!one.name.empty() && one.name != handle(one.id)) object["name"] = one.name;
    return object;
  }

  template <typename Value>
  static void set(Json& object, const char* key, const Value& value, const Value& otherwise) {
    if (value != otherwise) object[key] = value;
  }

  static Json parameter_value(const ParameterValue& parameter) {
    using Origin = ParameterValue::Origin;
    const bool provided = parameter.origin == Origin::provider;
    const Json value = parameter.value ? Json(*parameter.value) : Json();
    if (parameter.origin == Origin::flow && !parameter.sensitive) return value;
    Json one = Json::object();
    if (parameter.origin == Origin::flow) one["value"] = value;
    if (parameter.origin == Origin::environment) one["environment"] = parameter.source;
    if (parameter.origin == Origin::file) one["file"] = parameter.source;
    if (parameter.sensitive || provided) one["sensitive"] = parameter.sensitive;
    return one;
  }

  Json context(const ParameterContextNode& given) const {
    Json object = Json::object();
    if (!given.inherited.empty()) object["inherited"] = given.inherited;
    Json parameters = Json::object();
    for (const auto& [name, parameter] : given.parameters) {
      parameters[name] = parameter_value(parameter);
    }
    object["parameters"] = std::move(parameters);
    set(object, "provider", given.provider, std::string());
    set(object, "providerGroup", given.provider_group, std::string());
    return object;
  }

  void set_properties(Json& object, const Properties& properties, const Group& group) const {
    Json values = Json::object();
    for (const auto& [key, property] : properties) {
      if (!property.value) continue;
      const ServiceNode* const service = find_service(flow_, group, *property.value);
      const bool is_local = service != nullptr && handles_.contains(service->id);
      if (is_local) {
        values[key] = Json::object();
        values[key]["service"] = handle(service->id);
      } else {
        values[key] = *property.value;
      }
    }
    if (!values.empty()) object["properties"] = std::move(values);
  }

  static Json names(const std::map<std::string, Place>& given) {
    Json list = Json::array();
    for (const auto& [name, place] : given) list.push_back(name);
    return list;
  }

  Json processor(const ProcessorNode& one, const Group& group) const {
    const ProcessorNode fresh;
    Json object = begin(one);
    object["type"] = one.type;
    set(object, "comments", one.comments, fresh.comments);
    if (one.state == RunState::enabled) object["state"] = "stopped";
    if (one.state == RunState::disabled) object["state"] = "disabled";
    set_properties(object, one.properties, group);
    if (one.scheduling == Scheduling::cron_driven) {
      object["schedule"] = Json::object();
      object["schedule"]["cron"] = one.scheduling_period.value_or("* * * * * ?");
    } else if (one.scheduling_period) {
      object["schedule"] = *one.scheduling_period;
    }
    set(object, "concurrentTasks", one.concurrent_tasks, fresh.concurrent_tasks);
    if (one.run_duration_ms) object["runDuration"] = fmt::format("{} ms", *one.run_duration_ms);
    set(object, "penaltyDuration", one.penalty_duration, fresh.penalty_duration);
    set(object, "yieldDuration", one.yield_duration, fresh.yield_duration);
    set(object, "bulletinLevel", one.bulletin_level, fresh.bulletin_level);
    set(object, "executionNode", one.execution_node, fresh.execution_node);
    if (!one.auto_terminated.empty()) object["autoTerminate"] = names(one.auto_terminated);
    Json retry = Json::object();
    if (!one.retried.empty()) retry["relationships"] = names(one.retried);
    set(retry, "count", one.retry_count, fresh.retry_count);
    if (one.backoff == Backoff::yield_processor) retry["backoff"] = "yield";
    set(retry, "maxBackoff", one.max_backoff, fresh.max_backoff);
    if (!retry.empty()) object["retry"] = std::move(retry);
    set(object, "annotationData", one.annotation_data, fresh.annotation_data);
    return object;
  }

  Json service(const ServiceNode& one, const Group& group) const {
    const ServiceNode fresh;
    Json object = begin(one);
    object["type"] = one.type;
    set(object, "comments", one.comments, fresh.comments);
    if (one.state == RunState::disabled) object["state"] = "disabled";
    set_properties(object, one.properties, group);
    set(object, "bulletinLevel", one.bulletin_level, fresh.bulletin_level);
    return object;
  }

  Json port(const PortNode& one) const {
    Json object = begin(one);
    set(object, "comments", one.comments, std::string());
    if (one.state == RunState::enabled) object["state"] = "stopped";
    if (one.state == RunState::disabled) object["state"] = "disabled";
    set(object, "concurrentTasks", one.concurrent_tasks, 1);
    return object;
  }

  Json funnel(const FunnelNode& one) const {
    Json object = begin(one);
    set(object, "comments", one.comments, std::string());
    return object;
  }

  // A list of names where there is nothing else to say, else an object by name.
  template <typename List, typename Write>
  void set_named(Json& group, const char* key, const List& list, const Write& write) const {
    if (list.empty()) return;
    Json values = Json::object(), plain = Json::array();
    for (const auto& one : list) {
      values[handle(one.id)] = write(one);
      plain.push_back(handle(one.id));
    }
    const bool is_plain =
        std::ranges::all_of(values, [](const Json& value) { return value.empty(); });
    group[key] = is_plain ? std::move(plain) : std::move(values);
  }

  // By what the connection's group calls the end: its own component, or a port of a group in it.
  std::string end_name(const Group& group, const Endpoint& end) const {
    for (const Group& child : group.groups) {
      for (const PortNode& one : child.ports) {
        if (one.id == end.id) return handle(child.id) + "/" + handle(one.id);
      }
    }
    const auto found = handles_.find(end.id);
    return found == handles_.end() ? "(missing)" : found->second;
  }

  // Whether the names can stand in "name.relationship -> name" and come back as they were.
  static bool fits_text(const std::string& from, const std::string& to,
                        const std::map<std::string, Place>& relationships) {
    const auto is_plain = [](const std::string& name, std::string_view forbidden) {
      return !name.empty() && name.front() != ' ' && name.back() != ' ' &&
             name.find_first_of(forbidden) == std::string::npos &&
             name.find("->") == std::string::npos;
    };
    return is_plain(from, ".\t") && is_plain(to, "\t") &&
           std::ranges::all_of(relationships,
                               [&](const auto& one) { return is_plain(one.first, ",\t"); });
  }

  Json connection(const ConnectionNode& one, const Group& group) const {
    const bool is_broken = one.from.id.empty() || one.to.id.empty();
    if (is_broken && flow_.form == Flow::Form::hand_written && one.source) return *one.source;
    const ConnectionNode fresh;
    const std::string from = end_name(group, one.from), to = end_name(group, one.to);
    Json settings = Json::object();
    set(settings, "name", one.name, fresh.name);
    set(settings, "comments", one.comments, fresh.comments);
    Json backpressure = Json::object();
    set(backpressure, "count", one.backpressure_count, fresh.backpressure_count);
    set(backpressure, "size", one.backpressure_size, fresh.backpressure_size);
    if (!backpressure.empty()) settings["backpressure"] = std::move(backpressure);
    set(settings, "expiration", one.expiration, fresh.expiration);
    if (!one.prioritizers.empty()) settings["prioritizers"] = one.prioritizers;
    std::string joined;
    for (const auto& [name, place] : one.relationships) {
      joined += (joined.empty() ? "." : ",") + name;
    }
    const bool plain = fits_text(from, to, one.relationships);
    if (plain && settings.empty()) return from + joined + " -> " + to;
    Json object = Json::object();
    object["from"] = plain ? from + joined : from;
    object["to"] = to;
    if (!plain) object["relationships"] = names(one.relationships);
    object.update(settings);
    return object;
  }

  void write_group(Json& object, const Group& group, bool is_root) const {
    const Group fresh;
    set(object, "comments", group.comments, fresh.comments);
    set(object, "parameterContext", group.parameter_context, fresh.parameter_context);
    set(object, "flowFileConcurrency", group.flow_file_concurrency, fresh.flow_file_concurrency);
    set(object, "flowFileOutboundPolicy", group.outbound_policy, fresh.outbound_policy);
    // Services above the root of a flow.json go with the root: the short form has no such place.
    Json services = Json::object();
    if (is_root) {
      for (const ServiceNode& one : flow_.controller_services) {
        services[handle(one.id)] = service(one, group);
      }
    }
    for (const ServiceNode& one : group.services) services[handle(one.id)] = service(one, group);
    if (!services.empty()) object["services"] = std::move(services);
    std::vector<PortNode> inputs, outputs;
    for (const PortNode& one : group.ports) (one.input ? inputs : outputs).push_back(one);
    const auto write_port = [&](const PortNode& one) { return port(one); };
    set_named(object, "inputPorts", inputs, write_port);
    Json processors = Json::object();
    for (const ProcessorNode& one : group.processors) {
      processors[handle(one.id)] = processor(one, group);
    }
    if (!processors.empty() || is_root) object["processors"] = std::move(processors);
    set_named(object, "funnels", group.funnels, [&](const FunnelNode& one) { return funnel(one); });
    Json groups = Json::object();
    for (const Group& child : group.groups) {
      Json inner = begin(child);
      write_group(inner, child, false);
      groups[handle(child.id)] = std::move(inner);
    }
    if (!groups.empty()) object["groups"] = std::move(groups);
    set_named(object, "outputPorts", outputs, write_port);
    Json connections = Json::array();
    for (const ConnectionNode& one : group.connections) {
      connections.push_back(connection(one, group));
    }
    if (!connections.empty()) object["connections"] = std::move(connections);
  }

  const Flow& flow_;
  std::map<std::string, std::string> handles_;  // by id
};

}  // namespace

std::string write_short_flow(const Flow& flow) {
  constexpr int indent = 2;
  // Texts were UTF-8 when they were read; what a program put in instead is replaced, not fatal.
  return Writer(flow).write().dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weir::flow
