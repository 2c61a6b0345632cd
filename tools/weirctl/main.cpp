#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "repositories/storage/error.h"
#include "tools/weirctl/command.h"

namespace weir::tools {

void add_json_option(CLI::App& command, CommandLine& line) {
  command.add_flag("--json", line.json, "One JSON object a line, for programs");
}

void add_repository_options(CLI::App& command, CommandLine& line) {
  add_config_option(command, line.config);
  add_json_option(command, line);
}

}  // namespace weir::tools

int main(int argc, char** argv) {
  using namespace weir::tools;
  CLI::App app{
      "weirctl tells what weir's repositories hold. It reads those of a stopped or running\n"
      "engine and changes nothing in them.",
      "weirctl"};
  app.set_version_flag("--version", "weirctl " WEIR_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 found a problem, 2 wrong usage.");
  CommandLine line;
  add_provenance_command(app, line);
  add_queue_command(app, line);
  add_flow_command(app, line);
  add_repo_command(app, line);
  add_processors_command(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongUsage;
  } catch (const UsageError& error) {
    fmt::print(stderr, "weirctl: {}\n", error.what());
    return kWrongUsage;
  } catch (const weir::storage::StorageError& error) {
    fmt::print(stderr, "weirctl: {}\n", error.what());
    return kFoundProblem;
  }
  return line.exit_code;
}
