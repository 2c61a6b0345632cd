#include <fmt/format.h>

#include <algorithm>

#include "engine/api/cron.h"
#include "engine/api/units.h"
#include "engine/flow/checker.h"
#include "engine/flow/document.h"

namespace weir::flow {
namespace {

// "'a', 'b'" of names, for messages.
std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

void check_duration(const Component& component, Place place, std::string_view field,
                    const std::string& value, Reporter& reporter) {
  const auto parsed = parse_duration(value);
  if (!parsed) reporter.error(&component, place, fmt::format("{}: {}", field, parsed.error()));
}

// A member of the component's JSON object, "" where it is no text.
std::string source_text(const Component& component, const char* key) {
  if (!component.source || !component.source->is_object()) return "";
  const auto found = component.source->find(key);
  if (found == component.source->end() || !found->is_string()) return "";
  return found->get<std::string>();
}

// Names in the flow that are no relationships of the type.
void check_names(const ProcessorNode& processor, const std::map<std::string, Place>& given,
                 const std::vector<std::string>& known, std::string_view use, Reporter& reporter) {
  for (const auto& [name, place] : given) {
    if (std::ranges::find(known, name) != known.end()) continue;
    reporter.warning(&processor, place, fmt::format("{}: there is no relationship '{}'", use, name),
                     nearest_name(name, known));
  }
}

}  // namespace

GroupConnections::GroupConnections(const Group& group) {
  for (const ConnectionNode& one : group.connections) {
    if (one.from.id.empty() || one.to.id.empty()) continue;
    from.emplace(one.from.id, &one);
    to.emplace(one.to.id, &one);
  }
}

void check_relationships(const ProcessorNode& processor, const ProcessorDefinition& definition,
                         const PropertyContext& values, const GroupConnections& connections,
                         Reporter& reporter) {
  const std::vector<Relationship> relationships = definition.dynamic_relationships
                                                      ? definition.dynamic_relationships(values)
                                                      : definition.relationships;
  std::vector<std::string> names;
  for (const Relationship& one : relationships) names.push_back(one.name);
  std::set<std::string> connected;
  const auto [begin, end] = connections.from.equal_range(processor.id);
  for (auto entry = begin; entry != end; ++entry) {
    const ConnectionNode& connection = *entry->second;
    if (connection.relationships.empty()) {
      reporter.error(&processor, connection.place,
                     fmt::format("the connection '{}' names no relationship: {} has {}",
                                 connection.path, definition.short_type(), quoted(names)));
    }
    for (const auto& [name, place] : connection.relationships) {
      connected.insert(name);
      if (std::ranges::find(names, name) != names.end()) continue;
      reporter.error(
          &processor, place,
          fmt::format("the connection '{}': there is no relationship '{}'", connection.path, name),
          nearest_name(name, names));
    }
  }
  check_names(processor, processor.auto_terminated, names, "auto-terminated", reporter);
  check_names(processor, processor.retried, names, "retried", reporter);
  for (const Relationship& one : relationships) {
    const auto terminated = processor.auto_terminated.find(one.name);
    if (terminated != processor.auto_terminated.end()) {
      if (!connected.contains(one.name)) continue;
      reporter.warning(
          &processor, terminated->second,
          fmt::format("relationship '{}' is connected: it is not auto-terminated", one.name));
    } else if (!connected.contains(one.name) && !one.auto_terminated_by_default) {
      reporter.error(
          &processor, processor.place,
          fmt::format("relationship '{}' is neither connected nor auto-terminated", one.name));
    }
  }
}

void check_input(const ProcessorNode& processor, const ProcessorDefinition& definition,
                 const GroupConnections& connections, Reporter& reporter) {
  const auto [begin, end] = connections.to.equal_range(processor.id);
  if (definition.input == InputRequirement::forbidden && begin != end) {
    reporter.error(&processor, begin->second->place,
                   fmt::format("{} takes no incoming connection", definition.short_type()));
  }
  // A loop back to itself brings nothing in.
  const bool has_input = std::any_of(
      begin, end, [&](const auto& entry) { return entry.second->from.id != processor.id; });
  if (definition.input == InputRequirement::required && !has_input) {
    reporter.error(&processor, processor.place,
                   fmt::format("{} needs an incoming connection", definition.short_type()));
  }
}

void check_scheduling(const ProcessorNode& processor, Reporter& reporter) {
  const Place place = processor.scheduling_period_place;
  if (processor.scheduling == Scheduling::cron_driven && processor.scheduling_period) {
    const auto rule = CronSchedule::parse(*processor.scheduling_period);
    if (!rule) reporter.error(&processor, place, rule.error());
  } else if (processor.scheduling_period) {
    check_duration(processor, place, "schedule", *processor.scheduling_period, reporter);
  }
  check_duration(processor, {}, "penalty duration", processor.penalty_duration, reporter);
  check_duration(processor, {}, "yield duration", processor.yield_duration, reporter);
  check_duration(processor, {}, "maximum backoff", processor.max_backoff, reporter);
  static const std::vector<std::string> levels = {"TRACE", "DEBUG", "INFO", "WARN",
                                                  "ERROR", "FATAL", "NONE"};
  if (std::ranges::find(levels, processor.bulletin_level) == levels.end()) {
    reporter.error(&processor, {},
                   fmt::format("'{}' is no bulletin level", processor.bulletin_level),
                   nearest_name(processor.bulletin_level, levels));
  }
  if (processor.execution_node != "ALL" && processor.execution_node != "PRIMARY") {
    reporter.error(
        &processor, {},
        fmt::format("'{}' is no execution node: ALL or PRIMARY", processor.execution_node));
  }
}

void check_connections(const Group& group, Reporter& reporter) {
  static const std::vector<std::string> prioritizers = {
      "FirstInFirstOutPrioritizer", "NewestFlowFileFirstPrioritizer",
      "OldestFlowFileFirstPrioritizer", "PriorityAttributePrioritizer"};
  std::set<std::string> seen;
  for (const ConnectionNode& one : group.connections) {
    check_duration(one, {}, "expiration", one.expiration, reporter);
    const auto size = parse_data_size(one.backpressure_size);
    if (!size) reporter.error(&one, {}, "backpressure: " + size.error());
    for (const std::string& name : one.prioritizers) {
      if (std::ranges::find(prioritizers, name) != prioritizers.end()) continue;
      reporter.warning(&one, {}, fmt::format("the prioritizer '{}' is not known", name),
                       nearest_name(name, prioritizers));
    }
    const std::string balance = source_text(one, "loadBalanceStrategy");
    if (!balance.empty() && balance != "DO_NOT_LOAD_BALANCE") {
      reporter.warning(
          &one, {},
          fmt::format("load balancing ({}) has no effect: one engine is one node", balance));
    }
    if (one.from.id.empty() || one.to.id.empty()) continue;
    std::string key = one.from.id + one.to.id;
    for (const auto& [name, place] : one.relationships) key += "\n" + name;
    if (seen.insert(key).second) continue;
    reporter.warning(&one, {},
                     "the same connection is given twice: FlowFiles are cloned into both");
  }
}

}  // namespace weir::flow
