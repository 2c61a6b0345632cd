#pragma once

#include <chrono>
#include <string>

#include "engine/runtime/flow_controller.h"

namespace weir::tools {

// Puts the engine's state into one line, with rates since the update before. Not thread safe.
class Progress {
 public:
  explicit Progress(std::int64_t steady_ns) : at_ns_(steady_ns) {}

  // True where something moved since the last call.
  bool update(const runtime::EngineStatus& status, std::size_t bulletins, std::int64_t steady_ns);
  const std::string& line() const { return line_; }

 private:
  std::uint64_t hops_ = 0;
  std::uint64_t queued_ = 0;
  std::size_t bulletins_ = 0;
  std::int64_t at_ns_;
  std::string line_;
};

}  // namespace weir::tools
