#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/tools/program.h"

namespace weir::kafka_testing {

// A flow that runs in a process of its own, with its repositories in a folder that outlives it.
class FlowEngine {
 public:
  explicit FlowEngine(std::string flow);  // as JSON

  void start();
  void stop();               // orderly; fails the test where that takes long
  void kill();               // kill -9
  void pause(bool stopped);  // SIGSTOP, SIGCONT
  bool runs() const { return process_ != nullptr; }
  std::string said() const;  // of this run
  // Another engine on the same flow has another folder.
  const tools::testing::Folder& folder() const { return folder_; }

 private:
  const tools::testing::Folder folder_;
  std::unique_ptr<tools::testing::Program> process_;
};

// From a topic to another one of the same cluster, both processors as told.
struct ForwardingFlow {
  std::string brokers;
  std::string from;
  std::string to;
  std::string group;
  bool exactly_once = false;
  int tasks = 1;
  int session_timeout_ms = 6'000;  // after which a group misses a member that was killed
  std::string strategy = {};       // partition.assignment.strategy; empty: librdkafka's

  std::string json() const;
};

}  // namespace weir::kafka_testing
