#include "engine/runtime/maintenance.h"

namespace weir::runtime {

namespace {

constexpr std::chrono::seconds kExpirationInterval{30};

}  // namespace

Maintenance::Maintenance(Services& services, BuiltFlow& flow)
    : services_(services), flow_(flow), log_(services.bulletins, "", "engine", LogLevel::warn) {}

Maintenance::~Maintenance() {
  stop();
}

void Maintenance::guarded(const char* what, const std::function<void()>& work) {
  try {
    work();
  } catch (const storage::StorageError& error) {
    log_.error("{} failed: {}", what, error.what());
  }
}

void Maintenance::arm(std::chrono::milliseconds interval, std::unique_ptr<Executor::Timer>& timer,
                      void (Maintenance::*work)()) {
  const std::lock_guard lock(timers_mutex_);
  if (stopped_) return;
  timer = services_.executor.post_after(interval, [this, interval, &timer, work] {
    // Syncing and writing snapshots wait for the disk: not on the processors' threads.
    services_.executor.post_blocking([this, interval, &timer, work] {
      {
        const std::lock_guard running(running_);
        const std::lock_guard timers(timers_mutex_);
        if (stopped_) return;
      }
      (this->*work)();
      arm(interval, timer, work);
    });
  });
}

void Maintenance::start() {
  {
    const std::lock_guard lock(timers_mutex_);
    stopped_ = false;
  }
  arm(services_.config.flow_files.flush_interval, flush_timer_, &Maintenance::flush);
  arm(services_.config.flow_files.checkpoint_interval, checkpoint_timer_, &Maintenance::checkpoint);
  for (const auto& [id, queue] : flow_.queues) {
    if (!queue->expires()) continue;
    arm(kExpirationInterval, expire_timer_, &Maintenance::expire);
    break;
  }
}

void Maintenance::stop() {
  {
    const std::lock_guard lock(timers_mutex_);
    stopped_ = true;
    flush_timer_.reset();
    checkpoint_timer_.reset();
    expire_timer_.reset();
  }
  const std::lock_guard running(running_);
}

void Maintenance::flush() {
  const std::lock_guard running(running_);
  guarded("Flushing the FlowFile repository", [this] {
    if (!services_.config.flow_files.always_sync) services_.flow_files->flush();
  });
  guarded("Flushing provenance", [this] { services_.provenance->flush(); });
}

void Maintenance::checkpoint() {
  const std::lock_guard running(running_);
  guarded("The checkpoint", [this] {
    services_.flow_files->checkpoint(services_.provenance->durable_sequence(), false);
  });
  guarded("Provenance retention", [this] { services_.provenance->maintain(); });
}

void Maintenance::expire() {
  const std::lock_guard running(running_);
  for (const auto& [id, queue] : flow_.queues) {
    if (!queue->expires() || queue->count() == 0) continue;
    SessionOwner owner(services_, {queue->id(), queue->name(), "Connection"});
    owner.incoming.push_back(queue.get());
    owner.log = &log_;
    guarded("Expiration", [&] {
      Session session(owner);
      for (bool more = true; more;) {
        session.get([](const flowfile::FlowFileRecord&) { return FilterDecision::reject; });
        more = session.entry_count() > 0;
        session.commit();
      }
    });
  }
}

void Maintenance::run(bool force_checkpoint) {
  expire();
  const std::lock_guard running(running_);
  guarded("Flushing the FlowFile repository", [this] { services_.flow_files->flush(); });
  guarded("Flushing provenance", [this] { services_.provenance->flush(); });
  guarded("The checkpoint", [&] {
    services_.flow_files->checkpoint(services_.provenance->durable_sequence(), force_checkpoint);
  });
  guarded("Provenance retention", [this] { services_.provenance->maintain(); });
}

}  // namespace weir::runtime
