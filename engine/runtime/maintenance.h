#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "engine/runtime/flow_builder.h"

namespace weir::runtime {

// The periodic work of a running engine: the flusher (where commits are not synced), provenance,
// checkpoints, retention, expiration of FlowFiles whose consumer does not look. A failure is a
// bulletin, and the next round tries again.
class Maintenance {
 public:
  Maintenance(Services& services, BuiltFlow& flow);
  ~Maintenance();

  void start();
  void stop();  // returns when no round runs any more
  // One round of everything, on the caller's thread.
  void run(bool force_checkpoint);

 private:
  void arm(std::chrono::milliseconds interval, std::unique_ptr<Executor::Timer>& timer,
           void (Maintenance::*work)());
  void flush();
  void checkpoint();
  void expire();
  void guarded(const char* what, const std::function<void()>& work);

  Services& services_;
  BuiltFlow& flow_;
  BulletinLog log_;
  std::mutex running_;  // held while work is done
  std::mutex timers_mutex_;
  bool stopped_ = true;
  std::unique_ptr<Executor::Timer> flush_timer_;
  std::unique_ptr<Executor::Timer> checkpoint_timer_;
  std::unique_ptr<Executor::Timer> expire_timer_;
};

}  // namespace weir::runtime
