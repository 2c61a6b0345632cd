#pragma once

#include <spdlog/common.h>

#include "engine/api/component.h"

namespace weir::runtime {

inline spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
      return spdlog::level::trace;
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::none:
      break;
  }
  return spdlog::level::off;
}

}  // namespace weir::runtime
