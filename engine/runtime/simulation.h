#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "engine/api/environment.h"
#include "engine/runtime/executor.h"

namespace weir::runtime {

// A whole engine in one thread: tasks run when the owner says so, in an order drawn from the
// seed, and time passes only when nothing is left to do now. Not thread safe; what runs on it
// must not wait for another thread.
class Simulation : public Executor, public Clock, public Random {
 public:
  explicit Simulation(std::uint64_t seed, std::int64_t start_ms = 1'700'000'000'000);

  // Clock.
  std::int64_t now_ms() const override { return start_ms_ + now_ns_ / 1'000'000; }
  std::int64_t steady_ns() const override { return now_ns_; }
  // Random.
  std::uint64_t next() override { return random_(); }

  // Executor. `wait_until` runs tasks and lets time pass up to its bound.
  void post(Task task) override;
  void post_blocking(Task task) override;
  std::unique_ptr<Timer> post_after(std::chrono::nanoseconds delay, Task task) override;
  bool wait_until(const std::function<bool()>& done, std::chrono::milliseconds most) override;

  // Runs one ready task; false where none is ready now.
  bool step();
  // Runs ready tasks until none is left or `most` have run; returns how many did.
  std::size_t run_ready(std::size_t most = SIZE_MAX);
  // Runs tasks and timers for this much simulated time.
  void advance(std::chrono::nanoseconds time);
  // Forgets every task and timer: the process has died.
  void drop_everything();

 private:
  struct TimerState {
    Task task;
  };
  class SimulatedTimer;

  void start_next_timer();

  std::mt19937_64 random_;
  const std::int64_t start_ms_;
  std::int64_t now_ns_ = 0;
  std::vector<Task> ready_;
  std::multimap<std::int64_t, std::shared_ptr<TimerState>> timers_;
};

}  // namespace weir::runtime
