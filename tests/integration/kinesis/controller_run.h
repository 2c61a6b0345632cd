#pragma once

#include <memory>
#include <string>

#include "engine/api/registry.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/flow_controller.h"
#include "repositories/storage/fault_file_system.h"

namespace weir::kinesis_testing {

// An engine within the test program, so that the test can stop and start single components and
// let its disk fail. Its repositories are in memory.
class ControllerRun {
 public:
  explicit ControllerRun(const std::string& flow);  // as JSON
  ~ControllerRun();

  runtime::FlowController& controller() { return *controller_; }
  storage::FaultFileSystem& files() { return files_; }
  std::string id(const std::string& name) const;
  runtime::ComponentStatus status(const std::string& name) const;
  std::string bulletins() const;  // a line each

 private:
  storage::FaultFileSystem files_;
  ComponentRegistry registry_;
  std::unique_ptr<runtime::Executor> executor_;
  std::unique_ptr<runtime::FlowController> controller_;
};

}  // namespace weir::kinesis_testing
