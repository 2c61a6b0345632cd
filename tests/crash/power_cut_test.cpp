#include <map>

#include "tests/crash/environment.h"
#include "tests/engine/runtime/engine_fixture.h"

// A whole engine in one thread over the fault-injecting file system: the power is cut (or the
// process killed) at one file operation after the other, and what comes up afterwards must hold
// what the design's section 2 promises.
namespace weir::runtime::testing {
namespace {

using storage::UnsyncedFate;

constexpr const char* kFlow = R"({
  "processors": {
    "custom": {"type": "Custom", "autoTerminate": ["b"]},
    "pass": {"type": "Pass", "runDuration": "25 ms"},
    "check": {"type": "Check"}
  },
  "connections": [
    {"from": "custom.a", "to": "pass", "backpressure": {"count": 40}},
    {"from": "pass.success", "to": "check", "backpressure": {"count": 0}}
  ]
})";

constexpr int kFlowFiles = 120;

// What was promised to the outside: a number is `acknowledged` when its FlowFile's commit
// returned, `delivered` when the commit that dropped it did.
struct Ledger {
  std::set<int> acknowledged;
  std::multiset<int> delivered;
  std::set<int> in_flight;  // their dropping commit was under way when the power went: either way
  int next = 0;
  bool damaged = false;  // a content that is not its FlowFile's
  std::function<void()> flush_provenance;
};

class Check : public Processor {
 public:
  Check(Ledger& ledger, const storage::FaultFileSystem& files) : ledger_(ledger), files_(files) {}
  void on_trigger(ProcessContext&, ProcessSession& session) override {
    const FlowFile flow_file = session.get();
    if (!flow_file) return;
    const std::string text = session.read(flow_file)->read_all();
    const std::string expected = *flow_file.attribute("number") + std::string(200, '.');
    if (text != expected) ledger_.damaged = true;
    const int number = std::stoi(*flow_file.attribute("number"));
    if (!files_.power_lost()) ledger_.in_flight.insert(number);
    session.after_commit([this, number] {
      ledger_.delivered.insert(number);
      ledger_.in_flight.erase(number);
    });
    session.remove(flow_file);
  }

 private:
  Ledger& ledger_;
  const storage::FaultFileSystem& files_;
};

void generate(Ledger& ledger, ProcessContext& context, ProcessSession& session) {
  if (ledger.next >= kFlowFiles) return context.yield();
  const int number = ledger.next++;
  const FlowFile flow_file = session.create();
  session.put_attribute(flow_file, "number", std::to_string(number));
  session.write(flow_file, [&](OutputStream& out) {
    out.write(std::to_string(number));
    out.write(std::string(200, '.'));
  });
  session.transfer(flow_file, "a");
  session.after_commit([&ledger, number] {
    ledger.acknowledged.insert(number);
    // As a thread would between two flushes of the journal: the store gets ahead of it.
    if (number % 9 == 0) ledger.flush_provenance();
  });
}

std::unique_ptr<Engine> make_engine(Ledger& ledger, bool always_sync, std::uint64_t seed) {
  auto engine = std::make_unique<Engine>(seed);
  engine->config.flow_files.always_sync = always_sync;
  engine->config.contents.always_sync = always_sync;
  engine->config.contents.max_appendable_bytes = 1000;
  engine->config.swap_threshold = 20;
  engine->config.flow_files.segment_bytes = 8192;
  engine->config.flow_files.checkpoint_interval = std::chrono::milliseconds(40);
  engine->config.flow_files.flush_interval = std::chrono::milliseconds(10);
  engine->config.provenance.rollover_bytes = 4096;
  static std::map<Ledger*, ProcessorDefinition> definitions;
  ProcessorDefinition& check = definitions[&ledger];
  check.type = "test.Check";
  check.summary = "Compares content and number.";
  check.input = InputRequirement::required;
  check.make = [&ledger, &files = engine->files] { return std::make_unique<Check>(ledger, files); };
  engine->registry.add(check);
  engine->notes.trigger = [&ledger](ProcessContext& context, ProcessSession& session) {
    generate(ledger, context, session);
  };
  return engine;
}

// Runs until everything is delivered, or the power is gone. Nothing of the engine may escape but
// a refusal to start while the power is gone.
void run(Engine& engine, Ledger& ledger) {
  try {
    engine.load(kFlow);
    ledger.flush_provenance = [&engine] { engine.controller->provenance().flush(); };
    engine.start();
    engine.simulation.wait_until(
        [&] {
          return engine.files.power_lost() ||
                 (ledger.next >= kFlowFiles && engine.controller->status().queued_count == 0);
        },
        std::chrono::seconds(600));
    if (!engine.files.power_lost()) engine.controller->maintain(true);
  } catch (const storage::PowerLost&) {
  } catch (const storage::StorageError& error) {
    if (!engine.files.power_lost()) ADD_FAILURE() << error.what();
  }
}

void restart(Engine& engine, UnsyncedFate fate, bool kill) {
  engine.simulation.drop_everything();
  if (engine.controller) {
    // The dead process writes nothing any more, whatever its destructors try.
    engine.close();
    engine.simulation.drop_everything();
  }
  if (kill) {
    engine.files.kill_process();
  } else {
    engine.files.restart(fate);
  }
}

void expect_promises(const Ledger& ledger, bool nothing_lost, const std::string& where) {
  EXPECT_FALSE(ledger.damaged) << where << ": a FlowFile came up with wrong content";
  if (!nothing_lost) return;
  for (const int number : ledger.acknowledged) {
    EXPECT_TRUE(ledger.delivered.contains(number) || ledger.in_flight.contains(number))
        << where << ": " << number << " is lost";
  }
}

// Provenance tells of the commits that exist, once each, and of nothing else: after the end of a
// run, when every FlowFile has left the flow. `all_kept`: no commit may have been lost.
void expect_provenance(Engine& engine, const Ledger& ledger, bool all_kept,
                       const std::string& where) {
  provenance::Query query;
  query.newest_first = false;
  query.limit = 1'000'000;
  const auto events = engine.controller->provenance().query(query).events;
  struct Life {
    int creations = 0;
    int drops = 0;
  };
  std::map<flowfile::Uuid, Life> lives;
  std::map<int, int> drops_of_number;
  std::uint64_t id = 0;
  for (const auto& event : events) {
    ASSERT_EQ(event.id, ++id) << where << ": an event is missing or there twice";
    Life& life = lives[event.flow_file];
    ASSERT_EQ(life.drops, 0) << where << ": event " << id << " is of a FlowFile that was dropped";
    const bool creation = event.type == provenance::EventType::create;
    ASSERT_EQ(life.creations, creation ? 0 : 1) << where << ": event " << id;
    if (creation) ++life.creations;
    const std::string* number = event.attributes_after->find("number");
    ASSERT_TRUE(number != nullptr && std::stoi(*number) < ledger.next) << where << ": event " << id;
    if (event.type != provenance::EventType::drop) continue;
    ++life.drops;
    ++drops_of_number[std::stoi(*number)];
  }
  for (const auto& [uuid, life] : lives) {
    ASSERT_EQ(life.drops, 1) << where << ": " << uuid.to_string() << " left without a DROP";
  }
  for (const auto& [number, drops] : drops_of_number) {
    ASSERT_EQ(drops, 1) << where << ": number " << number;
    ASSERT_TRUE(ledger.delivered.contains(number) || ledger.in_flight.contains(number)) << where;
  }
  if (!all_kept) return;
  for (const int number : ledger.delivered) {
    ASSERT_EQ(drops_of_number[number], 1) << where << ": delivered number " << number;
  }
}

std::uint64_t operations_of_a_whole_run(bool always_sync) {
  Ledger ledger;
  const auto engine = make_engine(ledger, always_sync, 1);
  run(*engine, ledger);
  EXPECT_EQ(ledger.delivered.size(), static_cast<std::size_t>(kFlowFiles));
  expect_provenance(*engine, ledger, true, "without a cut");
  return engine->files.operations();
}

void sweep(bool always_sync, bool kill, const std::vector<UnsyncedFate>& fates) {
  const std::uint64_t all = operations_of_a_whole_run(always_sync);
  const std::uint64_t points = 60 * weir::testing::from_environment("WEIR_LOOPS", 1);
  const std::uint64_t step = std::max<std::uint64_t>(1, all / points);
  const std::uint64_t seed = weir::testing::from_environment("WEIR_SEED", 1);
  for (const UnsyncedFate fate : fates) {
    for (std::uint64_t operation = 1 + seed % step; operation < all; operation += step) {
      const std::string where = "operation " + std::to_string(operation) + " fate " +
                                std::to_string(static_cast<int>(fate)) + " seed " +
                                std::to_string(seed);
      Ledger ledger;
      const auto engine = make_engine(ledger, always_sync, seed + operation);
      engine->files.cut_power_at(operation);
      SCOPED_TRACE(where);
      run(*engine, ledger);
      restart(*engine, fate, kill);
      run(*engine, ledger);
      expect_promises(ledger, always_sync || kill, where);
      expect_provenance(*engine, ledger, always_sync || kill, where);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(PowerCut, NothingCommittedIsLostWithAlwaysSync) {
  sweep(true, false,
        {UnsyncedFate::kept, UnsyncedFate::lost, UnsyncedFate::garbage, UnsyncedFate::mixed});
}

TEST(PowerCut, ComesUpWithAConsistentPrefixWithoutSync) {
  sweep(false, false,
        {UnsyncedFate::kept, UnsyncedFate::lost, UnsyncedFate::garbage, UnsyncedFate::mixed});
}

TEST(PowerCut, AKilledProcessLosesNothing) {
  sweep(false, true, {UnsyncedFate::kept});
}

}  // namespace
}  // namespace weir::runtime::testing
