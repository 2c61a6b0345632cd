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

// A UUID as it is; any other word is a filename, of which the newest FlowFile is meant.
flowfile::Uuid find_flow_file(provenance::ProvenanceRepository& provenance,
                              const std::string& word) {
  if (const auto uuid = flowfile::Uuid::parse(word)) return *uuid;
  provenance::Query query;
  query.attributes.emplace_back("filename", word);
  query.limit = 1;
  const auto found = provenance.query(query);
  if (found.events.empty()) {
    throw storage::StorageError(
        fmt::format("no event tells of a FlowFile with the UUID or filename {}", word));
  }
  return found.events[0].flow_file;
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
  auto& provenance = repositories.provenance();
  const auto uuid = find_flow_file(provenance, options.flow_file);
  const auto found = provenance.lineage(uuid, options.limit);
  if (found.events.empty()) {
    throw storage::StorageError("no event tells of FlowFile " + uuid.to_string());
  }
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
