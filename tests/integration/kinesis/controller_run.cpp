#include "tests/integration/kinesis/controller_run.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <stdexcept>

#include "engine/flow/read.h"
#include "processors/registry.h"

namespace weir::kinesis_testing {

void CommitGate::close(std::string component_id) {
  const std::lock_guard lock(mutex_);
  closed_for_ = std::move(component_id);
  passed_ = next_ticket_;
}

void CommitGate::open() {
  const std::lock_guard lock(mutex_);
  closed_for_.clear();
  changed_.notify_all();
}

void CommitGate::let_one_pass() {
  const std::lock_guard lock(mutex_);
  ++passed_;
  changed_.notify_all();
}

int CommitGate::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void CommitGate::routed(const std::string& component_id, const std::string&,
                        const flowfile::FlowFilePtr&) {
  std::unique_lock lock(mutex_);
  if (closed_for_ != component_id) return;
  const int ticket = next_ticket_++;
  ++waiting_;
  changed_.wait(lock, [&] { return closed_for_.empty() || ticket < passed_; });
  --waiting_;
}

ControllerRun::ControllerRun(const std::string& flow, CommitGate* gate) : gate_(gate) {
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
      config, registry_,
      runtime::Environment{files_, system_clock(), system_random(), *executor_, gate_});
  const auto read = flow::read_flow(flow, "flow.json");
  if (!read) throw std::runtime_error(read.error().front().to_string());
  for (const flow::Problem& problem : controller_->load(read->flow)) {
    ADD_FAILURE() << problem.to_string();
  }
}

ControllerRun::~ControllerRun() {
  if (gate_ != nullptr) gate_->open();
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
