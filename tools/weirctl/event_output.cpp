#include "tools/weirctl/event_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/api/units.h"
#include "tools/common/terminal.h"
#include "tools/common/text.h"

namespace weir::tools {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const std::vector<flowfile::Uuid>& uuids) {
  ordered_json list = ordered_json::array();
  for (const auto& uuid : uuids) list.push_back(uuid.to_string());
  return list;
}

void print_uuids(const Output& output, std::string_view title,
                 const std::vector<flowfile::Uuid>& uuids) {
  if (uuids.empty()) return;
  output.line(output.paint(colour::bold, title));
  for (const auto& uuid : uuids) output.line("  " + uuid.to_string());
}

// Attributes after the event; what the event changed is marked.
void print_attributes(const Output& output, const provenance::StoredEvent& event) {
  const flowfile::Attributes none;
  const auto& before = event.attributes_before ? *event.attributes_before : none;
  const auto& after = event.attributes_after ? *event.attributes_after : none;
  Details changed, same;
  for (const auto& [name, value] : after.entries()) {
    const std::string* old = before.find(name);
    if (old != nullptr && *old == value) {
      same.add(printable(name), printable(value));
    } else if (old == nullptr) {
      changed.add("+ " + printable(name), printable(value));
    } else {
      changed.add("~ " + printable(name),
                  fmt::format("{}  (was {})", printable(value), printable(*old)));
    }
  }
  for (const auto& [name, value] : before.entries()) {
    if (after.find(name) == nullptr) changed.add("- " + printable(name), printable(value));
  }
  output.line(output.paint(colour::bold, "attributes"));
  changed.print(output, "  ");
  same.print(output, "    ");
}

}  // namespace

ordered_json to_json(const flowfile::Attributes& attributes) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : attributes.entries()) object[name] = value;
  return object;
}

ordered_json to_json(const content::ClaimLocation& claim) {
  if (claim.container.empty()) return nullptr;
  return {{"container", claim.container},
          {"section", claim.section},
          {"identifier", claim.identifier},
          {"offset", claim.offset},
          {"length", claim.length}};
}

ordered_json to_json(const provenance::StoredEvent& event) {
  ordered_json object = {{"id", event.id},
                         {"type", provenance::to_string(event.type)},
                         {"flow_file", event.flow_file.to_string()},
                         {"time_ms", event.time_ms},
                         {"component",
                          {{"id", event.component.id},
                           {"name", event.component.name},
                           {"type", event.component.type}}},
                         {"entry_ms", event.entry_ms},
                         {"lineage_start_ms", event.lineage_start_ms}};
  const auto add = [&object](const char* key, const std::string& value) {
    if (!value.empty()) object[key] = value;
  };
  if (event.duration_ms >= 0) object["duration_ms"] = event.duration_ms;
  add("relationship", event.relationship);
  add("details", event.details);
  add("transit_uri", event.transit_uri);
  add("alternate_identifier", event.alternate_identifier);
  add("source_queue", event.source_queue);
  if (!event.parents.empty()) object["parents"] = to_json(event.parents);
  if (!event.children.empty()) object["children"] = to_json(event.children);
  if (event.attributes_before && event.attributes_before != event.attributes_after) {
    object["attributes_before"] = to_json(*event.attributes_before);
  }
  if (event.attributes_after) object["attributes"] = to_json(*event.attributes_after);
  object["content_before"] = to_json(event.content_before);
  object["content"] = to_json(event.content_after);
  return object;
}

std::string to_text(const content::ClaimLocation& claim) {
  if (claim.container.empty()) return "none";
  return fmt::format("{} in {}/{}/{} at {}", format_data_size(claim.length),
                     printable(claim.container), claim.section, claim.identifier, claim.offset);
}

std::string event_title(const provenance::StoredEvent& event) {
  return fmt::format("{}  {}", provenance::to_string(event.type), printable(event.component.name));
}

std::string event_filename(const provenance::StoredEvent& event) {
  if (!event.attributes_after) return {};
  const std::string* name = event.attributes_after->find("filename");
  return name == nullptr ? std::string() : printable(*name);
}

void print_event(const Output& output, Repositories& repositories,
                 const provenance::StoredEvent& event) {
  Details details;
  details.add("event", std::to_string(event.id));
  details.add("type", output.paint(colour::cyan, provenance::to_string(event.type)));
  details.add("time", format_time(event.time_ms));
  details.add("FlowFile", event.flow_file.to_string());
  details.add("component",
              fmt::format("{} ({}, {})", printable(event.component.name),
                          printable(event.component.type), printable(event.component.id)));
  const auto add = [&details](const char* name, const std::string& value) {
    if (!value.empty()) details.add(name, printable(value));
  };
  add("relationship", event.relationship);
  add("details", event.details);
  add("transit URI", event.transit_uri);
  add("alternate identifier", event.alternate_identifier);
  if (!event.source_queue.empty()) {
    add("source queue", repositories.connection_name(event.source_queue));
  }
  if (event.duration_ms >= 0) {
    details.add("duration", fmt::format("{} ms", event.duration_ms));
  }
  details.add("entered the flow", format_time(event.entry_ms));
  details.add("lineage began", format_time(event.lineage_start_ms));
  details.add("content before", to_text(event.content_before));
  details.add("content after", to_text(event.content_after));
  details.print(output);
  print_uuids(output, "parents", event.parents);
  print_uuids(output, "children", event.children);
  print_attributes(output, event);
}

}  // namespace weir::tools
