#include "tools/common/config_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "repositories/storage/error.h"

namespace weir::tools {

void add_config_option(CLI::App& command, ConfigOption& option) {
  command.add_option("-c,--config", option.file, "Properties file (default: built-in defaults)")
      ->type_name("FILE");
  command
      .add_option("--data", option.data_directory,
                  "Folder below which relative folders of the repositories are "
                  "(default: the working directory)")
      ->type_name("DIR");
  command.add_option("--set", option.settings, "Set one key, over what the properties file says")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

std::string read_whole_file(const std::string& path) {
  const auto file = storage::real_file_system().open_read(path);
  std::string content;
  // A pipe has no size, so the file is read to its end whatever its size is said to be.
  constexpr std::size_t kPieceBytes = 1 << 16;
  for (;;) {
    const std::size_t at = content.size();
    content.resize(at + kPieceBytes);
    const std::size_t got =
        file->read_at(at, std::as_writable_bytes(std::span(content.data() + at, kPieceBytes)));
    content.resize(at + got);
    if (got == 0) return content;
  }
}

std::optional<runtime::EngineConfig> load_config_option(const ConfigOption& option,
                                                        bool show_warnings) {
  bool failed = false;
  std::vector<std::pair<std::string, std::string>> overrides;
  // A secret on a command line shows in the list of processes.
  if (const char* key = std::getenv("WEIR_SENSITIVE_PROPS_KEY"); key && *key) {
    overrides.emplace_back("nifi.sensitive.props.key", key);
  }
  for (const std::string& setting : option.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      fmt::print(stderr, "error: --set {}: must be KEY=VALUE\n", setting);
      failed = true;
      continue;
    }
    overrides.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  std::string text;
  if (!option.file.empty()) {
    try {
      text = read_whole_file(option.file);
    } catch (const storage::IoError& error) {
      fmt::print(stderr, "error: {}\n", error.what());
      failed = true;
    }
  }
  auto loaded = runtime::load_config(text, option.file, option.data_directory, overrides);
  for (const auto& problem : loaded ? loaded->problems : loaded.error()) {
    if (problem.error || show_warnings) fmt::print(stderr, "{}\n", problem.to_string());
  }
  if (failed || !loaded) return std::nullopt;
  return std::move(loaded->config);
}

}  // namespace weir::tools
