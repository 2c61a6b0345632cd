#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/component.h"

namespace weir::processors::kinesis::test {

// Keeps all that a component says, each as "LEVEL text".
class KeptLines : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view message) override {
    constexpr std::string_view names[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR"};
    const std::lock_guard lock(mutex_);
    lines_.push_back(fmt::format("{} {}", names[static_cast<int>(level)], message));
  }

  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  // Those from INFO on: what a user sees.
  std::vector<std::string> seen() const {
    std::vector<std::string> lines = all();
    std::erase_if(lines, [](const std::string& line) {
      return line.starts_with("DEBUG") || line.starts_with("TRACE");
    });
    return lines;
  }
  bool has(std::string_view words) const { return count(words) > 0; }
  std::size_t count(std::string_view words) const {
    const auto lines = all();
    return static_cast<std::size_t>(std::ranges::count_if(
        lines, [&](const std::string& line) { return line.find(words) != std::string::npos; }));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    lines_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace weir::processors::kinesis::test
