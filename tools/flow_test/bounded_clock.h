#pragma once

#include <cstdint>

#include "engine/runtime/simulation.h"

namespace weir::flow_test {

// The simulation's clock, as the engine of a flow test sees it. In a simulation no time passes
// while something runs, so that a flow that feeds itself without a pause would run on for ever
// within one task. Here each look at the clock counts: after many of them a little time has passed
// (tasks come to their ends), and after too many the flow is taken for endless.
class BoundedClock : public Clock {
 public:
  BoundedClock(const runtime::Simulation& simulation, std::uint64_t most_looks)
      : simulation_(simulation), most_looks_(most_looks) {}

  std::int64_t now_ms() const override { return simulation_.now_ms(); }
  std::int64_t steady_ns() const override {
    const std::int64_t now_ns = simulation_.steady_ns();
    if (now_ns != instant_ns_) {
      instant_ns_ = now_ns;
      looks_ = 0;
    }
    ++looks_;
    return now_ns + static_cast<std::int64_t>(looks_ / kLooksPerSlice) * kSliceNs;
  }
  // More looks in one instant than any flow needs that comes to its end.
  bool endless() const { return looks_ > most_looks_; }

 private:
  static constexpr std::uint64_t kLooksPerSlice = 20'000;
  static constexpr std::int64_t kSliceNs = 10'000'000;

  const runtime::Simulation& simulation_;
  const std::uint64_t most_looks_;
  mutable std::int64_t instant_ns_ = -1;
  mutable std::uint64_t looks_ = 0;
};

}  // namespace weir::flow_test
