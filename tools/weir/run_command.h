#pragma once

#include <string>

#include "engine/api/component.h"
#include "tools/common/config_option.h"

namespace weir::tools {

struct RunOptions {
  std::string flow_file;
  ConfigOption config;
  LogLevel log_level = LogLevel::info;
};

// `weir run`: runs the flow until a signal asks it to stop. Returns the program's exit code.
int run_flow(const RunOptions& options);

}  // namespace weir::tools
