#pragma once

#include <gmock/gmock.h>

#include "tests/engine/runtime/engine_fixture.h"

namespace weir::runtime::testing {

// source -> (in) -> custom -> a (queue, its sink is stopped), b (auto-terminated), where the test
// gives each trigger of `custom` by itself.
class SessionRig {
 public:
  explicit SessionRig(const std::string& type = "Custom", const std::string& more = {}) {
    engine.load(R"({
      "processors": {
        "source": {"type": "Source"},
        "custom": {"type": ")" +
                type + R"(", "penaltyDuration": "5 sec", "autoTerminate": ["b"])" + more + R"(},
        "sink": {"type": "Sink", "state": "stopped"}
      },
      "connections": [{"from": "source.success", "to": "custom", "name": "in"},
                      {"from": "custom.a", "to": "sink", "name": "a"}]
    })");
    engine.notes.trigger = [](ProcessContext&, ProcessSession&) {};
    engine.start();
  }

  void feed(int flow_files) {
    const std::uint64_t before = engine.queued("in");
    engine.notes.to_generate = flow_files;
    EXPECT_TRUE(engine.run_until(
        [&] { return engine.queued("in") == before + static_cast<std::uint64_t>(flow_files); }));
  }
  // The next trigger of `custom` is `action`; those after it do nothing.
  void trigger(std::function<void(ProcessSession&)> action) {
    bool done = false;
    engine.notes.trigger = [&done, action = std::move(action)](ProcessContext&,
                                                               ProcessSession& session) {
      if (done) return;
      done = true;
      action(session);
    };
    // Long enough for a yield after an exception.
    EXPECT_TRUE(engine.run_until([&] { return done; }));
    engine.notes.trigger = [](ProcessContext&, ProcessSession&) {};
    engine.simulation.advance(std::chrono::milliseconds(20));
  }
  // What `custom` sent to a, by content, in order.
  std::vector<std::string> sent() {
    engine.notes.seen.clear();
    engine.controller->start_component(engine.component("sink").id);
    EXPECT_TRUE(engine.run_until([&] { return engine.queued("a") == 0; }));
    engine.controller->stop_component(engine.component("sink").id, std::chrono::seconds(1));
    return engine.notes.seen;
  }
  std::vector<provenance::StoredEvent> events() {
    provenance::Query query;
    query.component = "custom";
    query.newest_first = false;
    return engine.controller->provenance().query(query).events;
  }
  // "TYPE details", of each event of `custom` in order.
  std::vector<std::string> event_lines() {
    std::vector<std::string> lines;
    for (const auto& event : events()) {
      lines.push_back(std::string(provenance::to_string(event.type)));
      if (!event.details.empty()) lines.back() += " " + event.details;
    }
    return lines;
  }

  Engine engine;
};

inline void write_text(ProcessSession& session, const FlowFile& flow_file, std::string_view text) {
  session.write(flow_file, [&](OutputStream& out) { out.write(text); });
}

}  // namespace weir::runtime::testing
