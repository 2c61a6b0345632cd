#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/flow/check.h"
#include "engine/flow/document.h"
#include "engine/flow/ids.h"
#include "engine/flow/nifi_fields.h"
#include "engine/flow/write.h"

namespace weir::flow {
namespace {

const char* state_text(RunState state) {
  if (state == RunState::running) return "RUNNING";
  return state == RunState::disabled ? "DISABLED" : "ENABLED";
}

// Writes components over their sources. What a source says already in its own spelling
// ("86400  sec", EVENT_DRIVEN) is left as it stands: only what differs from it is set.
class Writer {
 public:
  explicit Writer(const Flow& flow) : flow_(flow), ignored_(flow.file) { collect_names(flow.root); }

  Json write() {
    const bool has_source = flow_.form == Flow::Form::nifi_flow && flow_.source;
    Json root = has_source ? *flow_.source : Json::object();
    if (!has_source) {
      root["encodingVersion"] = {{"majorVersion", 2}, {"minorVersion", 0}};
    }
    int threads = Flow().max_timer_driven_threads;
    Fields(Node(root), Component(), ignored_).number("maxTimerDrivenThreadCount", threads, 1);
    if (!has_source || threads != flow_.max_timer_driven_threads) {
      root["maxTimerDrivenThreadCount"] = flow_.max_timer_driven_threads;
    }
    if (!has_source) {
      for (const char* key : {"registries", "parameterContexts", "parameterProviders",
                              "controllerServices", "reportingTasks", "flowAnalysisRules"}) {
        root[key] = Json::array();
      }
    }
    set_list(root, "parameterContexts", flow_.parameter_contexts,
             [&](const auto& one) { return context(one); });
    if (!has_source) {
      for (const ParameterProviderNode& one : flow_.parameter_providers) {
        root["parameterProviders"].push_back(provider(one));
      }
    }
    set_list(root, "controllerServices", flow_.controller_services,
             [&](const auto& one) { return service(one, flow_.root, ""); });
    root["rootGroup"] = group(flow_.root, "");
    return root;
  }

 private:
  struct End {
    const Component* component;
    const Group* group;
    const char* type;
  };

  void collect_names(const Group& group) {
    for (const auto& one : group.processors) ends_[one.id] = {&one, &group, "PROCESSOR"};
    for (const auto& one : group.funnels) ends_[one.id] = {&one, &group, "FUNNEL"};
    for (const auto& one : group.ports) {
      ends_[one.id] = {&one, &group, one.input ? "INPUT_PORT" : "OUTPUT_PORT"};
    }
    for (const Group& child : group.groups) collect_names(child);
  }

  // An empty list is not added to a source that has no such member.
  template <typename List, typename Write>
  void set_list(Json& object, const char* key, const List& list, const Write& write) {
    if (list.empty() && !object.contains(key)) return;
    Json values = Json::array();
    for (const auto& one : list) values.push_back(write(one));
    object[key] = std::move(values);
  }

  bool is_nifi(const Component& component) const {
    return flow_.form != Flow::Form::hand_written && component.source &&
           component.source->is_object();
  }

  // The object to write into: the source's fields, and the ids where they are missing.
  Json begin(const Component& component, const char* type, const std::string& parent_id) {
    if (is_nifi(component)) {
      Json object = *component.source;
      if (flow_.form != Flow::Form::nifi_flow && !object.contains("instanceIdentifier")) {
        object["instanceIdentifier"] = component.id;
      }
      return object;
    }
    Json object = {{"identifier", identifier(component)},
                   {"instanceIdentifier", component.id},
                   {"name", component.name},
                   {"comments", component.comments},
                   {"position", {{"x", 0.0}, {"y", 0.0}}}};
    object["componentType"] = type;
    if (!parent_id.empty()) object["groupIdentifier"] = parent_id;
    return object;
  }

  // Sets what differs from what the object says; all of it where there was no source.
  template <typename Value>
  void set(Json& object, const char* key, const Value& value, const Value& read, bool from_source) {
    if (!from_source || value != read) object[key] = value;
  }

  static const std::string& identifier(const Component& component) {
    return component.identifier.empty() ? component.id : component.identifier;
  }

  void set_common(Json& object, const Component& now, const Component& read) {
    set(object, "name", now.name, read.name, true);
    set(object, "comments", now.comments, read.comments, true);
  }

  // In flow.json a property names a service by its instance identifier, in exports by its
  // identifier; Component::id is the former.
  Json properties(const Properties& given, const Group& group, const Json& before) {
    Json object = Json::object();
    const auto text = [&](const Property& property) -> Json {
      if (!property.value) return nullptr;
      if (flow_.form == Flow::Form::nifi_flow) return *property.value;
      const ServiceNode* const service = find_service(flow_, group, *property.value);
      return service ? service->id : *property.value;
    };
    for (const auto& [key, value] : before.items()) {  // in the source's order
      const auto found = given.find(key);
      if (found != given.end()) object[key] = text(found->second);
    }
    for (const auto& [key, property] : given) {
      if (!object.contains(key) && property.value) object[key] = text(property);
    }
    return object;
  }

  static std::vector<std::string> keys(const std::map<std::string, Place>& given) {
    std::vector<std::string> list;
    for (const auto& [name, place] : given) list.push_back(name);
    return list;
  }

  void set_properties(Json& object, const Properties& now, const Group& group) {
    const auto before = object.find("properties");
    const bool is_object = before != object.end() && before->is_object();
    if (!is_object && now.empty()) return;
    object["properties"] = properties(now, group, is_object ? Json(*before) : Json::object());
  }

  Json processor(const ProcessorNode& now, const Group& group, const std::string& parent_id) {
    const bool known = is_nifi(now);
    Json object = begin(now, "PROCESSOR", parent_id);
    const ProcessorNode read = known ? nifi::read_processor(Node(object), "", ignored_) : now;
    set_common(object, now, read);
    set(object, "type", now.type, read.type, known);
    set_properties(object, now.properties, group);
    const std::string state = state_text(now.state);
    set(object, "scheduledState", state, std::string(state_text(read.state)), known);
    if (!known || now.scheduling != read.scheduling) {
      object["schedulingStrategy"] =
          now.scheduling == Scheduling::cron_driven ? "CRON_DRIVEN" : "TIMER_DRIVEN";
    }
    if (now.scheduling_period) {
      set(object, "schedulingPeriod", *now.scheduling_period, read.scheduling_period.value_or(""),
          known);
    }
    set(object, "concurrentlySchedulableTaskCount", now.concurrent_tasks, read.concurrent_tasks,
        known);
    set(object, "penaltyDuration", now.penalty_duration, read.penalty_duration, known);
    set(object, "yieldDuration", now.yield_duration, read.yield_duration, known);
    if (now.run_duration_ms) {
      set(object, "runDurationMillis", *now.run_duration_ms, read.run_duration_ms.value_or(-1),
          known);
    }
    set(object, "bulletinLevel", now.bulletin_level, read.bulletin_level, known);
    set(object, "executionNode", now.execution_node, read.execution_node, known);
    set(object, "autoTerminatedRelationships", keys(now.auto_terminated),
        keys(read.auto_terminated), known);
    set(object, "retriedRelationships", keys(now.retried), keys(read.retried), known);
    set(object, "retryCount", now.retry_count, read.retry_count, known);
    if (!known || now.backoff != read.backoff) {
      object["backoffMechanism"] =
          now.backoff == Backoff::yield_processor ? "YIELD_PROCESSOR" : "PENALIZE_FLOWFILE";
    }
    set(object, "maxBackoffPeriod", now.max_backoff, read.max_backoff, known);
    if (known || !now.annotation_data.empty()) {
      set(object, "annotationData", now.annotation_data, read.annotation_data, known);
    }
    return object;
  }

  Json service(const ServiceNode& now, const Group& group, const std::string& parent_id) {
    const bool known = is_nifi(now);
    Json object = begin(now, "CONTROLLER_SERVICE", parent_id);
    const ServiceNode read = known ? nifi::read_service(Node(object), "", ignored_) : now;
    set_common(object, now, read);
    set(object, "type", now.type, read.type, known);
    set_properties(object, now.properties, group);
    const std::string state = now.state == RunState::disabled ? "DISABLED" : "ENABLED";
    const std::string was = read.state == RunState::disabled ? "DISABLED" : "ENABLED";
    set(object, "scheduledState", state, was, known);
    set(object, "bulletinLevel", now.bulletin_level, read.bulletin_level, known);
    return object;
  }

  Json port(const PortNode& now, const std::string& parent_id) {
    const bool known = is_nifi(now);
    const std::string type = now.input ? "INPUT_PORT" : "OUTPUT_PORT";
    Json object = begin(now, type.c_str(), parent_id);
    const PortNode read = known ? nifi::read_port(Node(object), now.input, "", ignored_) : now;
    set_common(object, now, read);
    if (!known) object["type"] = type;
    const std::string state = state_text(now.state);
    set(object, "scheduledState", state, std::string(state_text(read.state)), known);
    set(object, "concurrentlySchedulableTaskCount", now.concurrent_tasks, read.concurrent_tasks,
        known);
    return object;
  }

  Json funnel(const FunnelNode& now, const std::string& parent_id) {
    Json object = begin(now, "FUNNEL", parent_id);
    if (is_nifi(now)) set_common(object, now, nifi::read_funnel(Node(object), "", ignored_));
    return object;
  }

  // An endpoint of NiFi's is left as it stands: it names what it named.
  void set_end(Json& connection, const char* key, const Endpoint& endpoint) {
    if (connection.contains(key)) return;
    const auto found = ends_.find(endpoint.id);
    if (found == ends_.end()) {  // a broken name stays a broken reference
      connection[key] = {{"id", ""}, {"type", "PROCESSOR"}, {"name", "(missing)"}};
      return;
    }
    const auto& [component, group, type] = found->second;
    connection[key] = {{"id", identifier(*component)},
                       {"type", type},
                       {"groupId", identifier(*group)},
                       {"name", component->name},
                       {"instanceIdentifier", component->id}};
  }

  Json connection(const ConnectionNode& now, const std::string& parent_id) {
    const bool known = is_nifi(now);
    Json object = begin(now, "CONNECTION", parent_id);
    const ConnectionNode read = known ? nifi::read_connection(Node(object), "", ignored_) : now;
    set_common(object, now, read);
    set_end(object, "source", now.from);
    set_end(object, "destination", now.to);
    set(object, "selectedRelationships", keys(now.relationships), keys(read.relationships), known);
    set(object, "backPressureObjectThreshold", now.backpressure_count, read.backpressure_count,
        known);
    set(object, "backPressureDataSizeThreshold", now.backpressure_size, read.backpressure_size,
        known);
    set(object, "flowFileExpiration", now.expiration, read.expiration, known);
    if (!known || now.prioritizers != read.prioritizers) {
      Json list = Json::array();
      for (const auto& name : now.prioritizers) {
        list.push_back("org.apache.nifi.prioritizer." + name);
      }
      object["prioritizers"] = list;
    }
    return object;
  }

  static bool same(const ParameterContextNode& a, const ParameterContextNode& b) {
    const auto equal = [](const auto& x, const auto& y) {
      return x.first == y.first && x.second.value == y.second.value &&
             x.second.sensitive == y.second.sensitive && x.second.origin == y.second.origin &&
             x.second.source == y.second.source;
    };
    return a.inherited == b.inherited && std::ranges::equal(a.parameters, b.parameters, equal);
  }

  Json context(const ParameterContextNode& now) {
    const bool known =
        flow_.form != Flow::Form::hand_written && now.source && now.source->is_object();
    Json object = known ? *now.source : Json::object();
    if (known && same(now, nifi::read_parameter_context(Node(object), now.name, ignored_))) {
      if (!object.contains("name")) object["name"] = now.name;
      return object;
    }
    if (!known) object["identifier"] = id_from_text("parameter context\n" + now.name);
    object["name"] = now.name;
    object["inheritedParameterContexts"] = now.inherited;
    Json parameters = Json::array();
    for (const auto& [name, parameter] : now.parameters) {
      Json one = {{"name", name}, {"sensitive", parameter.sensitive}};
      if (parameter.value) one["value"] = *parameter.value;
      using Origin = ParameterValue::Origin;
      if (parameter.origin == Origin::environment) one["environment"] = parameter.source;
      if (parameter.origin == Origin::file) one["file"] = parameter.source;
      if (parameter.origin == Origin::provider) one["provided"] = true;
      parameters.push_back(std::move(one));
    }
    object["parameters"] = std::move(parameters);
    if (!now.provider.empty() && !known) {
      object["parameterProvider"] = now.provider;
      object["parameterGroupName"] = now.provider_group;
    }
    return object;
  }

  static Json provider(const ParameterProviderNode& now) {
    if (now.source && now.source->is_object() && now.source->contains("identifier")) {
      return *now.source;
    }
    Json properties = Json::object();
    for (const auto& [key, property] : now.properties) {
      if (property.value) properties[key] = *property.value;
    }
    return {
        {"identifier", now.id}, {"name", now.name}, {"type", now.type}, {"properties", properties}};
  }

  Json group(const Group& now, const std::string& parent_id) {
    const bool known = is_nifi(now);
    Json object = begin(now, "PROCESS_GROUP", parent_id);
    const Group read = known ? nifi::read_group_fields(Node(object), "", ignored_) : now;
    set_common(object, now, read);
    if (known || !now.parameter_context.empty()) {
      set(object, "parameterContextName", now.parameter_context, read.parameter_context, known);
    }
    set(object, "flowFileConcurrency", now.flow_file_concurrency, read.flow_file_concurrency,
        known);
    set(object, "flowFileOutboundPolicy", now.outbound_policy, read.outbound_policy, known);
    const std::string& id = identifier(now);
    std::vector<PortNode> inputs, outputs;
    for (const PortNode& one : now.ports) (one.input ? inputs : outputs).push_back(one);
    set_list(object, "processGroups", now.groups, [&](const auto& one) { return group(one, id); });
    set_list(object, "processors", now.processors,
             [&](const auto& one) { return processor(one, now, id); });
    const auto write_port = [&](const auto& one) { return port(one, id); };
    set_list(object, "inputPorts", inputs, write_port);
    set_list(object, "outputPorts", outputs, write_port);
    set_list(object, "connections", now.connections,
             [&](const auto& one) { return connection(one, id); });
    set_list(object, "funnels", now.funnels, [&](const auto& one) { return funnel(one, id); });
    set_list(object, "controllerServices", now.services,
             [&](const auto& one) { return service(one, now, id); });
    return object;
  }

  const Flow& flow_;
  Reporter ignored_;  // the sources' problems were reported when they were read
  std::map<std::string, End> ends_;
};

}  // namespace

std::string write_nifi_flow(const Flow& flow) {
  constexpr int indent = 2;
  // Texts were UTF-8 when they were read; what a program put in instead is replaced, not fatal.
  return Writer(flow).write().dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weir::flow
