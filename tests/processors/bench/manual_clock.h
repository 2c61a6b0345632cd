#pragma once

#include <atomic>
#include <chrono>

#include "engine/api/environment.h"

namespace weir::bench {

// Stands still until it is told to go on. Thread safe.
class ManualClock : public Clock {
 public:
  std::int64_t now_ms() const override { return steady_ns() / 1'000'000; }
  std::int64_t steady_ns() const override { return ns_; }
  void advance(std::chrono::nanoseconds by) { ns_ += by.count(); }

 private:
  std::atomic<std::int64_t> ns_{1'000'000'000'000'000};
};

}  // namespace weir::bench
