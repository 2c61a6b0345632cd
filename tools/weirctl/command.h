#pragma once

#include <stdexcept>
#include <string>

#include "tools/common/config_option.h"
#include "tools/common/exit_code.h"

namespace CLI {
class App;
}

namespace weir::tools {

// What the commands have in common. Outlives the parsing of the command line; each command puts
// the program's exit code here.
struct CommandLine {
  ConfigOption config;
  bool json = false;
  int exit_code = kDone;
};

// The arguments cannot be used: the program ends with kWrongUsage and this sentence.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void add_json_option(CLI::App& command, CommandLine& line);
// --json, and where the repositories are.
void add_repository_options(CLI::App& command, CommandLine& line);

// Each adds one command with its subcommands.
void add_provenance_command(CLI::App& app, CommandLine& line);
void add_lineage_command(CLI::App& provenance, CommandLine& line);
void add_queue_command(CLI::App& app, CommandLine& line);
void add_flow_command(CLI::App& app, CommandLine& line);
void add_flow_test_command(CLI::App& flow, CommandLine& line);
void add_repo_command(CLI::App& app, CommandLine& line);
void add_processors_command(CLI::App& app, CommandLine& line);

}  // namespace weir::tools
