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

using flowfile::FlowFilePtr;
using flowfile::RecoveredQueue;
using nlohmann::ordered_json;

struct ShowOptions {
  std::string connection;
  std::size_t limit = 100;
};

struct ContentOptions {
  std::string uuid;
  std::string output_file;
};

// Visits the FlowFiles of a queue in the order in which they arrived, those in swap files too,
// until `visit` returns false.
void visit_queue(Repositories& repositories, const RecoveredQueue& queue,
                 const std::function<bool(const flowfile::FlowFileRecord&, bool swapped)>& visit) {
  auto swap_file = queue.swap_files.begin();
  const auto visit_swap_files = [&](std::uint64_t before) {
    for (; swap_file != queue.swap_files.end() && (*swap_file)->first_order < before; ++swap_file) {
      for (const FlowFilePtr& one : repositories.swapped(**swap_file)) {
        if (!visit(*one, true)) return false;
      }
    }
    return true;
  };
  for (const FlowFilePtr& one : queue.flow_files) {
    if (!visit_swap_files(one->arrival()) || !visit(*one, false)) return;
  }
  visit_swap_files(UINT64_MAX);
}

struct QueueTotals {
  std::uint64_t count = 0, bytes = 0, swapped = 0;
  std::int64_t oldest_ms = INT64_MAX;
};

QueueTotals totals_of(const RecoveredQueue& queue) {
  QueueTotals totals;
  for (const FlowFilePtr& one : queue.flow_files) {
    ++totals.count;
    totals.bytes += one->size();
    totals.oldest_ms = std::min(totals.oldest_ms, one->entry_ms);
  }
  for (const auto& file : queue.swap_files) {
    totals.count += file->count;
    totals.swapped += file->count;
    totals.bytes += file->bytes;
  }
  return totals;
}

void list(const CommandLine& line) {
  const Output output(line.json);
  Repositories repositories(line);
  const auto image = repositories.image();
  std::vector<std::pair<std::string, QueueTotals>> queues;
  for (const auto& one : repositories.connections()) queues.emplace_back(one.id, QueueTotals{});
  for (const auto& queue : image.state.queues) {
    auto place = std::ranges::find(queues, queue.connection,
                                   [](const auto& one) { return std::string_view(one.first); });
    if (place == queues.end()) place = queues.insert(place, {queue.connection, {}});
    place->second = totals_of(queue);
  }

  Table table({{"CONNECTION"},
               {"QUEUED", true},
               {"SIZE", true},
               {"SWAPPED", true},
               {"OLDEST", true},
               {"ID"}});
  const std::int64_t now = now_ms();
  for (const auto& [id, totals] : queues) {
    const std::string name = repositories.connection_name(id);
    const bool has_oldest = totals.oldest_ms != INT64_MAX;
    if (output.json()) {
      output.object({{"id", id},
                     {"name", name},
                     {"count", totals.count},
                     {"bytes", totals.bytes},
                     {"swapped", totals.swapped},
                     {"oldest_entry_ms",
                      has_oldest ? ordered_json(totals.oldest_ms) : ordered_json(nullptr)}});
      continue;
    }
    table.add({printable(name), with_thousands(totals.count), format_data_size(totals.bytes),
               with_thousands(totals.swapped), has_oldest ? format_age(totals.oldest_ms, now) : "",
               printable(id)});
  }
  if (output.json()) return;
  if (table.empty()) {
    output.line("nothing is queued");
  } else {
    table.print(output);
  }
}

ordered_json to_json(const flowfile::FlowFileRecord& record, std::size_t position, bool swapped) {
  ordered_json object = {{"position", position},
                         {"uuid", record.uuid.to_string()},
                         {"size", record.size()},
                         {"entry_ms", record.entry_ms},
                         {"lineage_start_ms", record.lineage_start_ms},
                         {"swapped", swapped}};
  if (record.penalty_until_ms != 0) object["penalty_until_ms"] = record.penalty_until_ms;
  object["attributes"] = tools::to_json(*record.attributes);
  object["content"] = tools::to_json(record.claim.location());
  return object;
}

// By identifier or name.
const RecoveredQueue* find_queue(Repositories& repositories, const flowfile::RepositoryImage& image,
                                 const std::string& connection) {
  std::set<std::string> ids;
  for (const auto& [id, name] : repositories.connections()) {
    if (id == connection || name == connection) ids.insert(id);
  }
  const RecoveredQueue* found = nullptr;
  for (const auto& queue : image.state.queues) {
    if (queue.connection == connection) ids.insert(connection);
    if (ids.contains(queue.connection)) found = &queue;
  }
  if (ids.size() > 1) {
    throw UsageError(
        fmt::format("{} connections are named {}: give the identifier", ids.size(), connection));
  }
  if (!ids.empty()) return found;
  std::vector<std::string> names;
  for (const auto& [id, name] : repositories.connections()) names.push_back(name);
  const std::string nearest = nearest_name(connection, names);
  throw UsageError(fmt::format("there is no connection {}{}", connection,
                               nearest.empty() ? "" : " (did you mean " + nearest + "?)"));
}

void show(const CommandLine& line, const ShowOptions& options) {
  const Output output(line.json);
  Repositories repositories(line);
  const auto image = repositories.image();
  const RecoveredQueue* const queue = find_queue(repositories, image, options.connection);
  Table table(
      {{"POSITION", true}, {"UUID"}, {"SIZE", true}, {"IN FLOW", true}, {"STATE"}, {"FILENAME"}});
  const std::int64_t now = now_ms();
  std::size_t position = 0;
  bool more = false;
  const auto visit = [&](const flowfile::FlowFileRecord& record, bool swapped) {
    if (position == options.limit) {
      more = true;
      return false;
    }
    ++position;
    if (output.json()) {
      output.object(to_json(record, position, swapped));
      return true;
    }
    const std::string* const filename = record.attributes->find("filename");
    table.add({std::to_string(position), record.uuid.to_string(), format_data_size(record.size()),
               format_age(record.entry_ms, now),
               swapped                         ? "swapped"
               : record.penalty_until_ms > now ? "penalized"
                                               : "",
               filename == nullptr ? "" : printable(*filename)});
    return true;
  };
  if (queue != nullptr) visit_queue(repositories, *queue, visit);
  if (output.json()) return;
  if (table.empty()) {
    output.line("nothing is queued");
    return;
  }
  table.print(output);
  if (more) {
    output.line(output.paint(colour::dim,
                             fmt::format("there are more than {}: see --limit", options.limit)));
  }
}

void content(const CommandLine& line, const ContentOptions& options) {
  const auto uuid = flowfile::Uuid::parse(options.uuid);
  if (!uuid) throw UsageError(options.uuid + " is no UUID of a FlowFile");
  Repositories repositories(line);
  const auto image = repositories.image();
  std::optional<content::ContentClaim> claim;
  for (const auto& queue : image.state.queues) {
    visit_queue(repositories, queue, [&](const flowfile::FlowFileRecord& record, bool) {
      if (record.uuid == *uuid) claim = record.claim;
      return !claim;
    });
    if (claim) break;
  }
  if (!claim) throw storage::StorageError("no queue holds FlowFile " + options.uuid);
  write_content(*repositories.contents().read(*claim), options.output_file);
}

}  // namespace

void add_queue_command(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      *app.add_subcommand("queue", "FlowFiles that wait in connections")->require_subcommand(1);

  CLI::App& list_command = *command.add_subcommand("list", "How much each connection holds");
  add_repository_options(list_command, line);
  list_command.callback([&line] { list(line); });

  CLI::App& show_command = *command.add_subcommand("show", "The FlowFiles of one connection");
  const auto shown = std::make_shared<ShowOptions>();
  show_command.add_option("CONNECTION", shown->connection, "Its name or identifier")->required();
  show_command.add_option("--limit", shown->limit, "At most so many")->capture_default_str();
  add_repository_options(show_command, line);
  show_command.callback([&line, shown] { show(line, *shown); });

  CLI::App& content_command =
      *command.add_subcommand("content", "Writes the content of a queued FlowFile");
  const auto wanted = std::make_shared<ContentOptions>();
  content_command.add_option("UUID", wanted->uuid, "The FlowFile's")->required();
  content_command.add_option("-o,--output", wanted->output_file, "A new file, not standard output");
  add_config_option(content_command, line.config);
  content_command.callback([&line, wanted] { content(line, *wanted); });
}

}  // namespace weir::tools
