#include "tests/repositories/flowfile/test_support.h"

namespace weir::flowfile {
namespace {

using storage::FaultFileSystem;
using storage::PowerLost;
using storage::UnsyncedFate;

// What is queued where, in order: id and content of each FlowFile.
using State = std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>>;

// A scenario of every kind of operation; after each commit it notes the state.
class Scenario {
 public:
  explicit Scenario(Engine& engine) : engine_(engine) {}

  void run() {
    create("q1", {"one", "two", "three", ""});
    change("q1", 0, "q2", "changed");
    engine_.repository->flush();
    create("q1", {"four", "five"});
    swap_out("q1", 1);
    create("q1", {"six"});
    engine_.repository->checkpoint(0, true);
    drop("q2", 0);
    swap_in();
    move("q1", 0, "q2");
    engine_.repository->flush();
    engine_.repository->checkpoint(0, false);
    create("q2", {"seven"});
    swap_out("q1", 2);
    drop("q2", 0);
    engine_.repository->checkpoint(engine_.repository->last_sequence(), true);
    swap_in();
    create("q1", {std::string(3000, 'x')});
    drop("q1", 0);
    engine_.repository->flush();
    create("q3", {"eight", "nine"});
  }

  // states()[n]: after n commits.
  const std::vector<State>& states() const { return states_; }
  // How many commits returned.
  std::size_t acknowledged() const { return acknowledged_; }

 private:
  struct Queued {
    FlowFilePtr record;
    std::string text;
  };

  void note() {
    State state;
    for (const auto& [connection, queue] : queues_) {
      for (const Queued& queued : queue) {
        state[connection].emplace_back(queued.record->id, queued.text);
      }
    }
    states_.push_back(std::move(state));
  }

  // The state that a commit makes is noted before it: it may be found although its caller never
  // heard that it succeeded.
  void create(const std::string& connection, const std::vector<std::string>& texts) {
    Commit commit;
    commit.connections = {connection};
    for (const std::string& text : texts) {
      const FlowFilePtr record =
          engine_.make({}, text.empty() ? content::ContentClaim{} : engine_.write(text));
      commit.updates.push_back({.kind = FlowFileUpdate::Kind::create, .record = record});
      queues_[connection].push_back({record, text});
    }
    note();
    engine_.repository->commit(std::move(commit));
    ++acknowledged_;
  }
  void change(const std::string& from, std::size_t index, const std::string& to,
              const std::string& text) {
    Queued queued = take(from, index);
    boost::intrusive_ptr<FlowFileRecord> record(new FlowFileRecord(*queued.record));
    record->claim = engine_.write(text);
    queues_[to].push_back({record, text});
    note();
    engine_.commit(FlowFileUpdate::Kind::change, record, to, false, true);
    ++acknowledged_;
  }
  void move(const std::string& from, std::size_t index, const std::string& to) {
    Queued queued = take(from, index);
    queues_[to].push_back(queued);
    note();
    engine_.move(queued.record, to);
    ++acknowledged_;
  }
  void drop(const std::string& from, std::size_t index) {
    const Queued queued = take(from, index);
    note();
    engine_.drop(queued.record);
    ++acknowledged_;
  }
  void swap_out(const std::string& connection, std::size_t from) {
    std::vector<FlowFilePtr> records;
    for (std::size_t i = from; i < queues_[connection].size(); ++i) {
      records.push_back(queues_[connection][i].record);
    }
    note();
    swap_file_ = engine_.repository->swap_out(connection, records);
    ++acknowledged_;
  }
  void swap_in() {
    note();
    engine_.repository->swap_in(swap_file_);
    ++acknowledged_;
  }
  Queued take(const std::string& from, std::size_t index) {
    auto& queue = queues_[from];
    Queued queued = queue.at(index);
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(index));
    if (queue.empty()) queues_.erase(from);
    return queued;
  }

  Engine& engine_;
  std::map<std::string, std::vector<Queued>> queues_;
  std::vector<State> states_{State{}};
  std::size_t acknowledged_ = 0;
  SwapFilePtr swap_file_;
};

State read_state(Engine& engine) {
  State state;
  for (const RecoveredQueue& queue : engine.recovered.queues) {
    std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> by_arrival;
    const auto add = [&](const FlowFilePtr& record) {
      by_arrival[record->arrival()] = {record->id, engine.text_of(*record)};
    };
    for (const FlowFilePtr& record : queue.flow_files) add(record);
    for (const SwapFilePtr& swap_file : queue.swap_files) {
      for (const FlowFilePtr& record : engine.repository->peek(swap_file)) add(record);
    }
    for (auto& [order, entry] : by_arrival) state[queue.connection].push_back(std::move(entry));
  }
  return state;
}

struct SweepCase {
  const char* name;
  UnsyncedFate fate;
  bool always_sync;
};

class CrashSweep : public testing::TestWithParam<SweepCase> {
 protected:
  FlowFileRepositoryConfig config() const {
    return {.directory = kDirectory, .always_sync = GetParam().always_sync, .segment_bytes = 400};
  }

  // Everything that was committed before the cut must be there: nothing was lost with it.
  bool all_kept() const { return GetParam().always_sync || GetParam().fate == UnsyncedFate::kept; }

  // Returns the number of the state that was found.
  std::size_t expect_prefix(FaultFileSystem& files, const std::vector<State>& states,
                            std::size_t least) {
    Engine engine(files, config());
    const State state = read_state(engine);
    const auto found = std::find(states.rbegin(), states.rend(), state);
    if (found == states.rend()) {
      ADD_FAILURE() << "a state the engine was never in: " << testing::PrintToString(state);
      return 0;
    }
    const auto index = static_cast<std::size_t>(states.rend() - found) - 1;
    EXPECT_GE(index, least) << "commits were lost";
    // What was recovered can be built upon, and lasts.
    engine.create("more", {}, engine.write("more"));
    engine.repository->flush();
    return index;
  }
};

TEST_P(CrashSweep, PowerCutAtEveryOperation) {
  const std::uint64_t seed = seed_of_run();
  std::size_t lost = 0;
  for (std::uint64_t cut = 1;; ++cut) {
    SCOPED_TRACE("power cut at operation " + std::to_string(cut));
    FaultFileSystem files(seed + cut);
    std::vector<State> states{State{}};
    std::size_t acknowledged = 0;
    bool finished = false;
    {
      std::optional<Engine> engine;
      std::optional<Scenario> scenario;
      files.cut_power_at(cut);
      try {
        engine.emplace(files, config());
        scenario.emplace(*engine);
        scenario->run();
        finished = true;
      } catch (const PowerLost&) {
        finished = false;
      }
      if (scenario) {
        states = scenario->states();
        acknowledged = scenario->acknowledged();
      }
    }
    files.restart(GetParam().fate);
    const std::size_t index = expect_prefix(files, states, all_kept() ? acknowledged : 0);
    files.restart(UnsyncedFate::lost);
    Engine again(files, config());
    State expected = states[index];
    State state = read_state(again);
    EXPECT_EQ(state["more"].size(), 1u);
    state.erase("more");
    EXPECT_EQ(state, expected);
    lost += acknowledged - std::min(index, acknowledged);
    if (finished || HasFailure()) {
      std::printf("%llu cuts, %zu acknowledged commits lost in all\n",
                  static_cast<unsigned long long>(cut), lost);
      EXPECT_GT(cut, 50u);
      break;
    }
  }
}

// The start itself is cut: a recovery that ends early is taken up by the next one.
TEST_P(CrashSweep, PowerCutAtEveryOperationOfARecovery) {
  const std::uint64_t seed = seed_of_run();
  for (std::uint64_t cut = 1;; ++cut) {
    SCOPED_TRACE("power cut at operation " + std::to_string(cut));
    FaultFileSystem files(seed);
    std::vector<State> states;
    {
      Engine engine(files, config());
      Scenario scenario(engine);
      scenario.run();
      states = scenario.states();
    }
    files.restart(GetParam().fate);
    files.cut_power_at(cut);
    bool finished = false;
    try {
      Engine engine(files, config());
      engine.repository->checkpoint(engine.repository->last_sequence(), true);
      finished = true;
    } catch (const PowerLost&) {
      finished = false;
    }
    files.restart(UnsyncedFate::mixed);
    expect_prefix(files, states, all_kept() ? states.size() - 1 : 0);
    if (finished || HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Fates, CrashSweep,
                         testing::Values(SweepCase{"kept", UnsyncedFate::kept, false},
                                         SweepCase{"lost", UnsyncedFate::lost, false},
                                         SweepCase{"garbage", UnsyncedFate::garbage, false},
                                         SweepCase{"mixed", UnsyncedFate::mixed, false},
                                         SweepCase{"syncKept", UnsyncedFate::kept, true},
                                         SweepCase{"syncLost", UnsyncedFate::lost, true},
                                         SweepCase{"syncGarbage", UnsyncedFate::garbage, true},
                                         SweepCase{"syncMixed", UnsyncedFate::mixed, true}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace weir::flowfile
