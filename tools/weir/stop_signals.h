#pragma once

#include <chrono>
#include <optional>

namespace weir::tools {

// SIGINT, SIGTERM and SIGHUP (stop), and SIGUSR1 (take over changed values), as something to wait
// for. Made before any other thread, so that all of them leave these signals alone. From then on
// the process ignores SIGPIPE.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  enum class Event { signal, update, notified, timeout };
  // Of one thread. nullopt waits for as long as it takes.
  Event wait(std::optional<std::chrono::milliseconds> most);
  // Ends a `wait`. Any thread.
  void notify();

 private:
  int signals_;
  int notifications_;
};

}  // namespace weir::tools
