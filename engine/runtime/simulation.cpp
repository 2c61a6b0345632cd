#include "engine/runtime/simulation.h"

namespace weir::runtime {

class Simulation::SimulatedTimer : public Executor::Timer {
 public:
  explicit SimulatedTimer(std::shared_ptr<TimerState> state) : state_(std::move(state)) {}
  ~SimulatedTimer() override { state_->task = nullptr; }
  void cancel() override { state_->task = nullptr; }

 private:
  std::shared_ptr<TimerState> state_;
};

Simulation::Simulation(std::uint64_t seed, std::int64_t start_ms)
    : random_(seed), start_ms_(start_ms) {}

void Simulation::post(Task task) {
  ready_.push_back(std::move(task));
}
void Simulation::post_blocking(Task task) {
  ready_.push_back(std::move(task));
}

std::unique_ptr<Executor::Timer> Simulation::post_after(std::chrono::nanoseconds delay, Task task) {
  auto state = std::make_shared<TimerState>();
  state->task = std::move(task);
  timers_.emplace(now_ns_ + std::max<std::int64_t>(delay.count(), 0), state);
  return std::make_unique<SimulatedTimer>(std::move(state));
}

bool Simulation::step() {
  if (ready_.empty()) return false;
  const std::size_t chosen = random_() % ready_.size();
  std::swap(ready_[chosen], ready_.back());
  Task task = std::move(ready_.back());
  ready_.pop_back();
  task();
  return true;
}

std::size_t Simulation::run_ready(std::size_t most) {
  std::size_t ran = 0;
  while (ran < most && step()) ++ran;
  return ran;
}

// Time jumps to the earliest timer, whose task becomes ready.
void Simulation::start_next_timer() {
  const auto first = timers_.begin();
  now_ns_ = std::max(now_ns_, first->first);
  const std::shared_ptr<TimerState> state = first->second;
  timers_.erase(first);
  if (!state->task) return;
  ready_.push_back([state] {
    Task task = std::move(state->task);
    state->task = nullptr;
    if (task) task();
  });
}

void Simulation::advance(std::chrono::nanoseconds time) {
  const std::int64_t end_ns = now_ns_ + time.count();
  run_ready();
  while (!timers_.empty() && timers_.begin()->first <= end_ns) {
    start_next_timer();
    run_ready();
  }
  now_ns_ = end_ns;
}

bool Simulation::wait_until(const std::function<bool()>& done, std::chrono::milliseconds most) {
  const std::int64_t end_ns =
      now_ns_ + std::chrono::duration_cast<std::chrono::nanoseconds>(most).count();
  while (!done()) {
    if (step()) continue;
    if (timers_.empty() || timers_.begin()->first > end_ns) {
      now_ns_ = end_ns;
      return done();
    }
    start_next_timer();
  }
  return true;
}

void Simulation::drop_everything() {
  ready_.clear();
  timers_.clear();
}

}  // namespace weir::runtime
