#include "engine/runtime/flow_controller.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/engine/runtime/engine_fixture.h"

namespace weir::runtime::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using State = ComponentStatus::State;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(FlowController, GroupsSeveralDeepAndFunnels) {
  Engine engine;
  const auto problems = engine.load(R"({
    "processors": {"source": {"type": "Source"}, "sink": {"type": "Sink"}},
    "funnels": ["funnel"],
    "groups": {"outer": {
      "inputPorts": ["in"], "outputPorts": ["out"],
      "groups": {"inner": {
        "inputPorts": ["in"], "outputPorts": ["out"],
        "processors": {"pass": {"type": "Pass"}},
        "connections": ["in -> pass", "pass.success -> out"]}},
      "connections": ["in -> inner/in", "inner/out -> out"]}},
    "connections": ["source.success -> outer/in", "outer/out -> funnel", "funnel -> sink"]
  })");
  EXPECT_THAT(problems, IsEmpty());
  engine.notes.to_generate = 200;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 200; }));
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(engine.notes.seen[static_cast<std::size_t>(i)], std::to_string(i));
  EXPECT_EQ(engine.component("pass").flow_files_in, 200u);
}

TEST(FlowController, SeveralConnectionsOfARelationshipShareTheContent) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"},
                   "one": {"type": "Sink", "state": "stopped"},
                   "two": {"type": "Sink", "state": "stopped"},
                   "three": {"type": "Sink"}},
    "connections": [{"from": "source.success", "to": "one", "name": "first"},
                    {"from": "source.success", "to": "two", "name": "second"},
                    {"from": "source.success", "to": "three", "name": "third"}]
  })");
  engine.notes.to_generate = 20;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 20; }));
  EXPECT_EQ(engine.queued("first"), 20u);
  EXPECT_EQ(engine.queued("second"), 20u);
  provenance::Query query;
  query.type = provenance::EventType::clone;
  const auto clones = engine.controller->provenance().query(query).events;
  EXPECT_THAT(clones, SizeIs(40));
  for (const auto& clone : clones) EXPECT_THAT(clone.children, SizeIs(1));
  for (const char* name : {"one", "two"}) {
    engine.notes.seen.clear();
    engine.controller->maintain(true);
    engine.controller->start_component(engine.component(name).id);
    EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 20; }));
  }
}

TEST(FlowController, FlowFilesOfARemovedConnectionAreKept) {
  const std::string with = R"({
    "processors": {"source": {"type": "Source"}, "sink": {"type": "Sink", "state": "stopped"}},
    "connections": [{"from": "source.success", "to": "sink", "name": "q"}]
  })";
  Engine engine;
  engine.load(with);
  engine.notes.to_generate = 30;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return engine.queued("q") == 30; }));
  engine.kill_and_open();
  engine.load(R"({"processors": {"source": {"type": "Source", "autoTerminate": ["success"]}}})");
  engine.start();
  EXPECT_EQ(engine.controller->status().queued_count, 0u);
  ASSERT_THAT(engine.controller->findings(), SizeIs(1));
  EXPECT_THAT(engine.controller->findings()[0].what, HasSubstr("30 FlowFiles of connection"));
  engine.simulation.advance(seconds(100));
  engine.controller->maintain(true);
  engine.kill_and_open();
  engine.load(with);
  engine.start();
  EXPECT_EQ(engine.queued("q"), 30u);
  engine.controller->start_component(engine.component("sink").id);
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 30; }));
}

constexpr const char* kServices = R"({
  "services": {"z-user": {"type": "TestService", "properties": {"Uses": {"service": "a-base"}}},
               "a-base": {"type": "TestService"},
               "b-user": {"type": "TestService", "properties": {"Uses": {"service": "z-user"}}}},
  "processors": {"custom": {"type": "ServiceUser", "autoTerminate": ["a", "b"],
                            "properties": {"Service": {"service": "b-user"}}}}
})";

TEST(FlowController, ServicesAreEnabledInOrderOfUse) {
  Engine engine;
  EXPECT_THAT(engine.load(kServices), IsEmpty());
  std::vector<std::string> calls;
  engine.notes.on_enabled = [&](ComponentContext& c) { calls.push_back("+" + c.component_name()); };
  engine.notes.on_disabled = [&](ComponentContext& c) {
    calls.push_back("-" + c.component_name());
  };
  engine.notes.on_stopped = [&](ProcessContext&) { calls.push_back("stopped"); };
  bool triggered = false;
  engine.notes.trigger = [&](ProcessContext& context, ProcessSession&) {
    EXPECT_NE(context.controller_service("Service"), nullptr);
    triggered = true;
  };
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return triggered; }));
  engine.controller->stop(seconds(1));
  EXPECT_THAT(calls, ElementsAre("+a-base", "+z-user", "+b-user", "stopped", "-b-user", "-z-user",
                                 "-a-base"));
}

TEST(FlowController, AServiceThatCannotBeEnabledKeepsItsUsersFromWork) {
  Engine engine;
  engine.load(kServices);
  int tries = 0;
  engine.notes.on_enabled = [&](ComponentContext& context) {
    ++tries;
    if (context.component_name() == "a-base") throw ProcessException("no credentials");
    ADD_FAILURE() << context.component_name() << " was enabled";
  };
  engine.notes.trigger = [](ProcessContext& context, ProcessSession&) {
    context.controller_service("Service");
    ADD_FAILURE() << "works without its service";
  };
  engine.start();
  engine.simulation.advance(seconds(3));
  EXPECT_EQ(tries, 1);
  EXPECT_THAT(engine.messages(), Contains(HasSubstr("no credentials")));
  EXPECT_THAT(engine.messages(), Contains(HasSubstr("Cannot run: its controller service")));
  EXPECT_EQ(engine.component("custom").state, State::invalid);
}

TEST(FlowController, ServicesInACircleAreTold) {
  Engine engine;
  engine.load(R"({
    "services": {"one": {"type": "TestService", "properties": {"Uses": {"service": "two"}}},
                 "two": {"type": "TestService", "properties": {"Uses": {"service": "one"}}},
                 "free": {"type": "TestService"}},
    "processors": {}
  })");
  std::vector<std::string> enabled;
  engine.notes.on_enabled = [&](ComponentContext& c) { enabled.push_back(c.component_name()); };
  engine.start();
  EXPECT_THAT(enabled, ElementsAre("free"));
  EXPECT_THAT(engine.messages(), Contains(HasSubstr("refers to itself")));
}

TEST(FlowController, ComponentStateOutlivesTheProcess) {
  Engine engine;
  engine.load(R"({"processors": {"custom": {"type": "Custom", "autoTerminate": ["a", "b"]}}})");
  bool done = false;
  engine.notes.trigger = [&](ProcessContext& context, ProcessSession&) {
    if (!std::exchange(done, true)) context.state().set({{"position", "17"}});
  };
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return done; }));
  engine.kill_and_open();
  std::string found;
  engine.notes.trigger = [&](ProcessContext& context, ProcessSession&) {
    found = context.state().get().values["position"];
  };
  engine.load(engine.flow_text);
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return !found.empty(); }));
  EXPECT_EQ(found, "17");
}

constexpr const char* kStraight = R"({
  "processors": {"source": {"type": "Source"}, "pass": {"type": "Pass", "runDuration": "25 ms"},
                 "sink": {"type": "Sink"}},
  "connections": ["source.success -> pass", {"from": "pass.success", "to": "sink", "name": "q"}]
})";

// R113: an orderly stop in the middle gave duplicates.
TEST(FlowController, TwentyGracefulRestartsLoseAndDuplicateNothing) {
  Engine engine;
  engine.load(kStraight);
  for (int round = 0; round < 20; ++round) {
    engine.notes.to_generate = 1000;
    engine.start();
    engine.simulation.run_ready(static_cast<std::size_t>(20 + 13 * round));
    EXPECT_TRUE(engine.controller->stop(seconds(10)));
    EXPECT_EQ(engine.controller->status().queued_count, 0u);
    engine.close();
    engine.simulation.drop_everything();
    engine.load(engine.flow_text);
    EXPECT_EQ(engine.controller->status().queued_count, 0u);
  }
  const auto seen = sorted(engine.notes.seen);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(engine.notes.generated));
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(FlowController, DrainingHasALimit) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"}, "sink": {"type": "Sink", "state": "stopped"}},
    "connections": [{"from": "source.success", "to": "sink", "name": "q"}]
  })");
  engine.notes.to_generate = 25;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return engine.queued("q") == 25; }));
  const std::int64_t before_ms = engine.simulation.now_ms();
  EXPECT_FALSE(engine.controller->stop(seconds(3)));
  EXPECT_LE(engine.simulation.now_ms() - before_ms, 4000);
  engine.close();
  engine.load(engine.flow_text);
  EXPECT_EQ(engine.queued("q"), 25u);
}

TEST(FlowController, StoppedAtOnceGoesOnAtTheNextStart) {
  Engine engine;
  engine.load(kStraight);
  engine.notes.to_generate = 300;
  engine.start();
  engine.simulation.run_ready(25);
  engine.controller->stop_at_once();
  const int generated = engine.notes.generated;
  engine.simulation.advance(seconds(5));
  EXPECT_EQ(engine.notes.generated, generated) << "tasks of a closed engine ran";
  engine.close();
  engine.load(engine.flow_text);
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 300; }));
  const auto seen = sorted(engine.notes.seen);
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

class Stores : public ::testing::TestWithParam<int> {};

TEST_P(Stores, RunWithEveryRepository) {
  std::string pattern = std::filesystem::temp_directory_path() / "weir-runtime-XXXXXX";
  const std::filesystem::path scratch = ::mkdtemp(pattern.data());
  {
    Engine engine;
    const auto store = static_cast<EngineConfig::FlowFileStore>(GetParam());
    engine.config.flow_file_store = store;
    if (store == EngineConfig::FlowFileStore::rocksdb) {
      engine.config.flow_files.directory = scratch / "flowfile_repository";
    }
    if (store == EngineConfig::FlowFileStore::volatile_memory) {
      engine.config.content_store = EngineConfig::ContentStore::volatile_memory;
      engine.config.provenance_store = EngineConfig::ProvenanceStore::none;
    }
    engine.load(kStraight);
    engine.notes.to_generate = 100;
    engine.start();
    EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 100; }));
    const auto events = engine.controller->provenance().query({}).events;
    const bool none = engine.config.provenance_store == EngineConfig::ProvenanceStore::none;
    EXPECT_EQ(events.empty(), none);
    EXPECT_THAT(engine.messages(), IsEmpty());
    engine.controller->stop_component(engine.component("sink").id, seconds(1));
    engine.notes.to_generate = 30;
    EXPECT_TRUE(engine.run_until([&] { return engine.queued("q") == 30; }));
    engine.controller->stop(milliseconds(1));
    engine.close();
    engine.load(engine.flow_text);
    const bool kept = store != EngineConfig::FlowFileStore::volatile_memory;
    EXPECT_EQ(engine.queued("q"), kept ? 30u : 0u);
  }
  std::filesystem::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(All, Stores, ::testing::Values(0, 1, 2));

void remove_all(storage::FileSystem& files, const storage::Path& path) {
  for (const auto& entry : files.list(path)) {
    if (entry.type == storage::FileStatus::Type::directory) {
      remove_all(files, path / entry.name);
    } else {
      files.remove(path / entry.name);
    }
  }
  files.remove(path);
}

TEST(FlowController, AMissingFlowFileRepositoryDoesNotCostTheProvenance) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"}, "sink": {"type": "Sink"}},
    "connections": ["source.success -> sink"]
  })");
  engine.notes.to_generate = 20;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return engine.notes.seen.size() == 20; }));
  engine.controller->stop(seconds(1));
  const std::uint64_t events = engine.controller->provenance().statistics().events;
  EXPECT_GT(events, 0u);
  engine.close();
  const storage::Path moved = "/data/elsewhere";
  engine.files.rename("/data/flowfile_repository", moved);
  try {
    engine.open();
    ADD_FAILURE() << "started on the provenance of another repository";
  } catch (const storage::RefusedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("move the provenance repository away as well"));
  }
  engine.files.rename(moved, "/data/flowfile_repository");
  engine.open();
  EXPECT_EQ(engine.controller->provenance().statistics().events, events);
  engine.close();
  remove_all(engine.files, "/data/flowfile_repository");
  remove_all(engine.files, "/data/provenance_repository");
  engine.open();
}

}  // namespace
}  // namespace weir::runtime::testing
