#include <fmt/format.h>

#include <csignal>
#include <random>

#include "tests/integration/kinesis/stream_fixture.h"

// Engine, daemon and bridges killed at random instants while records come in.
namespace weir::kinesis_testing {
namespace {

using ::testing::IsEmpty;

enum class Victim { engine, daemon, bridge };
constexpr const char* kNames[] = {"the engine", "the daemon", "a bridge"};

class Killing : public StreamTest {
 protected:
  // What was checkpointed when nobody of the victim's time lived any more.
  struct Death {
    std::string victim;
    std::map<std::string, LeaseRow> checkpoints;
    std::int64_t time_ms = 0;
  };

  void run(std::uint64_t rounds, std::map<std::string, std::string> properties);
  void check(KinesisEngine& engine, const NumberedWriter& writer);
  void kill(KinesisEngine& engine, Victim victim);
  void kill_process(KinesisEngine& engine, bool bridge);

  std::uint64_t seed_ = from_environment("WEIR_SEED", std::random_device{}());
  std::mt19937_64 random_{seed_};
  std::vector<Death> deaths_;
};

// The daemon dies with each of its bridges, and all of them with the daemon.
void Killing::kill_process(KinesisEngine& engine, bool bridge) {
  std::vector<ProcessId> candidates;
  ASSERT_TRUE(eventually(
      [&] {
        candidates = bridge ? engine.bridges() : engine.daemons();
        return !candidates.empty();
      },
      kArrivalTime))
      << engine.log();
  const std::vector<ProcessId> all = engine.processes();
  ::kill(candidates[random_() % candidates.size()].number, SIGKILL);
  expect_gone(all, 40);
}

void Killing::kill(KinesisEngine& engine, Victim victim) {
  if (victim == Victim::engine) {
    engine.kill();
  } else {
    kill_process(engine, victim == Victim::bridge);
  }
  deaths_.push_back({.victim = kNames[static_cast<int>(victim)],
                     .checkpoints = leases().rows(),
                     .time_ms = now_ms()});
  if (victim == Victim::engine) engine.start();
}

void Killing::check(KinesisEngine& engine, const NumberedWriter& writer) {
  const Ledger ledger(engine.deliveries(), engine.sink());
  EXPECT_THAT(ledger.check_complete(writer.sent()), IsEmpty()) << "WEIR_SEED=" << seed_;
  EXPECT_THAT(ledger.check_order(), IsEmpty()) << "WEIR_SEED=" << seed_;
  for (const Death& death : deaths_) {
    EXPECT_THAT(ledger.check_behind(death.checkpoints, death.time_ms), IsEmpty())
        << "after the death of " << death.victim << "; WEIR_SEED=" << seed_;
  }
  fmt::print("{} records, {} of them twice\n", writer.total(), ledger.duplicates());
}

void Killing::run(std::uint64_t rounds, std::map<std::string, std::string> properties) {
  fmt::print("WEIR_SEED={}\n", seed_);
  properties["Checkpoint Interval"] = "2 sec";
  make_stream(2);
  NumberedWriter writer(control_, stream_);
  KinesisEngine engine(services_, {consumer(properties)});
  engine.start();
  writer.put(10);
  expect_all(engine, writer);

  const std::size_t first = random_() % 3;
  for (std::uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    const auto victim = static_cast<Victim>((first + round) % 3);
    SCOPED_TRACE(
        fmt::format("round {}: {}; WEIR_SEED={}", round, kNames[static_cast<int>(victim)], seed_));
    writer.start(2, 50ms);
    std::this_thread::sleep_for(std::chrono::milliseconds(100 + random_() % 1400));
    kill(engine, victim);
    writer.stop();
    expect_all(engine, writer);
    EXPECT_TRUE(eventually([&] { return engine.daemons().size() == 1; }));
  }
  engine.stop();
  check(engine, writer);
}

TEST_F(Killing, NothingIsLostHoweverEngineDaemonAndBridgesDie) {
  run(1 + 2 * from_environment("WEIR_LOOPS", 1), {});
}

// R125, R126: the KCL's updates of the lease table fail, or are done and their answers are lost.
TEST_F(Killing, AFailingLeaseTableLosesNothingAndNoCheckpointGoesBack) {
  make_stream(2);
  NumberedWriter writer(control_, stream_);
  KinesisEngine engine(services_, {consumer()});
  engine.start();
  writer.put(5);
  expect_all(engine, writer);

  const auto seed = static_cast<std::uint32_t>(seed_);
  const auto unavailable =
      Fault::Answer{.status = 500, .code = "InternalServerError", .message = "injected"};
  services_.order({{.service = "dynamodb",
                    .operations = {"UpdateItem"},
                    .contains = stream_,
                    .share = 0.1,
                    .seed = seed,
                    .answer = unavailable},
                   {.service = "dynamodb",
                    .operations = {"UpdateItem"},
                    .contains = stream_,
                    .share = 0.05,
                    .seed = seed + 1,
                    .lose = true}});
  writer.start(2, 100ms);
  std::map<std::string, processors::kinesis::Position> highest;
  const auto end = std::chrono::steady_clock::now() + 8s * from_environment("WEIR_LOOPS", 1);
  while (std::chrono::steady_clock::now() < end) {
    for (const auto& [shard, row] : leases().rows()) {
      if (!row.in_shard()) continue;
      EXPECT_GE(row.checkpoint, highest[shard]) << shard << "; WEIR_SEED=" << seed_;
      highest[shard] = std::max(highest[shard], row.checkpoint);
    }
    std::this_thread::sleep_for(50ms);
  }
  writer.stop();
  const auto hits = services_.mend();
  EXPECT_GT(hits[0], 0u);
  EXPECT_GT(hits[1], 0u);

  expect_all(engine, writer);
  engine.stop();
  fmt::print("{} updates failed, {} answers were lost: ", hits[0], hits[1]);
  check(engine, writer);
}

}  // namespace
}  // namespace weir::kinesis_testing
