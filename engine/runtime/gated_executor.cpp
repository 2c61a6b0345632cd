#include "engine/runtime/gated_executor.h"

namespace weir::runtime {

GatedExecutor::GatedExecutor(Executor& executor) : executor_(executor) {}

Executor::Task GatedExecutor::guarded(Task task) const {
  return [gate = gate_, task = std::move(task)] {
    {
      const std::lock_guard lock(gate->mutex);
      if (gate->closed) return;
      ++gate->inside;
    }
    struct Leave {
      Gate& gate;
      ~Leave() {
        const std::lock_guard lock(gate.mutex);
        if (--gate.inside == 0 && gate.closed) gate.left.notify_all();
      }
    } leave{*gate};
    task();
  };
}

void GatedExecutor::post(Task task) {
  executor_.post(guarded(std::move(task)));
}

void GatedExecutor::post_blocking(Task task) {
  executor_.post_blocking(guarded(std::move(task)));
}

std::unique_ptr<Executor::Timer> GatedExecutor::post_after(std::chrono::nanoseconds delay,
                                                           Task task) {
  return executor_.post_after(delay, guarded(std::move(task)));
}

bool GatedExecutor::wait_until(const std::function<bool()>& done, std::chrono::milliseconds most) {
  return executor_.wait_until(done, most);
}

bool GatedExecutor::close(std::chrono::milliseconds most) {
  std::unique_lock lock(gate_->mutex);
  gate_->closed = true;
  return gate_->left.wait_for(lock, most, [this] { return gate_->inside == 0; });
}

}  // namespace weir::runtime
