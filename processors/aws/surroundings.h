#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace weir::processors::aws {

// Where credentials are looked for beside the flow: the environment and files. Passed in, so that
// a test has its own. Thread safe.
struct Surroundings {
  // Of the environment; nullopt where it is not set or empty.
  std::function<std::optional<std::string>(const std::string& name)> variable;
  // Nullopt where the file is not there, cannot be read, or is too large for a configuration.
  std::function<std::optional<std::string>(const std::filesystem::path&)> read_file;
};

Surroundings process_surroundings();

}  // namespace weir::processors::aws
