#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/component.h"

namespace weir::flow {

// Where something stands in the file; 1-based, 0 where it stands nowhere (a default).
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Property {
  std::optional<std::string> value;  // nullopt: given as null or left out by an export
  Place place;
};
using Properties = std::map<std::string, Property>;

// A JSON object as it was read: what the model does not speak of (positions, labels, bends,
// styles, fields of other versions) is written back from here. Immutable, shared.
using Source = std::shared_ptr<const nlohmann::ordered_json>;

enum class RunState { enabled, disabled, running };
enum class Scheduling { timer_driven, cron_driven };
enum class Backoff { penalize_flow_file, yield_processor };

struct Component {
  std::string id;          // unique in the flow after reading, stable from run to run
  std::string identifier;  // as in the file; may repeat or be empty
  std::string name;
  std::string path;  // "group / group / name": for people
  std::string comments;
  Place place;
  Source source;
};

struct ProcessorNode : Component {
  std::string type;       // as in the file
  Properties properties;  // keys as in the file
  RunState state = RunState::enabled;
  Scheduling scheduling = Scheduling::timer_driven;
  std::optional<std::string> scheduling_period;  // nullopt: the type's default
  Place scheduling_period_place;
  int concurrent_tasks = 1;
  std::string penalty_duration = "30 sec";
  std::string yield_duration = "1 sec";
  std::optional<std::int64_t> run_duration_ms;
  std::string bulletin_level = "WARN";
  std::string execution_node = "ALL";
  std::map<std::string, Place> auto_terminated;
  std::map<std::string, Place> retried;
  int retry_count = 10;
  Backoff backoff = Backoff::penalize_flow_file;
  std::string max_backoff = "10 mins";
  std::string annotation_data;
};

struct ServiceNode : Component {
  std::string type;
  Properties properties;
  RunState state = RunState::enabled;
  std::string bulletin_level = "WARN";
};

struct PortNode : Component {
  bool input = true;
  RunState state = RunState::enabled;
  int concurrent_tasks = 1;
};

struct FunnelNode : Component {};

// One end of a connection, resolved: `id` is the Component::id; empty where it resolves to
// nothing (then a problem says so).
struct Endpoint {
  enum class Type { processor, input_port, output_port, funnel, unknown };
  Type type = Type::unknown;
  std::string id;
  Place place;
};

struct ConnectionNode : Component {
  Endpoint from;
  Endpoint to;
  std::map<std::string, Place> relationships;  // empty for ports and funnels
  std::uint64_t backpressure_count = 10000;    // 0: off
  std::string backpressure_size = "1 GB";      // "0 B": off
  std::string expiration = "0 sec";
  std::vector<std::string> prioritizers;  // last part of the type
};

struct ParameterValue {
  enum class Origin { flow, environment, file, provider };
  std::optional<std::string> value;
  bool sensitive = false;
  Origin origin = Origin::flow;
  std::string source;  // the variable's name or the file's path
  bool listed = true;  // in the flow; else the provider alone knows it
  Place place;
};
// Gives the parameters of contexts: NiFi's providers of environment variables and of files.
struct ParameterProviderNode {
  std::string id;
  std::string name;
  std::string type;
  Properties properties;
  Source source;
};
struct ParameterContextNode {
  std::string name;
  std::vector<std::string> inherited;
  std::map<std::string, ParameterValue> parameters;
  std::string provider;        // ParameterProviderNode::id; empty: none
  std::string provider_group;  // which of the provider's groups of parameters
  Place place;
  Source source;
};

struct Group : Component {
  std::string parameter_context;
  std::string flow_file_concurrency = "UNBOUNDED";
  std::string outbound_policy = "STREAM_WHEN_AVAILABLE";
  std::vector<ProcessorNode> processors;
  std::vector<ServiceNode> services;
  std::vector<PortNode> ports;
  std::vector<FunnelNode> funnels;
  std::vector<ConnectionNode> connections;
  std::vector<Group> groups;
};

struct Flow {
  enum class Form { nifi_flow, exported_group, registry_snapshot, hand_written };
  Form form = Form::hand_written;
  std::string file;
  Group root;
  std::vector<ServiceNode> controller_services;          // above the root group
  std::map<std::string, std::string> external_services;  // identifier -> name, not in the file
  std::vector<ParameterContextNode> parameter_contexts;
  std::vector<ParameterProviderNode> parameter_providers;
  int max_timer_driven_threads = 10;
  Source source;
};

struct Problem {
  enum class Severity { error, warning };
  Severity severity = Severity::error;
  std::string file;
  Place place;
  std::string component;     // path; empty: the file as a whole
  std::string component_id;  // set where only this component is invalid and others can run
  std::string message;
  std::string nearest;  // the name that may have been meant

  std::string to_string() const;  // file:line:column: error: component: message (did you mean ...)
};

}  // namespace weir::flow
