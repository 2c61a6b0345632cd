#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/api/environment.h"
#include "engine/api/registry.h"
#include "engine/flow/flow.h"
#include "engine/runtime/engine_config.h"
#include "repositories/storage/file_system.h"

namespace weir::runtime {

class Executor;

// Told of what sessions commit, a call for each FlowFile that takes a relationship (a clone for a
// further connection has none of its own). Called within the commit: it may read contents, and
// nothing else of the engine.
class RouteObserver {
 public:
  virtual ~RouteObserver() = default;
  virtual void routed(const std::string& component_id, const std::string& relationship,
                      const flowfile::FlowFilePtr& flow_file) = 0;
};

// Everything from outside that an engine needs. References outlive the controller.
struct Environment {
  storage::FileSystem& files;
  Clock& clock;
  Random& random;
  Executor& executor;
  RouteObserver* routes = nullptr;                    // for flow tests
  std::map<std::string, std::string> variables = {};  // the process's, for parameters
};

struct Bulletin {
  std::uint64_t number = 0;
  std::int64_t time_ms = 0;
  LogLevel level = LogLevel::warn;
  std::string component_id;
  std::string component_name;
  std::string message;
};

struct ConnectionStatus {
  std::string id;
  std::string name;  // "source -> destination"
  std::uint64_t queued_count = 0;
  std::uint64_t queued_bytes = 0;
  std::uint64_t in_count = 0;
  std::uint64_t out_count = 0;
  bool full = false;
};

struct ComponentStatus {
  enum class State { stopped, running, stopping, invalid, disabled };
  std::string id;
  std::string name;
  std::string type;
  State state = State::stopped;
  int active_tasks = 0;
  std::uint64_t triggers = 0;
  std::uint64_t flow_files_in = 0;
  std::uint64_t flow_files_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t failures = 0;                    // triggers that ended in an exception
  std::vector<std::string> relationships;        // of a processor
  std::map<std::string, std::int64_t> counters;  // what committed sessions added up, by name
};

struct EngineStatus {
  std::vector<ComponentStatus> components;
  std::vector<ConnectionStatus> connections;
  std::uint64_t queued_count = 0;
  std::uint64_t queued_bytes = 0;
  std::uint64_t commits = 0;
  std::uint64_t hops = 0;  // FlowFiles through a component, summed
};

// Owns the flow, the repositories and the components; starts and stops them. Methods are called
// from one thread, except `status`, `bulletins` and `queue_is_empty`, which any may call.
//
// Life: construct (opens and recovers the repositories; storage::RefusedError where one cannot
// be used), `load`, `start`, then `stop` or `stop_at_once`.
class FlowController {
 public:
  FlowController(const EngineConfig& config, const ComponentRegistry& registry,
                 Environment environment);
  ~FlowController();  // stops at once where `stop` was not called; waits as `close`, for a while
  FlowController(const FlowController&) = delete;
  FlowController& operator=(const FlowController&) = delete;

  // Builds the flow and hands the recovered FlowFiles to its connections. Components with
  // problems stay invalid; the others can run. FlowFiles whose connection is not in the flow are
  // kept in the repositories and reported. Called once. Returns what was found wrong.
  std::vector<flow::Problem> load(const flow::Flow& flow);

  // Takes over the values of parameters from `flow`, which must else be the flow that was loaded:
  // the components that use a value which changed stop, and start again with the new one, as do
  // those that use a controller service which uses it; queues keep their FlowFiles. Also asks
  // parameter providers, files and variables again. Returns what is wrong now; where the flows
  // differ otherwise, that is one problem and nothing is changed.
  std::vector<flow::Problem> update_parameters(const flow::Flow& flow);

  // Starts controller services, then every component that the flow wants running and that is
  // valid.
  void start();
  // Sources stop, what is queued drains for at most `drain`, then everything stops, and a
  // checkpoint makes the next start fast. True where all queues were empty at the end.
  bool stop(std::chrono::milliseconds drain);
  // Ends triggers where they are and closes: what a killed process leaves, minus the kill.
  void stop_at_once();
  // After a stop: waits until terminated triggers have returned. False where one does not: whoever
  // needs an end of the process then calls for it, since what the trigger refers to must stay.
  bool close(std::chrono::milliseconds most);

  // One component; `terminate` gives up on triggers that do not return: their sessions are
  // rolled back and can commit nothing any more.
  bool start_component(const std::string& id);
  bool stop_component(const std::string& id, std::chrono::milliseconds wait);
  void terminate_component(const std::string& id);

  EngineStatus status() const;
  std::vector<Bulletin> bulletins(std::uint64_t after = 0) const;  // at most the last 1000
  // What start-up and recovery could go on after.
  std::vector<storage::Finding> findings() const;

  // For tests and the simulation.
  flowfile::FlowFileRepository& flow_files();
  content::ContentRepository& contents();
  provenance::ProvenanceRepository& provenance();
  // For flow tests: puts a FlowFile into a connection, with a commit of its own whose component
  // is called "flow test".
  void inject(const std::string& connection_id,
              std::span<const flowfile::Attributes::Entry> attributes, std::string_view content);
  // The same as if a component had made it and sent it on by one of its relationships.
  void inject_from(const std::string& component_id, std::string_view relationship,
                   std::span<const flowfile::Attributes::Entry> attributes,
                   std::string_view content);
  // Runs the periodic work (flush, checkpoint, retention, expiration) once, now.
  void maintain(bool force_checkpoint);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::runtime
