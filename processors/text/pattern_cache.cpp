#include "processors/text/pattern_cache.h"

#include <fmt/format.h>

namespace weir::processors {

Pattern PatternCache::get(const std::string& expression) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = patterns_.find(expression); found != patterns_.end()) {
      return found->second;
    }
  }
  auto compiled = Pattern::compile(expression, flags_);
  if (!compiled) {
    throw ProcessException(fmt::format("\"{}\": {}", expression, compiled.error()));
  }
  const std::scoped_lock lock(mutex_);
  if (patterns_.size() == most) patterns_.clear();
  patterns_.emplace(expression, *compiled);
  return *std::move(compiled);
}

}  // namespace weir::processors
