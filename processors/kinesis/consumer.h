#pragma once

#include <functional>
#include <memory>

#include "processors/kinesis/bridge_server.h"
#include "processors/kinesis/daemon.h"
#include "processors/kinesis/record_buffer.h"

namespace weir::processors::kinesis {

// One running consumer: the thread that serves the bridges and keeps the daemon, and the buffer
// between them and the processor's tasks.
class Consumer {
 public:
  struct Settings {
    KclDaemon::Settings daemon;  // `directory` and the bridge's properties are filled in here
    // Called once, before the daemon starts, when its folder stands: fills in what depends on it.
    std::function<void(KclDaemon::Settings&)> complete = {};
    CheckpointRules checkpoints = {};
    BatchingRules batching = {};
    std::uint64_t max_bytes = 0;
    std::chrono::milliseconds stop_grace{0};
  };

  // Throws where its folder or socket cannot be made.
  Consumer(Settings settings, Clock& clock, ComponentLog& log);
  ~Consumer();  // kills what still runs

  RecordBuffer& buffer();
  // The processor was asked to stop: nobody waits for records any more.
  void close();
  // After the last task: checkpoints what is committed, and ends the daemon. Blocks up to the
  // grace time.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir::processors::kinesis
