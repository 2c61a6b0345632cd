#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "engine/api/units.h"
#include "tools/common/terminal.h"
#include "tools/common/text.h"
#include "tools/weirctl/command.h"
#include "tools/weirctl/output.h"
#include "tools/weirctl/repo_check.h"

namespace weir::tools {
namespace {

void print_problem(const Output& output, const RepositoryProblem& problem) {
  if (output.json()) {
    output.object({{"kind", to_string(problem.kind)},
                   {"file", problem.finding.file.string()},
                   {"offset", problem.finding.offset},
                   {"bytes", problem.finding.bytes},
                   {"what", problem.finding.what}});
    return;
  }
  output.line(fmt::format("{}: {}", output.paint(colour::red, to_string(problem.kind)),
                          printable(to_line(problem.finding))));
}

void check(CommandLine& line) {
  const Output output(line.json);
  Repositories repositories(line);
  repositories.contents();  // a wrong --data is no damage
  const RepositoryTotals totals = check_repositories(
      repositories, [&](const auto& problem) { print_problem(output, problem); });
  if (totals.problems > 0) line.exit_code = kFoundProblem;
  if (output.json()) {
    output.object({{"flow_files", totals.flow_files},
                   {"queues", totals.queues},
                   {"content_files", totals.content_files},
                   {"archived_files", totals.archived_files},
                   {"waiting_files", totals.waiting_files},
                   {"problems", totals.problems}});
    return;
  }
  std::string text =
      fmt::format("{} in {}; {}, {} of them archived", counted(totals.flow_files, "FlowFile"),
                  counted(totals.queues, "queue"), counted(totals.content_files, "content file"),
                  with_thousands(totals.archived_files));
  if (totals.waiting_files > 0) {
    text += fmt::format(", {} to go at the engine's next checkpoint",
                        with_thousands(totals.waiting_files));
  }
  output.line(fmt::format("{}; {}", text, counted(totals.problems, "problem")));
}

struct ContentTotals {
  std::uint64_t files = 0, bytes = 0, archived_files = 0, archived_bytes = 0;
};

ContentTotals count_content(const runtime::EngineConfig& config) {
  ContentTotals totals;
  content::list_content_files(storage::real_file_system(), config.contents.containers,
                              [&](const content::ContentFile& file) {
                                ++totals.files;
                                totals.bytes += file.location.length;
                                if (!file.archived) return;
                                ++totals.archived_files;
                                totals.archived_bytes += file.location.length;
                              });
  return totals;
}

void stats(const CommandLine& line) {
  const Output output(line.json);
  Repositories repositories(line);
  const auto image = repositories.image();
  std::uint64_t queued_bytes = 0, swapped = 0;
  for (const auto& queue : image.state.queues) {
    for (const auto& one : queue.flow_files) queued_bytes += one->size();
    for (const auto& file : queue.swap_files) {
      queued_bytes += file->bytes;
      swapped += file->count;
    }
  }
  const ContentTotals content = count_content(repositories.config());
  const auto provenance = repositories.provenance().statistics();
  if (output.json()) {
    output.object({{"engine_runs", repositories.engine_runs()},
                   {"flow_files", image.state.flow_file_count},
                   {"swapped_flow_files", swapped},
                   {"queued_bytes", queued_bytes},
                   {"queues", image.state.queues.size()},
                   {"last_sequence", image.last_sequence},
                   {"durable_sequence", image.durable_mark},
                   {"journal_records", image.state.journal_records},
                   {"content_files", content.files},
                   {"content_bytes", content.bytes},
                   {"archived_files", content.archived_files},
                   {"archived_bytes", content.archived_bytes},
                   {"events", provenance.events},
                   {"first_event", provenance.first_event_id},
                   {"last_event", provenance.last_event_id},
                   {"provenance_bytes", provenance.bytes},
                   {"oldest_event_ms", provenance.oldest_ms}});
    return;
  }
  Details details;
  details.add("engine", repositories.engine_runs() ? "running" : "stopped");
  details.add("FlowFiles", fmt::format("{} in {}, {}; {} of them swapped",
                                       with_thousands(image.state.flow_file_count),
                                       counted(image.state.queues.size(), "queue"),
                                       format_data_size(queued_bytes), with_thousands(swapped)));
  details.add("journal", fmt::format("{} behind the snapshot, last commit {}, durable up to {}",
                                     counted(image.state.journal_records, "record"),
                                     image.last_sequence, image.durable_mark));
  details.add("content",
              fmt::format("{}, {}; {} of them archived, {}", counted(content.files, "file"),
                          format_data_size(content.bytes), with_thousands(content.archived_files),
                          format_data_size(content.archived_bytes)));
  details.add(
      "provenance",
      provenance.events == 0
          ? std::string("no events")
          : fmt::format("{} ({} to {}), {}, since {}", counted(provenance.events, "event"),
                        provenance.first_event_id, provenance.last_event_id,
                        format_data_size(provenance.bytes), format_time(provenance.oldest_ms)));
  details.print(output);
}

void dump(const CommandLine& line) {
  const Output output(line.json);
  Repositories repositories(line);
  repositories.contents();
  flowfile::dump_repository(storage::real_file_system(), repositories.config().flow_files.directory,
                            [&](const std::string& record) {
                              if (output.json()) {
                                output.object({{"record", record}});
                              } else {
                                output.line(printable(record));
                              }
                            });
}

}  // namespace

void add_repo_command(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      *app.add_subcommand("repo", "The repositories as a whole")->require_subcommand(1);

  CLI::App& check_command = *command.add_subcommand(
      "check", "Names every damaged record, missing content and leaked claim");
  add_repository_options(check_command, line);
  check_command.callback([&line] { check(line); });

  CLI::App& stats_command = *command.add_subcommand("stats", "How much they hold");
  add_repository_options(stats_command, line);
  stats_command.callback([&line] { stats(line); });

  CLI::App& dump_command = *command.add_subcommand(
      "dump", "Every record of the FlowFile repository, one a line, damage included");
  add_repository_options(dump_command, line);
  dump_command.callback([&line] { dump(line); });
}

}  // namespace weir::tools
