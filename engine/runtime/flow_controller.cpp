#include "engine/runtime/flow_controller.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "engine/flow/check.h"
#include "engine/flow/write.h"
#include "engine/runtime/flow_builder.h"
#include "engine/runtime/flow_copy.h"
#include "engine/runtime/maintenance.h"
#include "engine/runtime/parameter_update.h"

namespace weir::runtime {

namespace {

constexpr std::chrono::seconds kStopWait{30};
// How long the end of an engine waits for terminated triggers to return.
constexpr std::chrono::seconds kCloseWait{10};

class FindingList : public storage::FindingReporter {
 public:
  void report(const storage::Finding& finding) override {
    spdlog::warn("{} at {}: {}", finding.file.string(), finding.offset, finding.what);
    const std::lock_guard lock(mutex_);
    findings_.push_back(finding);
  }
  std::vector<storage::Finding> all() const {
    const std::lock_guard lock(mutex_);
    return findings_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<storage::Finding> findings_;
};

// A FlowFile repository that begins anew numbers its commits and events from one again. What
// provenance holds would then count as told of commits that a loss of power took, and go.
void refuse_foreign_provenance(Services& services) {
  const storage::Path& directory = services.config.flow_files.directory;
  const std::uint64_t last_event_id = services.provenance->statistics().last_event_id;
  if (last_event_id == 0) return;
  storage::FileSystem& files =
      services.config.flow_file_store == EngineConfig::FlowFileStore::rocksdb
          ? storage::real_file_system()  // RocksDB's files are its own
          : services.files;
  if (files.status(directory) && !files.list(directory).empty()) return;
  throw storage::RefusedError(fmt::format(
      "{} is missing or empty, but the provenance repository tells of commits up to event {}: "
      "restore it, or move the provenance repository away as well",
      directory.string(), last_event_id));
}

void open_repositories(Services& services, FindingList& findings) {
  const EngineConfig& config = services.config;
  const auto now_ms = [&clock = services.clock] { return clock.now_ms(); };
  switch (config.content_store) {
    case EngineConfig::ContentStore::file_system:
      services.contents = content::open_file_system_content_repository(
          services.files, config.contents, now_ms, findings);
      break;
    case EngineConfig::ContentStore::volatile_memory:
      services.contents = content::open_volatile_content_repository(config.volatile_content_bytes);
      break;
  }
  switch (config.provenance_store) {
    case EngineConfig::ProvenanceStore::write_ahead:
      services.provenance = provenance::open_provenance_repository(
          services.files, config.provenance, now_ms, findings);
      break;
    case EngineConfig::ProvenanceStore::volatile_memory:
      services.provenance =
          provenance::open_volatile_provenance_repository(config.volatile_provenance_events);
      break;
    case EngineConfig::ProvenanceStore::none:
      services.provenance = provenance::open_volatile_provenance_repository(1);
      break;
  }
  if (config.flow_file_store != EngineConfig::FlowFileStore::volatile_memory) {
    refuse_foreign_provenance(services);
  }
  switch (config.flow_file_store) {
    case EngineConfig::FlowFileStore::write_ahead:
      services.flow_files = flowfile::open_write_ahead_repository(
          services.files, config.flow_files, now_ms, services.random.next(), findings);
      break;
    case EngineConfig::FlowFileStore::rocksdb:
      services.flow_files = flowfile::open_rocksdb_repository(config.flow_files, now_ms, findings);
      break;
    case EngineConfig::FlowFileStore::volatile_memory:
      services.flow_files = flowfile::open_volatile_repository(
          services.provenance->durable_sequence(), services.provenance->statistics().last_event_id);
      break;
  }
  services.states = state::open_state_repository(services.files, config.state_directory,
                                                 services.random.next(), findings);
}

}  // namespace

struct FlowController::Impl {
  Impl(const EngineConfig& config, const ComponentRegistry& component_registry,
       const Environment& environment)
      : registry(component_registry),
        services(config, environment),
        sensitive(config.sensitive_key, config.sensitive_key_is_128
                                            ? flow::SensitiveValues::Algorithm::aes_gcm_128
                                            : flow::SensitiveValues::Algorithm::aes_gcm_256),
        variables(environment.variables),
        controller_services(services) {
    open_repositories(services, findings);
    recovered = services.flow_files->recover(*services.contents);
    for (const storage::Finding& finding : recovered.findings) findings.report(finding);
    services.provenance->discard_after(services.flow_files->last_event_id(),
                                       services.flow_files->last_sequence());
    services.flow_files->replay_events(services.provenance->durable_sequence(),
                                       *services.provenance);
    services.flow_files->set_event_sink(services.provenance.get());
  }

  ~Impl() { services.flow_files->set_event_sink(nullptr); }

  void adopt_queues();
  std::vector<flow::Problem> open_values(flow::Flow& opened) {
    return flow::open_values(opened, {services.files, variables, sensitive});
  }
  void save_flow(const flow::Flow& flow);
  bool stop_nodes(const std::function<bool(const Node&)>& which, std::chrono::milliseconds most);
  std::uint64_t queued() const;

  const ComponentRegistry& registry;
  FindingList findings;
  Services services;
  const flow::SensitiveValues sensitive;
  const std::map<std::string, std::string> variables;
  flowfile::Recovered recovered;
  LoadedFlow loaded;
  ServiceNodes controller_services;
  BuiltFlow flow;
  std::vector<flowfile::RecoveredQueue> orphans;  // of connections that the flow does not have
  std::unique_ptr<Maintenance> maintenance;
  bool closed = false;
};

FlowController::FlowController(const EngineConfig& config, const ComponentRegistry& registry,
                               Environment environment)
    : impl_(std::make_unique<Impl>(config, registry, environment)) {}

bool FlowController::close(std::chrono::milliseconds most) {
  if (!impl_->closed) stop_at_once();
  return impl_->services.executor.close(most);
}

FlowController::~FlowController() {
  if (close(kCloseWait)) return;
  // A trigger that never returns still refers to what is here: it stays, with its locks.
  spdlog::error("A terminated trigger has not returned; its memory cannot be given back");
  (void)impl_.release();
}

// Gives recovered FlowFiles to their connections.
void FlowController::Impl::adopt_queues() {
  for (flowfile::RecoveredQueue& queue : recovered.queues) {
    const auto place = flow.queues.find(queue.connection);
    if (place != flow.queues.end()) {
      place->second->recover(std::move(queue));
      continue;
    }
    std::uint64_t count = queue.flow_files.size();
    for (const auto& file : queue.swap_files) count += file->count;
    findings.report({services.config.flow_files.directory, 0, 0,
                     fmt::format("{} FlowFiles of connection {} are kept: the flow has no such "
                                 "connection",
                                 count, queue.connection)});
    orphans.push_back(std::move(queue));
  }
  services.contents->recovered(recovered.unreadable_records);
  recovered = {};
}

// A copy of what runs, for weirctl: it names queues and components. The flow runs without as well.
void FlowController::Impl::save_flow(const flow::Flow& running) {
  const EngineConfig& config = services.config;
  if (config.flow_copy.empty()) return;
  FlowCopy copy(services.files, services.clock, config.flow_copy,
                config.flow_archive_enabled ? config.flow_archive_directory : storage::Path());
  try {
    copy.save(flow::write_nifi_flow(flow::seal_values(running, sensitive, registry)));
  } catch (const storage::IoError& error) {
    services.bulletins.add(LogLevel::error, "", "engine",
                           fmt::format("The flow cannot be saved: {}", error.what()));
    spdlog::error("The flow cannot be saved: {}", error.what());
  }
}

std::vector<flow::Problem> FlowController::load(const flow::Flow& flow) {
  LoadedFlow& loaded = impl_->loaded;
  loaded.flow = flow;
  std::vector<flow::Problem> problems = impl_->open_values(loaded.flow);
  loaded.parameters = std::make_shared<const flow::ParameterContexts>(loaded.flow);
  flow::CheckResult check = flow::check_flow(loaded.flow, impl_->registry);
  std::set<std::string> invalid;
  for (const flow::Problem& problem : check.problems) {
    if (problem.severity == flow::Problem::Severity::error && !problem.component_id.empty()) {
      invalid.insert(problem.component_id);
    }
  }
  impl_->flow = build_flow(loaded.flow, impl_->registry, loaded.parameters, invalid,
                           impl_->services, impl_->controller_services);
  impl_->adopt_queues();
  impl_->save_flow(loaded.flow);
  impl_->maintenance = std::make_unique<Maintenance>(impl_->services, impl_->flow);
  problems.insert(problems.end(), check.problems.begin(), check.problems.end());
  return problems;
}

std::vector<flow::Problem> FlowController::update_parameters(const flow::Flow& flow) {
  flow::Flow now = flow;
  std::vector<flow::Problem> problems = impl_->open_values(now);
  for (flow::Problem& problem :
       runtime::update_parameters(impl_->loaded, std::move(now), impl_->flow, impl_->registry,
                                  impl_->services, impl_->controller_services)) {
    problems.push_back(std::move(problem));
  }
  impl_->save_flow(impl_->loaded.flow);
  return problems;
}

void FlowController::start() {
  impl_->controller_services.enable_all();
  for (const auto& [id, services] : impl_->flow.uses) {
    Node& node = *impl_->flow.nodes.at(id);
    if (!node.stopped() || node.state() == Node::State::disabled) continue;
    for (const std::string& service : services) {
      if (impl_->controller_services.enabled(service)) continue;
      node.log().error("Cannot run: its controller service {} is not enabled", service);
      node.set_unavailable(Node::State::invalid);
    }
  }
  for (const std::string& id : impl_->flow.wanted) impl_->flow.nodes.at(id)->start();
  impl_->maintenance->start();
}

std::uint64_t FlowController::Impl::queued() const {
  std::uint64_t total = 0;
  for (const auto& [id, queue] : flow.queues) total += queue->count();
  return total;
}

bool FlowController::Impl::stop_nodes(const std::function<bool(const Node&)>& which,
                                      std::chrono::milliseconds most) {
  std::vector<Node*> stopping;
  for (const auto& [id, node] : flow.nodes) {
    if (which(*node)) stopping.push_back(node.get());
  }
  for (Node* node : stopping) node->stop();
  return services.executor.wait_until(
      [&] {
        return std::all_of(stopping.begin(), stopping.end(),
                           [](const Node* node) { return node->stopped(); });
      },
      most);
}

bool FlowController::stop(std::chrono::milliseconds drain) {
  impl_->stop_nodes([](const Node& node) { return node.source; }, drain);
  const bool drained =
      impl_->services.executor.wait_until([this] { return impl_->queued() == 0; }, drain);
  if (!impl_->stop_nodes([](const Node&) { return true; }, kStopWait)) {
    for (const auto& [id, node] : impl_->flow.nodes) {
      if (!node->stopped()) node->terminate();
    }
  }
  impl_->controller_services.disable_all();
  if (impl_->maintenance) {
    impl_->maintenance->stop();
    impl_->maintenance->run(true);
  }
  impl_->closed = true;
  return drained;
}

void FlowController::stop_at_once() {
  if (impl_->maintenance) impl_->maintenance->stop();
  for (const auto& [id, node] : impl_->flow.nodes) node->terminate();
  impl_->controller_services.disable_all();
  impl_->closed = true;
}

bool FlowController::start_component(const std::string& id) {
  const auto place = impl_->flow.nodes.find(id);
  if (place == impl_->flow.nodes.end()) return false;
  place->second->start();
  return place->second->state() == Node::State::running;
}

bool FlowController::stop_component(const std::string& id, std::chrono::milliseconds wait) {
  const auto place = impl_->flow.nodes.find(id);
  if (place == impl_->flow.nodes.end()) return false;
  Node& node = *place->second;
  node.stop();
  return impl_->services.executor.wait_until([&node] { return node.stopped(); }, wait);
}

void FlowController::terminate_component(const std::string& id) {
  const auto place = impl_->flow.nodes.find(id);
  if (place != impl_->flow.nodes.end()) place->second->terminate();
}

EngineStatus FlowController::status() const {
  EngineStatus status;
  for (const auto& [id, node] : impl_->flow.nodes) status.components.push_back(node->status());
  for (const auto& [id, queue] : impl_->flow.queues) {
    status.connections.push_back({id, queue->name(), queue->count(), queue->bytes(),
                                  queue->put_total(), queue->acknowledged_total(), queue->full()});
    status.queued_count += queue->count();
    status.queued_bytes += queue->bytes();
  }
  status.commits = impl_->services.flow_files->statistics().commits;
  status.hops = impl_->services.hops.load();
  return status;
}

std::vector<Bulletin> FlowController::bulletins(std::uint64_t after) const {
  return impl_->services.bulletins.after(after);
}

std::vector<storage::Finding> FlowController::findings() const {
  return impl_->findings.all();
}

flowfile::FlowFileRepository& FlowController::flow_files() {
  return *impl_->services.flow_files;
}
content::ContentRepository& FlowController::contents() {
  return *impl_->services.contents;
}
provenance::ProvenanceRepository& FlowController::provenance() {
  return *impl_->services.provenance;
}

namespace {

void inject_one(SessionOwner& owner, std::string_view relationship,
                std::span<const flowfile::Attributes::Entry> attributes, std::string_view content) {
  Session session(owner);
  const FlowFile flow_file = session.create();
  session.put_attributes(flow_file, attributes);
  if (!content.empty()) {
    session.write(flow_file, [&](OutputStream& out) { out.write(content); });
  }
  session.transfer(flow_file, relationship);
  session.commit();
}

}  // namespace

void FlowController::inject(const std::string& connection_id,
                            std::span<const flowfile::Attributes::Entry> attributes,
                            std::string_view content) {
  BulletinLog log(impl_->services.bulletins, "", "flow test", LogLevel::warn);
  SessionOwner owner(impl_->services, {"flow test", "flow test", "flow test"});
  owner.log = &log;
  owner.routes.push_back({"success", {impl_->flow.queues.at(connection_id).get()}, false, false});
  inject_one(owner, "success", attributes, content);
}

void FlowController::inject_from(const std::string& component_id, std::string_view relationship,
                                 std::span<const flowfile::Attributes::Entry> attributes,
                                 std::string_view content) {
  Node& node = *impl_->flow.nodes.at(component_id);
  SessionOwner owner(impl_->services, node.owner.component);
  owner.log = &node.log();
  owner.routes = node.owner.routes;
  inject_one(owner, relationship, attributes, content);
}

void FlowController::maintain(bool force_checkpoint) {
  impl_->maintenance->run(force_checkpoint);
}

}  // namespace weir::runtime
