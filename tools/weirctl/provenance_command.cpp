#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "engine/api/units.h"
#include "tools/common/terminal.h"
#include "tools/common/text.h"
#include "tools/weirctl/command.h"
#include "tools/weirctl/event_output.h"
#include "tools/weirctl/output.h"

namespace weir::tools {
namespace {

struct ListOptions {
  std::string uuid, component, type, relationship, from, to;
  std::vector<std::string> attributes;
  std::size_t limit = 100;
  bool oldest_first = false;
};

struct EventOptions {
  std::uint64_t event = 0;
  bool before = false;
  bool after = false;
  std::string output_file;
};

provenance::Query make_query(const ListOptions& options) {
  provenance::Query query;
  if (!options.uuid.empty()) {
    query.flow_file = flowfile::Uuid::parse(options.uuid);
    if (!query.flow_file) throw UsageError(options.uuid + " is no UUID of a FlowFile");
  }
  if (!options.component.empty()) query.component = options.component;
  if (!options.type.empty()) {
    std::string name = options.type;
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    query.type = provenance::parse_event_type(name);
    if (!query.type) throw UsageError(options.type + " is no type of provenance events");
  }
  if (!options.relationship.empty()) query.relationship = options.relationship;
  for (const std::string& attribute : options.attributes) {
    const std::size_t equals = attribute.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--attribute " + attribute + ": must be NAME=VALUE");
    }
    query.attributes.emplace_back(attribute.substr(0, equals), attribute.substr(equals + 1));
  }
  const auto time = [](const std::string& text) {
    const auto parsed = parse_time(text, now_ms());
    if (!parsed) throw UsageError(parsed.error());
    return *parsed;
  };
  if (!options.from.empty()) query.from_ms = time(options.from);
  if (!options.to.empty()) query.to_ms = time(options.to);
  query.limit = options.limit;
  query.newest_first = !options.oldest_first;
  return query;
}

void list(const CommandLine& line, const ListOptions& options) {
  const Output output(line.json);
  const provenance::Query query = make_query(options);
  Repositories repositories(line);
  const auto result = repositories.provenance().query(query);
  if (output.json()) {
    for (const auto& event : result.events) output.object(to_json(event));
    return;
  }
  Table table({{"EVENT", true},
               {"TIME"},
               {"TYPE"},
               {"COMPONENT"},
               {"FLOWFILE"},
               {"SIZE", true},
               {"FILENAME"}});
  for (const auto& event : result.events) {
    table.add({std::to_string(event.id), format_time(event.time_ms),
               std::string(provenance::to_string(event.type)), printable(event.component.name),
               event.flow_file.to_string(), format_data_size(event.content_after.length),
               event_filename(event)});
  }
  if (table.empty()) {
    output.line("no events");
    return;
  }
  table.print(output);
  if (result.truncated) {
    output.line(output.paint(
        colour::dim, fmt::format("there are more than {} events: see --limit", options.limit)));
  }
}

provenance::StoredEvent need_event(Repositories& repositories, std::uint64_t id) {
  auto event = repositories.provenance().find(id);
  if (!event) throw storage::StorageError(fmt::format("there is no event {}", id));
  return std::move(*event);
}

void show(const CommandLine& line, const EventOptions& options) {
  const Output output(line.json);
  Repositories repositories(line);
  const auto event = need_event(repositories, options.event);
  if (output.json()) {
    output.object(to_json(event));
  } else {
    print_event(output, repositories, event);
  }
}

void content(const CommandLine& line, const EventOptions& options) {
  Repositories repositories(line);
  const auto event = need_event(repositories, options.event);
  const char* const when = options.before ? "before" : "after";
  const auto& claim = options.before ? event.content_before : event.content_after;
  if (claim.container.empty()) {
    fmt::print(stderr, "weirctl: there is no content {} event {}\n", when, event.id);
    return;
  }
  const auto reader = repositories.contents().read_location(claim);
  if (!reader) {
    throw storage::StorageError(
        fmt::format("the content {} event {} is gone: {}", when, event.id, to_text(claim)));
  }
  write_content(*reader, options.output_file);
}

}  // namespace

void add_provenance_command(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      *app.add_subcommand("provenance", "What happened to FlowFiles")->require_subcommand(1);

  CLI::App& list_command = *command.add_subcommand("list", "Finds events, newest first");
  const auto found = std::make_shared<ListOptions>();
  list_command.add_option("--uuid", found->uuid, "Of this FlowFile, as parent or child as well");
  list_command.add_option("--component", found->component, "Of this component: name or id");
  list_command.add_option("--type", found->type, "Of this type, such as FORK");
  list_command.add_option("--relationship", found->relationship, "ROUTE events to it");
  list_command.add_option("--attribute", found->attributes, "With this attribute after the event")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  list_command.add_option("--from", found->from,
                          "Not earlier: '2026-03-01 10:20', or '10 mins' for so long ago");
  list_command.add_option("--to", found->to, "Not later");
  list_command.add_option("--limit", found->limit, "At most so many")->capture_default_str();
  list_command.add_flag("--oldest-first", found->oldest_first);
  add_repository_options(list_command, line);
  list_command.callback([&line, found] { list(line, *found); });

  const auto event = std::make_shared<EventOptions>();
  CLI::App& show_command = *command.add_subcommand("show", "All about one event");
  show_command.add_option("EVENT", event->event, "Its number")->required();
  add_repository_options(show_command, line);
  show_command.callback([&line, event] { show(line, *event); });

  CLI::App& content_command =
      *command.add_subcommand("content", "Writes a FlowFile's content at an event");
  content_command.add_option("EVENT", event->event, "Its number")->required();
  CLI::Option* const before = content_command.add_flag("--before", event->before, "Before it");
  content_command.add_flag("--after", event->after, "After it (default)")->excludes(before);
  content_command.add_option("-o,--output", event->output_file, "A new file, not standard output");
  add_config_option(content_command, line.config);
  content_command.callback([&line, event] { content(line, *event); });

  add_lineage_command(command, line);
}

}  // namespace weir::tools
