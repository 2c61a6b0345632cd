#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "engine/runtime/executor.h"

namespace weir::runtime {

// The executor as the parts of one engine see it. Tasks refer to nodes and queues; after `close`
// none of them begins any more, whatever the executor behind still holds. Thread safe.
class GatedExecutor : public Executor {
 public:
  explicit GatedExecutor(Executor& executor);

  void post(Task task) override;
  void post_blocking(Task task) override;
  std::unique_ptr<Timer> post_after(std::chrono::nanoseconds delay, Task task) override;
  bool wait_until(const std::function<bool()>& done, std::chrono::milliseconds most) override;

  // Waits at most this long for tasks that have begun. False where one of them still runs: what
  // it refers to must not be destroyed.
  bool close(std::chrono::milliseconds most);

 private:
  struct Gate {
    std::mutex mutex;
    std::condition_variable left;
    bool closed = false;
    std::size_t inside = 0;
  };
  Task guarded(Task task) const;

  Executor& executor_;
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
};

}  // namespace weir::runtime
