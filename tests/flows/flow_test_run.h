#pragma once

#include <map>
#include <memory>
#include <set>

#include "engine/runtime/flow_controller.h"
#include "engine/runtime/simulation.h"
#include "repositories/storage/fault_file_system.h"
#include "tests/flows/flow_test.h"

namespace weir::flows {

// Runs one flow test: an engine in one thread and in simulated time, its repositories in memory,
// the real processors. Files that processors read and write are in a folder of their own, {{dir}}.
class FlowTestRun {
 public:
  FlowTestRun(FlowTest test, std::string file_name, std::uint64_t seed);
  ~FlowTestRun();
  FlowTestRun(const FlowTestRun&) = delete;
  FlowTestRun& operator=(const FlowTestRun&) = delete;

  // "file:line: what was expected and what is there", one a failure; empty: passed.
  std::vector<std::string> run();

 private:
  struct Queued {
    std::string content;
    flowfile::FlowFilePtr record;
  };

  bool open();
  void perform(const Step& step);
  void send(const Step& step);
  void restart();
  void expect_flow_files(const Step& step);
  void expect_provenance(const Step& step);
  void expect_file(const Step& step);
  std::string mismatch(const Queued& found, const FlowFileText& expected) const;
  std::vector<Queued> queued(const std::string& connection_id);
  std::string connection_id(const std::string& name) const;
  std::string component_id(const std::string& name) const;
  void fail(int line, const std::string& what);
  std::string expanded(std::string text) const;

  const FlowTest test_;
  const std::string file_name_;
  std::string folder_;
  std::vector<std::string> failures_;

  storage::FaultFileSystem files_;
  runtime::Simulation simulation_;
  ComponentRegistry registry_;
  runtime::EngineConfig config_;
  flow::Flow flow_;
  std::unique_ptr<runtime::FlowController> controller_;
  std::uint64_t seen_event_id_ = 0;
};

}  // namespace weir::flows
