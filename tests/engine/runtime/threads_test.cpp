// The whole engine on real threads. Also run under the thread sanitizer.
#include <gmock/gmock.h>

#include <thread>

#include "tests/engine/runtime/engine_fixture.h"
#include "tests/engine/runtime/random_test.h"

namespace weir::runtime::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ThreadedEngine {
 public:
  ThreadedEngine() {
    config_.flow_files.directory = "/data/flowfile_repository";
    config_.contents.containers = {{"default", "/data/content_repository"}};
    config_.provenance.directories = {{"default", "/data/provenance_repository"}};
    config_.state_directory = "/data/state";
    config_.flow_files.flush_interval = milliseconds(20);
    config_.flow_files.checkpoint_interval = milliseconds(50);
    config_.administrative_yield = milliseconds(10);
    register_test_processors(registry_, notes);
  }

  void open(const std::string& text) {
    executor_ = make_thread_executor(4, 8);
    controller = std::make_unique<FlowController>(
        config_, registry_, Environment{files_, system_clock(), system_random(), *executor_});
    auto read = flow::read_flow(text, "test.json");
    ASSERT_TRUE(read);
    for (const auto& problem : controller->load(read->flow)) ADD_FAILURE() << problem.to_string();
    controller->start();
  }
  void close() {
    controller.reset();
    executor_.reset();
  }
  ~ThreadedEngine() { close(); }

  bool wait_until(const std::function<bool()>& done) {
    return executor_->wait_until(done, seconds(60));
  }
  std::size_t seen_count() {
    const std::lock_guard lock(notes.mutex);
    return notes.seen.size();
  }
  std::string id_of(const std::string& name) {
    for (const auto& component : controller->status().components) {
      if (component.name == name) return component.id;
    }
    return {};
  }
  void expect_each_once(int count) {
    const std::lock_guard lock(notes.mutex);
    std::vector<int> numbers;
    for (const std::string& text : notes.seen) numbers.push_back(std::stoi(text));
    std::sort(numbers.begin(), numbers.end());
    std::vector<int> expected(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) expected[static_cast<std::size_t>(i)] = i;
    EXPECT_EQ(numbers, expected);
  }

  Notes notes;
  std::unique_ptr<FlowController> controller;

 private:
  storage::FaultFileSystem files_;
  EngineConfig config_;
  ComponentRegistry registry_;
  std::unique_ptr<Executor> executor_;
};

constexpr const char* kWide = R"({
  "processors": {
    "source": {"type": "Source", "yieldDuration": "5 ms"},
    "pass1": {"type": "Pass", "concurrentTasks": 3, "runDuration": "25 ms"},
    "pass2": {"type": "Pass", "concurrentTasks": 3},
    "pass3": {"type": "Pass", "concurrentTasks": 2, "runDuration": "2 ms"},
    "sink": {"type": "Sink", "concurrentTasks": 2}
  },
  "connections": ["source.success -> pass1",
                  {"from": "pass1.success", "to": "pass2", "backpressure": {"count": 50}},
                  {"from": "pass2.success", "to": "pass3", "backpressure": {"count": 30}},
                  "pass3.success -> sink"]
})";

TEST(Threads, OneTaskEachKeepsTheOrder) {
  ThreadedEngine engine;
  engine.open(R"({
    "processors": {"source": {"type": "Source", "yieldDuration": "5 ms"},
                   "pass": {"type": "Pass", "runDuration": "25 ms"}, "sink": {"type": "Sink"}},
    "connections": [{"from": "source.success", "to": "pass", "backpressure": {"count": 100}},
                    "pass.success -> sink"]
  })");
  engine.notes.to_generate = 3000;
  EXPECT_TRUE(engine.wait_until([&] { return engine.seen_count() == 3000; }));
  const std::lock_guard lock(engine.notes.mutex);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(engine.notes.seen[static_cast<std::size_t>(i)], std::to_string(i));
  }
}

TEST(Threads, NothingIsLostWhileComponentsStopAndStart) {
  ThreadedEngine engine;
  engine.open(kWide);
  const int total = 2000 * test_loops(1);
  engine.notes.to_generate = total;
  std::mt19937 random(static_cast<unsigned>(test_seed(5)));
  std::atomic<bool> done{false};
  std::thread watcher([&] {
    while (!done) {
      const EngineStatus status = engine.controller->status();
      EXPECT_EQ(status.components.size(), 5u);
      engine.controller->bulletins();
    }
  });
  const std::vector<std::string> names = {"pass1", "pass2", "pass3", "sink"};
  for (int i = 0; i < 60; ++i) {
    const std::string id = engine.id_of(names[random() % names.size()]);
    EXPECT_TRUE(engine.controller->stop_component(id, seconds(30)));
    if (random() % 3 == 0) engine.controller->maintain(true);
    engine.controller->start_component(id);
  }
  EXPECT_TRUE(
      engine.wait_until([&] { return engine.seen_count() == static_cast<std::size_t>(total); }));
  done = true;
  watcher.join();
  EXPECT_TRUE(engine.controller->stop(seconds(10)));
  engine.expect_each_once(total);
}

TEST(Threads, TerminatedComponentsLoseNothing) {
  ThreadedEngine engine;
  engine.open(kWide);
  const int total = 1500 * test_loops(1);
  engine.notes.to_generate = total;
  std::mt19937 random(static_cast<unsigned>(test_seed(6)));
  // Not the sink: it may be ended between its commit and its note.
  const std::vector<std::string> names = {"pass1", "pass2", "pass3"};
  for (int i = 0; i < 60; ++i) {
    const std::string id = engine.id_of(names[random() % names.size()]);
    engine.controller->terminate_component(id);
    engine.controller->start_component(id);
  }
  EXPECT_TRUE(
      engine.wait_until([&] { return engine.seen_count() == static_cast<std::size_t>(total); }));
  EXPECT_EQ(engine.controller->status().queued_count, 0u);
  engine.expect_each_once(total);
}

TEST(Threads, ASessionTerminatedWhileItsTriggerGoesOnCommitsNothing) {
  ThreadedEngine engine;
  std::atomic<bool> terminated{false};
  std::atomic<bool> begun{false};
  std::atomic<int> refused{0};
  engine.notes.trigger = [&](ProcessContext&, ProcessSession& session) {
    if (terminated) {
      if (const FlowFile flow_file = session.get()) session.transfer(flow_file, "a");
      return;
    }
    const FlowFile flow_file = session.get();
    if (!flow_file) return;
    begun = true;
    try {
      // Makes FlowFiles all the while it is taken from it.
      for (;;) session.remove(session.create(flow_file));
    } catch (const ProcessException&) {
      ++refused;
      throw;
    }
  };
  engine.open(R"({
    "processors": {"source": {"type": "Source", "yieldDuration": "5 ms"},
                   "custom": {"type": "Custom", "autoTerminate": ["b"]}, "sink": {"type": "Sink"}},
    "connections": ["source.success -> custom", "custom.a -> sink"]
  })");
  engine.notes.to_generate = 10;
  EXPECT_TRUE(engine.wait_until([&] { return begun.load(); }));
  const std::string id = engine.id_of("custom");
  engine.controller->terminate_component(id);
  terminated = true;
  engine.controller->start_component(id);
  EXPECT_TRUE(engine.wait_until([&] { return engine.seen_count() == 10 && refused == 1; }));
  engine.expect_each_once(10);
}

TEST(Threads, ACloseTellsOfATriggerThatDoesNotReturn) {
  ThreadedEngine engine;
  std::atomic<bool> inside{false}, release{false};
  engine.notes.trigger = [&](ProcessContext&, ProcessSession&) {
    inside = true;
    while (!release) std::this_thread::yield();
  };
  engine.open(R"({"processors": {"custom": {"type": "Custom", "autoTerminate": ["a", "b"]}}})");
  EXPECT_TRUE(engine.wait_until([&] { return inside.load(); }));
  engine.controller->stop_at_once();
  EXPECT_FALSE(engine.controller->close(milliseconds(20)));
  release = true;
  EXPECT_TRUE(engine.controller->close(seconds(20)));
}

TEST(Threads, BlockingProcessorsDoNotStarveOthers) {
  ThreadedEngine engine;
  std::atomic<bool> release{false};
  std::atomic<int> inside{0};
  engine.notes.trigger = [&](ProcessContext& context, ProcessSession&) {
    ++inside;
    while (!release && context.is_scheduled()) std::this_thread::yield();
    --inside;
  };
  engine.open(R"({
    "processors": {"source": {"type": "Source", "yieldDuration": "5 ms"},
                   "sink": {"type": "Sink"},
                   "block": {"type": "Blocking", "concurrentTasks": 6,
                             "autoTerminate": ["a", "b"]}},
    "connections": ["source.success -> sink"]
  })");
  EXPECT_TRUE(engine.wait_until([&] { return inside >= 6; }));
  engine.notes.to_generate = 500;
  EXPECT_TRUE(engine.wait_until([&] { return engine.seen_count() == 500; }));
  release = true;
  engine.controller->stop(seconds(10));
}

TEST(Threads, StoppedAtOnceInTheMiddle) {
  ThreadedEngine engine;
  int total = 0;
  for (int round = 0; round < 5; ++round) {
    engine.open(kWide);
    engine.notes.to_generate = 1000;
    const std::size_t target = engine.seen_count() + 200;
    EXPECT_TRUE(engine.wait_until([&] { return engine.seen_count() >= target; }));
    if (round % 2 == 0) engine.controller->stop_at_once();
    engine.close();
    total += 1000;
  }
  engine.notes.to_generate = 0;
  engine.open(kWide);
  EXPECT_TRUE(engine.wait_until([&] { return engine.controller->status().queued_count == 0; }));
  EXPECT_TRUE(engine.controller->stop(seconds(10)));
  // A sink ended between commit and note has noted nothing; nothing is noted twice.
  const std::lock_guard lock(engine.notes.mutex);
  std::vector<std::string> seen = engine.notes.seen;
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

}  // namespace
}  // namespace weir::runtime::testing
