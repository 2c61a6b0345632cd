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
      changed_.notify_all();
    }
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // Without the rest of the pause.
  void hurry() {
    const std::lock_guard lock(mutex_);
    hurries_ = true;
    changed_.notify_all();
  }

 private:
  void run() {
    if (!pause_first_) action_();
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait_for(lock, pause_, [this] { return ending_ || hurries_; });
      if (ending_) return;
      hurries_ = false;
      lock.unlock();
      action_();
      lock.lock();
    }
  }

  const std::chrono::milliseconds pause_;
  const bool pause_first_;
  const std::function<void()> action_;
  std::mutex mutex_;
  // Guarded by it.
  std::condition_variable changed_;
  bool ending_ = false;
  bool hurries_ = false;

  std::thread thread_;
};

}  // namespace weir::processors::kafka
