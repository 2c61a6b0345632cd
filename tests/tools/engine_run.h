#pragma once

#include "tests/tools/program.h"

namespace weir::tools::testing {

// The example flow running in a folder of its own, with its repositories in weir-data.
class EngineRun {
 public:
  std::vector<std::string> arguments(std::vector<std::string> more = {}) const;

  void start(const std::vector<std::string>& more = {});
  // Drops a file in and waits until it was written.
  void pass_file(const std::string& name, const std::string& text);
  // SIGTERM, and what the engine said.
  Result stop();
  void kill();

  Result weirctl(std::vector<std::string> arguments) const;

  const Folder& folder() const { return folder_; }
  Program& engine() { return *engine_; }

 private:
  Folder folder_;
  std::unique_ptr<Program> engine_;
};

}  // namespace weir::tools::testing
