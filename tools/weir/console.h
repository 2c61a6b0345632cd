#pragma once

#include <memory>
#include <string>

#include "engine/api/component.h"

namespace weir::tools {

// The engine's log on standard error, and below it, on a terminal, one line that is drawn anew
// in place. Becomes spdlog's default logger. Thread safe.
class Console {
 public:
  explicit Console(LogLevel level);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  bool on_terminal() const;
  // Empty: takes the line away. Without effect where there is no terminal.
  void show_status(const std::string& line);

 private:
  class Sink;
  std::shared_ptr<Sink> sink_;
};

}  // namespace weir::tools
