#pragma once

#include <map>
#include <memory>
#include <set>

#include "engine/runtime/flow_controller.h"
#include "engine/runtime/simulation.h"
#include "repositories/storage/fault_file_system.h"
#include "tools/flow_test/bounded_clock.h"
#include "tools/flow_test/captures.h"
#include "tools/flow_test/compare.h"
#include "tools/flow_test/flow_under_test.h"
#include "tools/flow_test/run.h"

namespace weir::flow_test {

// One run of one test. run.h is what others use.
class Runner {
 public:
  Runner(const FlowTest& test, std::uint64_t seed);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  TestResult run();

 private:
  bool prepare();
  bool read_flow();
  bool open();
  void resolve_targets();
  void steps();
  void perform(const Step& step);
  void expect(const Step& step);
  void send_one(const Where& where, const FlowFileText& flow_file);
  bool advance(std::chrono::nanoseconds time, int line);
  void run_until_idle(const Step& step);
  void restart();
  void start_or_stop(const Step& step);
  void write_file(const Step& step);

  // run_expect.cpp
  void expect_flow_files(const Step& step);
  void expect_queued(const Step& step);
  void expect_bulletin(const Step& step);
  void expect_provenance(const Step& step);
  void expect_file(const Step& step);
  std::vector<Seen> seen_at(const Step& step);
  std::vector<Seen> waiting(const std::set<std::string>& connections);
  std::size_t count_at(const Step& step);
  std::set<std::string> connections_of(const Where& where) const;
  struct Waiting {
    std::string name;
    std::uint64_t count;
  };
  std::vector<Waiting> waiting_queues(bool only_running) const;
  std::string listed(const std::vector<Waiting>& queues) const;

  void collect_coverage();
  std::string expanded(std::string text) const;
  void fail(int line, std::string message, std::string expected = {}, std::string got = {});
  void fail(const flow::Problem& problem);

  const FlowTest& test_;
  TestResult result_;
  std::string folder_;

  storage::FaultFileSystem files_;
  runtime::Simulation simulation_;
  BoundedClock clock_;
  ComponentRegistry registry_;
  runtime::EngineConfig config_;
  std::unique_ptr<FlowUnderTest> flow_;
  std::map<const Step*, Where> targets_;
  std::map<std::string, std::string> destinations_;  // of connections
  Captures captures_;
  std::unique_ptr<runtime::FlowController> controller_;
  std::uint64_t seen_event_id_ = 0;
};

}  // namespace weir::flow_test
