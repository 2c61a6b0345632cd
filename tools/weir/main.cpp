#include <CLI/CLI.hpp>
#include <map>

#include "tools/common/allocator.h"
#include "tools/common/exit_code.h"
#include "tools/weir/run_command.h"

int main(int argc, char** argv) {
  weir::tools::tune_allocator();
  using weir::LogLevel;
  CLI::App app{"weir runs a dataflow of NiFi's kind as one native process.", "weir"};
  app.set_version_flag("--version", "weir " WEIR_VERSION);
  app.require_subcommand(1);

  weir::tools::RunOptions options;
  CLI::App& run = *app.add_subcommand(
      "run",
      "Runs a flow until SIGINT or SIGTERM asks it to stop. Its queues and provenance are "
      "kept in repositories on disk, and the next run goes on from there.");
  run.add_option("FLOW", options.flow_file,
                 "Flow file: NiFi's flow.json(.gz), an exported process group, or the short form")
      ->required();
  weir::tools::add_config_option(run, options.config);
  const std::map<std::string, LogLevel> levels = {
      {"trace", LogLevel::trace}, {"debug", LogLevel::debug}, {"info", LogLevel::info},
      {"warn", LogLevel::warn},   {"error", LogLevel::error}, {"none", LogLevel::none}};
  run.add_option("--log-level", options.log_level, "trace, debug, info, warn, error or none")
      ->transform(CLI::CheckedTransformer(levels, CLI::ignore_case))
      ->type_name("LEVEL");
  run.footer(
      "Exit codes: 0 stopped as asked, 1 a repository could not be used or a second signal ended "
      "it, 2 wrong command line, flow or properties file.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? weir::tools::kDone : weir::tools::kWrongUsage;
  }
  return weir::tools::run_flow(options);
}
