#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/weirctl/command.h"
#include "tools/weirctl/event_output.h"
#include "tools/weirctl/lineage_output.h"
#include "tools/weirctl/output.h"

namespace weir::tools {
namespace {

struct LineageOptions {
  std::string flow_file;
  std::size_t limit = 10000;
  bool dot = false;
  bool svg = false;
};

provenance::Lineage lineage_of(provenance::ProvenanceRepository& provenance,
                               const flowfile::Uuid& uuid, std::size_t limit) {
  provenance::Lineage found = provenance.lineage(uuid, limit);
  if (found.events.empty()) {
    throw storage::StorageError("no event tells of FlowFile " + uuid.to_string());
  }
  return found;
}

// By UUID, or by a filename: then the newest FlowFile of that name is meant, and where it comes
// from one of the same name, as the parts of a file do, everything that became of that one.
provenance::Lineage find_lineage(provenance::ProvenanceRepository& provenance,
                                 const std::string& word, std::size_t limit) {
  if (const auto uuid = flowfile::Uuid::parse(word)) return lineage_of(provenance, *uuid, limit);
  provenance::Query query;
  query.attributes.emplace_back("filename", word);
  query.limit = 1;
  const auto found = provenance.query(query);
  if (found.events.empty()) {
    throw storage::StorageError(
        fmt::format("no event tells of a FlowFile with the UUID or filename {}", word));
  }
  provenance::Lineage part = lineage_of(provenance, found.events[0].flow_file, limit);
  const provenance::StoredEvent& first = part.events[0];
  const std::string* const name =
      first.attributes_after ? first.attributes_after->find("filename") : nullptr;
  if (name == nullptr || *name != word || first.flow_file == found.events[0].flow_file) {
    return part;
  }
  return lineage_of(provenance, first.flow_file, limit);
}

void print_json(const Output& output, const provenance::Lineage& lineage) {
  for (const auto& event : lineage.events) output.object(to_json(event));
  for (const auto& edge : lineage.edges) {
    output.object({{"from", lineage.events[edge.from].id},
                   {"to", lineage.events[edge.to].id},
                   {"flow_file", edge.flow_file.to_string()}});
  }
}

void lineage(CommandLine& line, const LineageOptions& options) {
  const Output output(line.json);
  Repositories repositories(line);
  const auto found = find_lineage(repositories.provenance(), options.flow_file, options.limit);
  if (output.json()) {
    print_json(output, found);
  } else if (options.dot) {
    fmt::print("{}", lineage_dot(found));
  } else if (options.svg) {
    fmt::print("{}", lineage_svg(found));
  } else {
    print_lineage_tree(output, found);
  }
  if (found.truncated) {
    fmt::print(stderr, "weirctl: the lineage has more than {} events: see --limit\n",
               options.limit);
  }
}

}  // namespace

void add_lineage_command(CLI::App& provenance, CommandLine& line) {
  CLI::App& command = *provenance.add_subcommand(
      "lineage", "Where a FlowFile came from and what became of it, as a tree");
  const auto options = std::make_shared<LineageOptions>();
  command.add_option("FLOWFILE", options->flow_file, "Its UUID, or its filename")->required();
  CLI::Option* const dot = command.add_flag("--dot", options->dot, "As a graph for Graphviz");
  command.add_flag("--svg", options->svg, "As a drawing")->excludes(dot);
  command.add_option("--limit", options->limit, "At most so many events")->capture_default_str();
  add_repository_options(command, line);
  command.callback([&line, options] { lineage(line, *options); });
}

}  // namespace weir::tools
