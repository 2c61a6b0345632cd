#include "processors/kafka/mirror/mirror.h"

#include "processors/kafka/mirror/mirror_run.h"

namespace weir::processors::kafka {

Mirror::Mirror(MirrorSettings settings, MirrorListener& listener, Clock& clock, ComponentLog& log)
    : settings_(std::move(settings)),
      listener_(listener),
      clock_(clock),
      log_(log),
      patience_(settings_, clock_),
      thread_([this] { run(); }) {}

Mirror::~Mirror() {
  stop();
}

void Mirror::stop() {
  {
    const std::lock_guard lock(mutex_);
    patience_.end();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Mirror::run() {
  while (!patience_.is_ending()) {
    try {
      MirrorRun run(settings_, memory_, patience_, listener_, clock_, log_);
      run.run();
      return;
    } catch (const MirrorRestart& error) {
      log_.info("The mirror begins anew: {}", error.what());
      continue;
    } catch (const MirrorFenced& error) {
      listener_.noted(MirrorNote::fenced, error.what());
      return;
    } catch (const KafkaError& error) {
      listener_.noted(MirrorNote::unavailable, error.what());
    } catch (const ProcessException& error) {
      listener_.noted(MirrorNote::unavailable, error.what());
    }
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, settings_.retry_interval, [this] { return patience_.is_ending(); });
  }
}

}  // namespace weir::processors::kafka
