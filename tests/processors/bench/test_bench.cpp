#include "tests/processors/bench/test_bench.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/processors/bench/bench_properties.h"

namespace weir::bench {
namespace {

constexpr std::int64_t start_ms = 1'700'000'000'000 + 3'600'000;

class BenchClock : public Clock {
 public:
  explicit BenchClock(World& world) : world_(world) {}
  std::int64_t now_ms() const override { return world_.now_ms; }
  std::int64_t steady_ns() const override { return world_.now_ms * 1'000'000; }

 private:
  World& world_;
};

class BenchRandom : public Random {
 public:
  std::uint64_t next() override {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return state_ ^ (state_ >> 29);
  }

 private:
  std::uint64_t state_ = 42;
};

class BenchLog : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view message) override {
    messages[level].emplace_back(message);
  }
  std::map<LogLevel, std::vector<std::string>> messages;
};

class BenchState : public StateManager {
 public:
  state::StateMap get() override { return map; }
  void set(std::map<std::string, std::string> values) override {
    map = {map.version + 1, std::move(values)};
  }
  void clear() override { map = {map.version + 1, {}}; }
  state::StateMap map;
};

}  // namespace

class TestBench::Context : public ProcessContext {
 public:
  Context(const ProcessorDefinition& definition, World& world)
      : properties(definition, {clock_, random_}),
        definition_(definition),
        world_(world),
        clock_(world) {}

  using ProcessContext::property;
  PropertyValue property(std::string_view name) const override { return properties.property(name); }
  std::vector<std::string> dynamic_properties() const override {
    return properties.dynamic_properties();
  }
  std::shared_ptr<ControllerService> controller_service(std::string_view name) const override {
    const auto found = services.find(name);
    return found == services.end() ? nullptr : found->second;
  }
  const std::string& component_id() const override { return id_; }
  const std::string& component_name() const override { return name_; }
  ComponentLog& log() override { return log_; }
  StateManager& state() override { return state_; }
  Clock& clock() override { return clock_; }
  Random& random() override { return random_; }
  bool has_incoming_connection() const override {
    return definition_.input != InputRequirement::forbidden;
  }
  bool has_connection(std::string_view) const override { return true; }
  std::set<std::string> available_relationships() const override {
    std::set<std::string> available(world_.relationships.begin(), world_.relationships.end());
    for (const std::string& name : unavailable) available.erase(name);
    return available;
  }
  std::chrono::milliseconds penalty_duration() const override {
    return std::chrono::milliseconds(world_.penalty_ms);
  }
  void yield() override { yielded = true; }
  void yield(std::chrono::milliseconds) override { yielded = true; }
  bool is_scheduled() const override { return scheduled; }
  int concurrent_tasks() const override { return 1; }

  const BenchState& bench_state() const { return state_; }
  BenchLog& bench_log() { return log_; }

  BenchProperties properties;
  std::map<std::string, std::shared_ptr<ControllerService>, std::less<>> services;
  std::set<std::string> unavailable;
  bool yielded = false;
  bool scheduled = false;

 private:
  const ProcessorDefinition& definition_;
  World& world_;
  std::string id_ = "11111111-2222-3333-4444-555555555555";
  std::string name_ = "under test";
  BenchLog log_;
  BenchState state_;
  BenchClock clock_;
  BenchRandom random_;
};

// Remembers the sessions it made, so that a stop can roll back those that were left open.
class TestBench::SessionFactory : public ProcessSessionFactory {
 public:
  explicit SessionFactory(World& world) : world_(world) {}
  std::shared_ptr<ProcessSession> create_session() override {
    auto session = std::make_shared<MemorySession>(world_);
    sessions_.push_back(session);
    return session;
  }
  void roll_back_all() {
    for (const auto& session : sessions_) session->rollback();
    sessions_.clear();
  }

 private:
  World& world_;
  std::vector<std::shared_ptr<MemorySession>> sessions_;
};

TestBench::TestBench(const ProcessorDefinition& definition, Values properties)
    : definition_(definition),
      context_(std::make_unique<Context>(definition, world_)),
      sessions_(std::make_unique<SessionFactory>(world_)),
      processor_(definition.make()) {
  world_.now_ms = start_ms;
  for (auto& [name, value] : properties) set(name, std::move(value));
}

TestBench::~TestBench() {
  stop();
  // Compliance: what came in and what was made is where it can be found, each once.
  std::uint64_t found = world_.queue.size() + world_.removed + forgotten_;
  for (const auto& [name, flow_files] : world_.transferred) found += flow_files.size();
  EXPECT_EQ(found, enqueued_ + world_.created) << definition_.type << " lost or invented FlowFiles";
}

void TestBench::set(const std::string& property, std::string value) {
  context_->properties.set(property, std::move(value));
}

void TestBench::provide(const std::string& property, std::shared_ptr<ControllerService> service) {
  context_->services[property] = std::move(service);
  set(property, "service of " + property);
}

std::vector<ValidationProblem> TestBench::validate() const {
  auto problems = context_->properties.validate();
  if (problems.empty()) problems = processor_->custom_validate(*context_);
  return problems;
}

void TestBench::enqueue(std::string content, Values attributes) {
  ++enqueued_;
  attributes.try_emplace("filename", "in-" + std::to_string(enqueued_));
  attributes.try_emplace("path", "./");
  boost::intrusive_ptr<flowfile::FlowFileRecord> record(new flowfile::FlowFileRecord());
  record->id = world_.next_id++;
  record->uuid = world_.uuids.next(world_.now_ms);
  record->entry_ms = record->lineage_start_ms = world_.now_ms;
  record->claim = world_.contents.store(std::move(content));
  record->attributes = flowfile::Attributes::make({attributes.begin(), attributes.end()});
  world_.queue.push_back(std::move(record));
}

void TestBench::run(int triggers) {
  if (!scheduled_) {
    const auto problems = validate();
    for (const auto& problem : problems) {
      ADD_FAILURE() << definition_.type << " is invalid: " << problem.property << " "
                    << problem.message;
    }
    if (!problems.empty()) return;
    world_.relationships = relationships();
    context_->scheduled = true;
    processor_->on_scheduled(*context_);
    scheduled_ = true;
  }
  for (int i = 0; i < triggers; ++i) trigger();
}

void TestBench::trigger() {
  last_error_.reset();
  context_->yielded = false;
  const std::size_t held = world_.queue.size();
  const std::size_t events = world_.events.size();
  MemorySession session(world_);
  try {
    if (definition_.manages_sessions) {
      processor_->on_trigger_with(*context_, *sessions_);
    } else {
      processor_->on_trigger(*context_, session);
      session.commit();
    }
  } catch (const storage::StorageError& error) {
    last_error_ = error.what();
    session.rollback(true);
    context_->yielded = true;
    if (!definition_.manages_sessions) {
      EXPECT_EQ(world_.queue.size(), held) << "a failed trigger left a trace in the queue";
      EXPECT_EQ(world_.events.size(), events) << "a failed trigger left events";
    }
  }
}

void TestBench::stop() {
  if (!scheduled_) return;
  scheduled_ = false;
  context_->scheduled = false;
  processor_->on_unscheduled(*context_);
  processor_->on_stopped(*context_);
  sessions_->roll_back_all();
}

void TestBench::advance(std::chrono::milliseconds time) {
  world_.now_ms += time.count();
}

void TestBench::make_unavailable(std::string relationship) {
  context_->unavailable.insert(std::move(relationship));
}

std::vector<Output> TestBench::outputs(const std::string& relationship) const {
  std::vector<Output> outputs;
  const auto found = world_.transferred.find(relationship);
  if (found == world_.transferred.end()) return outputs;
  for (const auto& record : found->second) {
    Output& output = outputs.emplace_back();
    for (const auto& [name, value] : record->attributes->entries()) output.attributes[name] = value;
    output.attributes["uuid"] = record->uuid.to_string();
    output.content = world_.contents.read(record->claim);
    output.penalized = record->penalty_until_ms > world_.now_ms;
  }
  return outputs;
}

std::size_t TestBench::count(const std::string& relationship) const {
  const auto found = world_.transferred.find(relationship);
  return found == world_.transferred.end() ? 0 : found->second.size();
}

std::vector<std::string> TestBench::relationships() const {
  std::vector<Relationship> all = definition_.relationships;
  if (definition_.dynamic_relationships) all = definition_.dynamic_relationships(*context_);
  std::vector<std::string> names;
  for (const Relationship& relationship : all) names.push_back(relationship.name);
  return names;
}

std::size_t TestBench::queued() const {
  std::uint64_t gone = world_.removed + forgotten_;
  for (const auto& [name, flow_files] : world_.transferred) gone += flow_files.size();
  return enqueued_ + world_.created - gone;
}

const std::vector<std::string>& TestBench::events() const {
  return world_.events;
}
const std::vector<std::string>& TestBench::transit_uris() const {
  return world_.transit_uris;
}

std::size_t TestBench::count_events(std::string_view event) const {
  return static_cast<std::size_t>(std::ranges::count(world_.events, event));
}

const std::optional<std::string>& TestBench::last_error() const {
  return last_error_;
}
bool TestBench::yielded() const {
  return context_->yielded;
}

const std::vector<std::string>& TestBench::messages(LogLevel level) const {
  return context_->bench_log().messages[level];
}

std::map<std::string, std::string> TestBench::state() const {
  return context_->bench_state().map.values;
}

std::uint64_t TestBench::content_bytes_stored() const {
  return world_.contents.bytes_stored();
}
std::string TestBench::component_id() const {
  return context_->component_id();
}

void TestBench::forget_outputs() {
  for (const auto& [name, flow_files] : world_.transferred) forgotten_ += flow_files.size();
  world_.transferred.clear();
  world_.events.clear();
  world_.transit_uris.clear();
  context_->bench_log().messages.clear();
}

}  // namespace weir::bench
