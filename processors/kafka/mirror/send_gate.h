#pragma once

#include <condition_variable>
#include <mutex>

namespace weir::processors::kafka {

// Lets threads send, a batch at a time, until somebody shuts it: then nobody is sending.
class SendGate {
 public:
  class Pass {
   public:
    explicit Pass(SendGate& gate) : gate_(gate) { gate_.enter(); }
    ~Pass() { gate_.leave(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    SendGate& gate_;
  };

  // Waits until the last sender has left.
  void shut() {
    std::unique_lock lock(mutex_);
    is_shut_ = true;
    changed_.wait(lock, [this] { return senders_ == 0; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_shut_ = false;
    changed_.notify_all();
  }

 private:
  void enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !is_shut_; });
    ++senders_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --senders_;
    if (senders_ == 0) changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by it.
  bool is_shut_ = false;
  int senders_ = 0;
};

}  // namespace weir::processors::kafka
