#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/api/registry.h"
#include "engine/flow/read.h"
#include "engine/runtime/flow_controller.h"
#include "engine/runtime/simulation.h"
#include "repositories/storage/fault_file_system.h"

namespace weir::runtime::testing {

// What the processors of the tests do and note down. One object a test.
struct Notes {
  std::mutex mutex;
  std::vector<std::string> seen;  // contents, or a name, in order
  std::atomic<int> to_generate{0};
  std::atomic<int> generated{0};
  std::function<void(ProcessContext&, ProcessSession&)> trigger;  // of "Custom" and its like
  std::function<void(ProcessContext&, ProcessSessionFactory&)> trigger_with;  // of "Keeper"
  std::function<void(ProcessContext&)> on_scheduled;
  std::function<void(ProcessContext&)> on_unscheduled;
  std::function<void(ProcessContext&)> on_stopped;
  std::function<void(ComponentContext&)> on_enabled;  // of "TestService"
  std::function<void(ComponentContext&)> on_disabled;
  std::atomic<int> scheduled{0};
  std::atomic<int> stopped{0};
};

// Types: Source (makes numbered FlowFiles while `to_generate` lasts, ten a trigger), Pass
// (success), Sink (notes the content, drops), Custom (what `trigger` says; a, b) and as Custom:
// Valued ("Text", "Secret" and, if any, "Service"), Batch (supports batching), Blocking,
// AnyDestination, Keeper (manages its sessions), ServiceUser (property "Service" names a
// TestService). A TestService may name another one by "Uses".
void register_test_processors(ComponentRegistry& registry, Notes& notes);

// An engine over the fault-injecting file system, in simulated time.
class Engine {
 public:
  explicit Engine(std::uint64_t seed = 1);

  // Reads the short form and loads it; fails the test on problems with the file as a whole.
  std::vector<flow::Problem> load(const std::string& flow_text);
  void start();  // opens the controller where needed, loads `flow_text`, starts
  // The process dies and another one starts on what is left.
  void kill_and_open();
  void open();
  void close() { controller.reset(); }

  std::uint64_t queued(const std::string& connection_name) const;
  std::vector<std::string> messages() const;  // of all bulletins
  // Lets simulated time pass until `done`, at most this long.
  bool run_until(const std::function<bool()>& done,
                 std::chrono::milliseconds most = std::chrono::seconds(60)) {
    return simulation.wait_until(done, most);
  }
  ComponentStatus component(const std::string& name) const;

  storage::FaultFileSystem files;
  Simulation simulation;
  EngineConfig config;
  std::map<std::string, std::string> variables;  // of the process
  ComponentRegistry registry;
  Notes notes;
  std::unique_ptr<FlowController> controller;
  std::string flow_text;
};

}  // namespace weir::runtime::testing
