#include "tests/engine/runtime/engine_fixture.h"

#include <gtest/gtest.h>

namespace weir::runtime::testing {

namespace {

const Relationship kSuccess{"success", "What was made or seen"};
const Relationship kA{"a", ""};
const Relationship kB{"b", ""};

class Source : public Processor {
 public:
  explicit Source(Notes& notes) : notes_(notes) {}
  void on_trigger(ProcessContext& context, ProcessSession& session) override {
    for (int i = 0; i < 10; ++i) {
      if (notes_.to_generate.fetch_sub(1) <= 0) {
        notes_.to_generate.fetch_add(1);
        if (i == 0) context.yield();
        return;
      }
      const FlowFile flow_file = session.create();
      const std::string text = std::to_string(notes_.generated.fetch_add(1));
      session.write(flow_file, [&](OutputStream& out) { out.write(text); });
      session.transfer(flow_file, kSuccess);
    }
  }

 private:
  Notes& notes_;
};

class Pass : public Processor {
 public:
  void on_trigger(ProcessContext&, ProcessSession& session) override {
    if (const FlowFile flow_file = session.get()) session.transfer(flow_file, kSuccess);
  }
};

class Sink : public Processor {
 public:
  explicit Sink(Notes& notes) : notes_(notes) {}
  void on_trigger(ProcessContext&, ProcessSession& session) override {
    const FlowFile flow_file = session.get();
    if (!flow_file) return;
    std::string text = session.read(flow_file)->read_all();
    session.after_commit([this, text] {
      const std::lock_guard lock(notes_.mutex);
      notes_.seen.push_back(text);
    });
    session.remove(flow_file);
  }

 private:
  Notes& notes_;
};

class Custom : public Processor {
 public:
  explicit Custom(Notes& notes) : notes_(notes) {}
  void on_scheduled(ProcessContext& context) override {
    ++notes_.scheduled;
    if (notes_.on_scheduled) notes_.on_scheduled(context);
  }
  void on_unscheduled(ProcessContext& context) override {
    if (notes_.on_unscheduled) notes_.on_unscheduled(context);
  }
  void on_stopped(ProcessContext& context) override {
    ++notes_.stopped;
    if (notes_.on_stopped) notes_.on_stopped(context);
  }
  void on_trigger(ProcessContext& context, ProcessSession& session) override {
    notes_.trigger(context, session);
  }
  void on_trigger_with(ProcessContext& context, ProcessSessionFactory& sessions) override {
    notes_.trigger_with(context, sessions);
  }

 private:
  Notes& notes_;
};

class TestService : public ControllerService {
 public:
  explicit TestService(Notes& notes) : notes_(notes) {}
  void on_enabled(ComponentContext& context) override {
    if (notes_.on_enabled) notes_.on_enabled(context);
  }
  void on_disabled(ComponentContext& context) override {
    if (notes_.on_disabled) notes_.on_disabled(context);
  }

 private:
  Notes& notes_;
};

ProcessorDefinition definition(std::string type, std::vector<Relationship> relationships,
                               InputRequirement input,
                               std::function<std::unique_ptr<Processor>()> make) {
  ProcessorDefinition made;
  made.type = "test." + type;
  made.summary = "For tests.";
  made.relationships = std::move(relationships);
  made.input = input;
  made.make = std::move(make);
  return made;
}

}  // namespace

void register_test_processors(ComponentRegistry& registry, Notes& notes) {
  // Definitions are kept by reference; those of a test live as long as the program.
  static std::deque<ProcessorDefinition> definitions;
  const auto add = [&](ProcessorDefinition made) -> ProcessorDefinition& {
    definitions.push_back(std::move(made));
    return definitions.back();
  };
  registry.add(add(definition("Source", {kSuccess}, InputRequirement::forbidden,
                              [&notes] { return std::make_unique<Source>(notes); })));
  ProcessorDefinition& pass = add(definition("Pass", {kSuccess}, InputRequirement::required,
                                             [] { return std::make_unique<Pass>(); }));
  pass.supports_batching = true;
  registry.add(pass);
  registry.add(add(definition("Sink", {}, InputRequirement::required,
                              [&notes] { return std::make_unique<Sink>(notes); })));
  const auto add_custom = [&](const char* type) -> ProcessorDefinition& {
    return add(definition(type, {kA, kB}, InputRequirement::allowed,
                          [&notes] { return std::make_unique<Custom>(notes); }));
  };
  registry.add(add_custom("Custom"));
  ProcessorDefinition& valued = add_custom("Valued");
  valued.properties = {{.name = "Text",
                        .required = true,
                        .validator = validators::non_empty(),
                        .expression_scope = ExpressionScope::flow_file_attributes},
                       {.name = "Secret", .sensitive = true},
                       {.name = "Service", .controller_service = "TestService"}};
  registry.add(valued);
  ProcessorDefinition& batch = add_custom("Batch");
  batch.supports_batching = true;
  batch.default_run_duration = std::chrono::milliseconds(25);
  registry.add(batch);
  ProcessorDefinition& blocking = add_custom("Blocking");
  blocking.blocking = true;
  registry.add(blocking);
  ProcessorDefinition& any = add_custom("AnyDestination");
  any.trigger_when_any_destination_available = true;
  registry.add(any);
  ProcessorDefinition& keeper = add_custom("Keeper");
  keeper.manages_sessions = true;
  registry.add(keeper);
  ProcessorDefinition& user = add_custom("ServiceUser");
  user.properties = {{.name = "Service", .required = true, .controller_service = "TestService"}};
  registry.add(user);

  static std::deque<ControllerServiceDefinition> services;
  ControllerServiceDefinition& service = services.emplace_back();
  service.type = "test.TestService";
  service.summary = "For tests.";
  service.properties = {{.name = "Uses", .controller_service = "TestService"}, {.name = "Address"}};
  service.interfaces = {"TestService"};
  service.make = [&notes] { return std::make_unique<TestService>(notes); };
  registry.add(service);
}

Engine::Engine(std::uint64_t seed) : files(seed), simulation(seed) {
  config.flow_files.directory = "/data/flowfile_repository";
  config.contents.containers = {{"default", "/data/content_repository"}};
  config.provenance.directories = {{"default", "/data/provenance_repository"}};
  config.provenance.own_thread = false;
  config.state_directory = "/data/state";
  config.flow_copy = "/data/flow.json";
  register_test_processors(registry, notes);
}

void Engine::open() {
  controller = std::make_unique<FlowController>(
      config, registry, Environment{files, simulation, simulation, simulation, nullptr, variables});
}

std::vector<flow::Problem> Engine::load(const std::string& text) {
  flow_text = text;
  if (!controller) open();
  auto read = flow::read_flow(flow_text, "test.json");
  if (!read) {
    for (const auto& problem : read.error()) ADD_FAILURE() << problem.to_string();
    return read.error();
  }
  auto problems = std::move(read->problems);
  for (auto& problem : controller->load(read->flow)) problems.push_back(std::move(problem));
  return problems;
}

void Engine::start() {
  controller->start();
}

void Engine::kill_and_open() {
  simulation.drop_everything();
  files.kill_process();
  controller.reset();
  simulation.drop_everything();
  open();
}

std::uint64_t Engine::queued(const std::string& connection_name) const {
  for (const ConnectionStatus& connection : controller->status().connections) {
    if (connection.name == connection_name) return connection.queued_count;
  }
  ADD_FAILURE() << "no connection " << connection_name;
  return 0;
}

std::vector<std::string> Engine::messages() const {
  std::vector<std::string> all;
  for (const Bulletin& bulletin : controller->bulletins()) all.push_back(bulletin.message);
  return all;
}

ComponentStatus Engine::component(const std::string& name) const {
  for (const ComponentStatus& component : controller->status().components) {
    if (component.name == name) return component;
  }
  ADD_FAILURE() << "no component " << name;
  return {};
}

}  // namespace weir::runtime::testing
