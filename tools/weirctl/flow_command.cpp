#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "engine/flow/check.h"
#include "engine/flow/parameters.h"
#include "engine/flow/read.h"
#include "engine/flow/write.h"
#include "processors/registry.h"
#include "repositories/storage/file_system.h"
#include "tools/common/flow_values.h"
#include "tools/common/terminal.h"
#include "tools/common/text.h"
#include "tools/weirctl/command.h"
#include "tools/weirctl/output.h"

namespace weir::tools {
namespace {

using Severity = flow::Problem::Severity;

struct FormatOptions {
  std::string file;
  bool nifi = false;
  bool write = false;
  bool encrypt = false;
};

std::string read_flow_file(const std::string& file) {
  try {
    return read_whole_file(file);
  } catch (const storage::IoError& error) {
    throw UsageError(error.what());
  }
}

ComponentRegistry make_registry() {
  ComponentRegistry registry;
  register_standard_processors(registry);
  return registry;
}

void print_problem(const Output& output, const flow::Problem& problem) {
  const bool error = problem.severity == Severity::error;
  if (output.json()) {
    nlohmann::ordered_json object = {{"severity", error ? "error" : "warning"},
                                     {"file", problem.file},
                                     {"line", problem.place.line},
                                     {"column", problem.place.column},
                                     {"component", problem.component},
                                     {"message", problem.message}};
    if (!problem.nearest.empty()) object["nearest"] = problem.nearest;
    output.object(object);
    return;
  }
  output.line(output.paint(error ? colour::red : colour::yellow, printable(problem.to_string())));
}

struct Totals {
  std::size_t known = 0, unknown = 0, errors = 0, warnings = 0;
};

// How the engine would be configured: sensitive values need its key.
runtime::EngineConfig configuration(const CommandLine& line) {
  auto config = load_config_option(line.config, false);
  if (!config) throw UsageError("the properties cannot be used");
  return *std::move(config);
}

void check_file(const Output& output, const ComponentRegistry& registry,
                const runtime::EngineConfig& config, const std::string& file, Totals& totals) {
  const std::string text = read_flow_file(file);
  auto read = flow::read_flow(text, file);
  std::vector<flow::Problem> problems;
  if (read) {
    problems = std::move(read->problems);
    flow::CheckResult checked = check_opened(read->flow, config, registry);
    for (auto& problem : checked.problems) problems.push_back(std::move(problem));
    totals.known += checked.known_types;
    totals.unknown += checked.unknown_types;
  } else {
    problems = std::move(read.error());
  }
  std::stable_sort(problems.begin(), problems.end(), [](const auto& a, const auto& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  for (const auto& problem : problems) {
    print_problem(output, problem);
    ++(problem.severity == Severity::error ? totals.errors : totals.warnings);
  }
}

void check(CommandLine& line, const std::vector<std::string>& flow_files) {
  const Output output(line.json);
  const ComponentRegistry registry = make_registry();
  Totals totals;
  const runtime::EngineConfig config = configuration(line);
  for (const std::string& file : flow_files) check_file(output, registry, config, file, totals);
  if (output.json()) {
    output.object({{"known_types", totals.known},
                   {"unknown_types", totals.unknown},
                   {"errors", totals.errors},
                   {"warnings", totals.warnings}});
  } else {
    output.line(fmt::format("{} of known type, {} of unknown type; {}, {}",
                            counted(totals.known, "component"), with_thousands(totals.unknown),
                            counted(totals.errors, "error"), counted(totals.warnings, "warning")));
  }
  if (totals.errors > 0) line.exit_code = kFoundProblem;
}

void format(CommandLine& line, const FormatOptions& options) {
  const std::string text = read_flow_file(options.file);
  const auto read = flow::read_flow(text, options.file);
  const auto& problems = read ? read->problems : read.error();
  for (const auto& problem : problems) fmt::print(stderr, "{}\n", problem.to_string());
  if (!read) {
    line.exit_code = kFoundProblem;
    return;
  }
  flow::Flow flow = read->flow;
  if (options.encrypt) {
    const flow::SensitiveValues sensitive = sensitive_values(configuration(line));
    if (!sensitive.has_key()) {
      throw UsageError(
          "--encrypt needs a key: nifi.sensitive.props.key in the properties file, or "
          "WEIR_SENSITIVE_PROPS_KEY in the environment");
    }
    flow = flow::seal_values(std::move(flow), sensitive, make_registry());
  }
  std::string formatted = options.nifi ? flow::write_nifi_flow(flow) : flow::write_short_flow(flow);
  if (!formatted.ends_with('\n')) formatted += '\n';
  if (options.write) {
    if (formatted != text) storage::real_file_system().replace_small(options.file, formatted);
  } else {
    fmt::print("{}", formatted);
  }
}

}  // namespace

void add_flow_command(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand("flow", "Flow files")->require_subcommand(1);

  CLI::App& check_command = *command.add_subcommand(
      "check", "Names everything that is wrong in flow files, with line and column");
  const auto flow_files = std::make_shared<std::vector<std::string>>();
  check_command.add_option("FLOW", *flow_files)->required();
  add_repository_options(check_command, line);
  check_command.callback([&line, flow_files] { check(line, *flow_files); });

  CLI::App& format_command =
      *command.add_subcommand("fmt", "Prints a flow in the short form, always laid out alike");
  const auto options = std::make_shared<FormatOptions>();
  format_command.add_option("FLOW", options->file)->required();
  format_command.add_flag("--nifi", options->nifi, "As NiFi's flow.json instead");
  format_command.add_flag("-w,--write", options->write, "Write it to the file, not print it");
  format_command.add_flag("--encrypt", options->encrypt, "Encrypt sensitive values");
  add_config_option(format_command, line.config);
  format_command.callback([&line, options] { format(line, *options); });

  add_flow_test_command(command, line);

  CLI::App& schema_command = *command.add_subcommand(
      "schema", "JSON Schema of the short form with all known components, for editors");
  schema_command.callback([] { fmt::print("{}\n", flow::flow_schema(make_registry())); });
}

}  // namespace weir::tools
