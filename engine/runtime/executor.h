#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace weir::runtime {

// Runs triggers and timers. Thread safe. Everything posted runs once, in no promised order.
class Executor {
 public:
  using Task = std::function<void()>;

  // Destroying or cancelling it keeps the task from running, unless it has begun.
  class Timer {
   public:
    virtual ~Timer() = default;
    virtual void cancel() = 0;
  };

  virtual ~Executor() = default;
  virtual void post(Task task) = 0;
  // For tasks that wait for the outside world: never holds the others up.
  virtual void post_blocking(Task task) = 0;
  virtual std::unique_ptr<Timer> post_after(std::chrono::nanoseconds delay, Task task) = 0;
  // Waits until `done` says yes, looking again after each task or at least every few
  // milliseconds; false at the deadline. A simulation runs its tasks meanwhile.
  virtual bool wait_until(const std::function<bool()>& done, std::chrono::milliseconds most) = 0;
};

// Threads on Boost.Asio. Starts with `threads`; where all of them are busy for a while and tasks
// wait, more are added up to `most_threads`, so that a trigger which never returns costs one
// thread and not the engine. Destroying it waits for running tasks and drops the others.
std::unique_ptr<Executor> make_thread_executor(unsigned threads, unsigned most_threads);

}  // namespace weir::runtime
