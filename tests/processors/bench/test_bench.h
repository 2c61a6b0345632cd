#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/controller_service.h"
#include "engine/api/processor.h"
#include "tests/processors/bench/memory_session.h"

namespace weir::bench {

using Values = std::map<std::string, std::string>;

// Runs one processor without an engine: inputs in, triggers, outputs per relationship. Time
// stands still unless `advance` moves it. Every run checks the compliance that all processors
// owe: each FlowFile transferred or removed, none invented or lost, failed triggers without trace.
//
// Values are prepared as the engine prepares them, expressions included.
class TestBench {
 public:
  explicit TestBench(const ProcessorDefinition& definition, Values properties = {});
  ~TestBench();
  TestBench(const TestBench&) = delete;
  TestBench& operator=(const TestBench&) = delete;

  void set(const std::string& property, std::string value);
  // The enabled controller service that the property names.
  void provide(const std::string& property, std::shared_ptr<ControllerService> service);
  // What keeps the processor from starting: descriptors, dependencies, custom validation.
  std::vector<ValidationProblem> validate() const;

  // Appends a FlowFile to the incoming queue. `filename` defaults to "in-N".
  void enqueue(std::string content, Values attributes = {});
  // Schedules the processor if it is not, and triggers it. An exception out of a trigger rolls
  // back and penalizes, as the engine does, and is kept in `last_error`.
  void run(int triggers = 1);
  // Unscheduled, stopped; sessions that the processor holds open are rolled back.
  void stop();
  void advance(std::chrono::milliseconds time);
  void make_unavailable(std::string relationship);

  std::vector<Output> outputs(const std::string& relationship) const;
  std::size_t count(const std::string& relationship) const;
  std::vector<std::string> relationships() const;  // declared and dynamic
  std::size_t queued() const;                      // with what open sessions hold
  const std::vector<std::string>& events() const;
  const std::vector<std::string>& transit_uris() const;
  std::size_t count_events(std::string_view event) const;
  const std::optional<std::string>& last_error() const;
  bool yielded() const;
  const std::vector<std::string>& messages(LogLevel level) const;
  std::map<std::string, std::string> state() const;
  std::uint64_t content_bytes_stored() const;
  std::string component_id() const;
  void forget_outputs();  // and events and messages

 private:
  class Context;
  class SessionFactory;

  void trigger();

  const ProcessorDefinition& definition_;
  World world_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<SessionFactory> sessions_;
  std::unique_ptr<Processor> processor_;
  bool scheduled_ = false;
  std::uint64_t enqueued_ = 0;
  std::uint64_t forgotten_ = 0;
  std::optional<std::string> last_error_;
};

}  // namespace weir::bench
