#pragma once

#include <map>
#include <mutex>
#include <string>

#include "engine/api/pattern.h"

namespace weir::processors {

// Patterns whose expression depends on the FlowFile, compiled once for each text that comes up.
// Thread safe.
class PatternCache {
 public:
  explicit PatternCache(PatternFlags flags = {}) : flags_(flags) {}

  // Throws ProcessException where it is not a regular expression.
  Pattern get(const std::string& expression);

 private:
  static constexpr std::size_t most = 1024;

  PatternFlags flags_;
  std::mutex mutex_;
  std::map<std::string, Pattern, std::less<>> patterns_;  // guarded by mutex_
};

}  // namespace weir::processors
