#include "engine/flow/read.h"

#include <fmt/format.h>

#include "engine/flow/document.h"
#include "engine/flow/nifi_reader.h"
#include "engine/flow/reporter.h"
#include "engine/flow/short_reader.h"

namespace weir::flow {
namespace {

using Failed = std::optional<std::pair<Place, std::string>>;

// What a file is that is no flow, where one can tell.
std::string looks_like(const Node& root) {
  if (root.has("flowController")) return "it looks like NiFi's flow.xml turned into JSON";
  if (root.has("template") || root.has("snippet")) return "it looks like a NiFi template";
  if (root.has("processGroupFlow") || root.has("revision")) {
    return "it looks like an answer of NiFi's REST API: download the flow definition instead";
  }
  return "it has none of rootGroup, flowContents, content, processors, connections and groups";
}

Failed no_flow(Place place, const std::string& why) {
  return std::pair(place, "this is no flow: " + why);
}

Failed no_imitation(const Node& group) {
  const auto imitation = nifi::find_imitation(group);
  if (!imitation) return std::nullopt;
  return no_flow(imitation->place,
                 "it looks like an imitation of NiFi's format: " + imitation->what);
}

bool is_bare_group(const Node& node) {
  const auto type = node.get("componentType");
  if (type && type->is_string() && type->text() == "PROCESS_GROUP") return true;
  return node.get("identifier").has_value() &&
         (node.get("processGroups") || node.get("inputPorts") || node.get("processors"));
}

Failed read_group_object(const Node& node, Flow::Form form, Reporter& reporter, Flow& flow) {
  const auto contents = node.get("flowContents");
  if (auto failed = no_imitation(contents ? *contents : node)) return failed;
  flow = contents ? nifi::read_snapshot(node, form, reporter)
                  : nifi::read_bare_group(node, form, reporter);
  return std::nullopt;
}

Failed read_registry_file(const Node& content, Reporter& reporter, Flow& flow) {
  constexpr auto form = Flow::Form::registry_snapshot;
  if (!content.is_object()) return no_flow(content.place(), "'content' is no object");
  const auto snapshot = content.get("flowSnapshot");
  const Node& inner = snapshot ? *snapshot : content;
  if (!inner.get("flowContents") && !is_bare_group(inner)) {
    return no_flow(inner.place(), "the snapshot holds no process group");
  }
  return read_group_object(inner, form, reporter, flow);
}

Failed read_root(const Node& root, Reporter& reporter, Flow& flow) {
  if (root.is_array()) {
    const std::vector<Node> elements = root.elements();
    if (elements.size() == 1 && elements[0].is_object()) {
      return read_root(elements[0], reporter, flow);
    }
    return no_flow(root.place(),
                   fmt::format("it is a list of {} values instead of one flow", elements.size()));
  }
  if (!root.is_object()) return no_flow(root.place(), "it is no JSON object");
  if (const auto group = root.get("rootGroup")) {
    if (auto failed = no_imitation(*group)) return failed;
    flow = nifi::read_flow_json(root, reporter);
    return std::nullopt;
  }
  if (root.get("flowContents")) {
    return read_group_object(root, Flow::Form::exported_group, reporter, flow);
  }
  if (const auto content = root.get("content")) {
    return read_registry_file(*content, reporter, flow);
  }
  if (is_bare_group(root)) {
    return read_group_object(root, Flow::Form::exported_group, reporter, flow);
  }
  const bool hand_written = root.has("processors") || root.has("groups") || root.has("connections");
  if (!hand_written || root.has("flowController")) return no_flow(root.place(), looks_like(root));
  flow = short_form::read(root, reporter);
  return std::nullopt;
}

}  // namespace

std::expected<ReadResult, std::vector<Problem>> read_flow(std::string_view bytes,
                                                          const std::string& file) {
  Reporter reporter(file);
  const auto document = Document::parse(bytes, file, reporter.problems());
  if (!document) {
    std::vector<Problem> problems{document.error()};
    return std::unexpected(std::move(problems));
  }
  ReadResult result;
  if (const auto failed = read_root(Node(*document), reporter, result.flow)) {
    reporter.error(nullptr, failed->first, failed->second);
    return std::unexpected(std::move(reporter.problems()));
  }
  result.problems = std::move(reporter.problems());
  sort_by_place(result.problems);
  return result;
}

}  // namespace weir::flow
