#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace weir::processors::kafka {

// A thread that does something again and again, with a pause between.
class Ticker {
 public:
  // `pause_first`: the first time comes after a pause as well.
  Ticker(std::chrono::milliseconds pause, bool pause_first, std::function<void()> action)
      : pause_(pause),
        pause_first_(pause_first),
        action_(std::move(action)),
        thread_([this] { run(); }) {}
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      ended_.notify_all();
    }
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void run() {
    if (!pause_first_) action_();
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, pause_, [this] { return ending_; })) {
      lock.unlock();
      action_();
      lock.lock();
    }
  }

  const std::chrono::milliseconds pause_;
  const bool pause_first_;
  const std::function<void()> action_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;  // guarded by it
  std::thread thread_;
};

}  // namespace weir::processors::kafka
