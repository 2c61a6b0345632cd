#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/api/component.h"
#include "processors/kinesis/installation.h"

namespace boost::asio {
class io_context;
}

namespace weir::processors::kinesis {

// Keeps one MultiLangDaemon of the KCL alive.
//
//  - Writes its properties and log configuration into the run's folder (mode 0600), with links to
//    the jars and the bridge: `executableName` is set here, since the KCL divides it at blanks.
//    Secrets reach it by its environment only, which holds nothing of the engine's but what
//    inherited_environment lists.
//  - Starts it in a process group of its own; it is killed by the kernel when the engine dies, and
//    the group with it when it ends in whatever way.
//  - Its log goes to the component's log: levels kept, the same thing said once a minute, causes
//    that a user can act upon (stream missing, credentials wrong, endpoint down, table throttled)
//    in one sentence of their own.
//  - When it ends by itself it is started again, after a time that grows from 1 s to 60 s and
//    starts anew once it has run for a minute.
//  - Asked to stop, the KCL checkpoints, releases its lock, and then sleeps out the failover time:
//    that sleep is cut short (not where it publishes metrics, whose last ones come behind it).
//
// Everything happens on the thread that runs `io`, which must live as long as the daemon: the
// kernel takes the thread's end for the engine's.
class KclDaemon {
 public:
  struct Settings {
    Installation installation;
    std::filesystem::path directory;  // the run's own, mode 0700; the daemon's working folder
    std::map<std::string, std::string> properties;  // of the KCL
    // Read before each start: secrets, proxies. Throws ProcessException where they cannot be had,
    // which is reported and tried again.
    std::function<std::map<std::string, std::string>()> environment;
    std::uint64_t heap_bytes = 256ULL << 20;
    std::string stream, region, endpoint;  // for messages
    std::chrono::milliseconds restart_least{1000}, restart_most{60'000};
    std::chrono::milliseconds steady_after{60'000};  // a run that counts as a good one
    // Asked to stop, a daemon without a bridge has nothing to checkpoint: after this time of it, it
    // hangs in calls that fail, and is killed.
    std::chrono::milliseconds alone_enough{5'000};
  };

  KclDaemon(boost::asio::io_context& io, Settings settings, Clock& clock, ComponentLog& log);
  ~KclDaemon();  // kills it

  void start();
  // SIGTERM, and no new start. `ended` is called when it has ended, or was killed after `grace`.
  void stop(std::chrono::milliseconds grace, std::function<void()> ended);
  void kill();

  std::optional<int> process_id() const;
  int starts() const;  // so far

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace weir::processors::kinesis
