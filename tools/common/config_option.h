#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runtime/engine_config.h"

namespace CLI {
class App;
}

namespace weir::tools {

// How a command line says where the repositories are: alike for the engine and weirctl.
struct ConfigOption {
  std::string file;                   // -c
  std::string data_directory;         // --data
  std::vector<std::string> settings;  // --set KEY=VALUE
};

void add_config_option(CLI::App& command, ConfigOption& option);

// Prints every problem with its place on standard error (warnings as well where `show_warnings`).
// nullopt: at least one is an error.
std::optional<runtime::EngineConfig> load_config_option(const ConfigOption& option,
                                                        bool show_warnings);

// The whole file. Throws storage::IoError.
std::string read_whole_file(const std::string& path);

}  // namespace weir::tools
