#include "tests/integration/kinesis/controller_run.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <stdexcept>

#include "engine/flow/read.h"
#include "processors/registry.h"

namespace weir::kinesis_testing {

ControllerRun::ControllerRun(const std::string& flow) {
  spdlog::set_level(spdlog::level::off);  // `bulletins` has what matters
  ::setenv("WEIR_KINESIS_HOME", WEIR_PROGRAMS "/kinesis", 1);
  runtime::EngineConfig config;
  config.flow_files.directory = "/data/flowfile_repository";
  config.contents.containers = {{"default", "/data/content_repository"}};
  config.provenance.directories = {{"default", "/data/provenance_repository"}};
  config.state_directory = "/data/state";
  config.administrative_yield = std::chrono::milliseconds(200);
  register_standard_processors(registry_);
  executor_ = runtime::make_thread_executor(4, 16);
  controller_ = std::make_unique<runtime::FlowController>(
      config, registry_, runtime::Environment{files_, system_clock(), system_random(), *executor_});
  const auto read = flow::read_flow(flow, "flow.json");
  if (!read) throw std::runtime_error(read.error().front().to_string());
  for (const flow::Problem& problem : controller_->load(read->flow)) {
    ADD_FAILURE() << problem.to_string();
  }
}

ControllerRun::~ControllerRun() {
  controller_.reset();
}

runtime::ComponentStatus ControllerRun::status(const std::string& name) const {
  for (auto& component : controller_->status().components) {
    if (component.name == name) return component;
  }
  throw std::runtime_error("no component " + name);
}

std::string ControllerRun::id(const std::string& name) const {
  return status(name).id;
}

std::string ControllerRun::bulletins() const {
  std::string text;
  for (const auto& bulletin : controller_->bulletins()) {
    text += bulletin.component_name + ": " + bulletin.message + "\n";
  }
  return text;
}

}  // namespace weir::kinesis_testing
