#pragma once

#include <chrono>
#include <string>

#include "engine/runtime/flow_controller.h"

namespace weir::tools {

// Puts the engine's state into one line, with rates since the line before. Not thread safe.
class Progress {
 public:
  // True where something moved since the last call of `line`.
  bool changed(const runtime::EngineStatus& status, std::size_t bulletins) const;
  std::string line(const runtime::EngineStatus& status, std::size_t bulletins,
                   std::int64_t steady_ns);

 private:
  std::uint64_t hops_ = 0;
  std::uint64_t queued_ = 0;
  std::size_t bulletins_ = 0;
  std::int64_t at_ns_ = 0;
};

}  // namespace weir::tools
