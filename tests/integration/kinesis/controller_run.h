#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "engine/api/registry.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/flow_controller.h"
#include "repositories/storage/fault_file_system.h"

namespace weir::kinesis_testing {

// Holds commits of one component up while it is closed: each FlowFile that is routed waits, behind
// the journal and before the queue.
class CommitGate : public runtime::RouteObserver {
 public:
  void close(std::string component_id);
  void open();
  void let_one_pass();  // that which has waited longest
  int waiting() const;

  void routed(const std::string& component_id, const std::string& relationship,
              const flowfile::FlowFilePtr& flow_file) override;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string closed_for_;  // empty: open
  int next_ticket_ = 0;
  int passed_ = 0;  // tickets below it may go
  int waiting_ = 0;
};

// An engine within the test program, so that the test can stop and start single components and
// let its disk fail. Its repositories are in memory.
class ControllerRun {
 public:
  explicit ControllerRun(const std::string& flow, CommitGate* gate = nullptr);  // as JSON
  ~ControllerRun();

  runtime::FlowController& controller() { return *controller_; }
  storage::FaultFileSystem& files() { return files_; }
  std::string id(const std::string& name) const;
  runtime::ComponentStatus status(const std::string& name) const;
  std::string bulletins() const;  // a line each

 private:
  CommitGate* const gate_;
  storage::FaultFileSystem files_;
  ComponentRegistry registry_;
  std::unique_ptr<runtime::Executor> executor_;
  std::unique_ptr<runtime::FlowController> controller_;
};

}  // namespace weir::kinesis_testing
