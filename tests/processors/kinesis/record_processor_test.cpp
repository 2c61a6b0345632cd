#include "processors/kinesis/record_processor.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/engine/runtime/random_test.h"
#include "tests/processors/bench/manual_clock.h"
#include "tests/processors/kinesis/fake_kcl.h"

namespace weir::processors::kinesis {
namespace {

using namespace std::chrono_literals;
using bench::ManualClock;
using testing::call_line;
using testing::checkpoint_line;
using testing::FakeKcl;
using testing::FakeRecord;

class TestLog : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view message) override {
    messages[level].emplace_back(message);
  }
  std::map<LogLevel, std::vector<std::string>> messages;
};

const std::vector<std::string> kNothing;
const std::string kAnswer = protocol::status("processRecords");
const std::string kEndAnswer = protocol::status("shardEnded");
const std::string kShutdownAnswer = protocol::status("shutdownRequested");
const CheckpointRules kRules = {
    .interval = 10s, .hold_back = 250ms, .shutdown_grace = 5s, .retry_after = 1s};

// One connection and the buffer behind it.
struct Shard {
  explicit Shard(CheckpointRules rules = kRules)
      : processor(buffer, rules, clock, log, [this](std::string line) { sent.push_back(line); }) {}

  bool line(std::string text) {
    const std::size_t size = text.size();
    text.resize(size + protocol::Reader::padding());
    auto message = reader.read({text.data(), size});
    EXPECT_TRUE(message) << message.error();
    return message && processor.message(std::move(*message));
  }
  void initialize() {
    EXPECT_TRUE(line(testing::initialize_line("shard", {"TRIM_HORIZON", 0})));
    EXPECT_EQ(replies(), std::vector{protocol::status("initialize")});
  }
  // A call with that many records; their sequence numbers go on.
  bool records(int count) {
    std::vector<FakeRecord> call;
    for (; count > 0; --count) call.push_back({"data", {std::to_string(++last), 0}});
    return line(testing::process_records_line(call));
  }
  bool result(std::string_view error = {}) { return line(checkpoint_line(error)); }
  void pass(std::chrono::nanoseconds time) {
    clock.advance(time);
    if (processor.deadline_ns() && clock.steady_ns() >= *processor.deadline_ns())
      processor.progress();
  }
  // A task takes what there is, and commits it.
  void commit() {
    auto lease = buffer.acquire(0ms);
    ASSERT_TRUE(lease);
    ASSERT_FALSE(buffer.consume(*lease).empty());
    ASSERT_TRUE(buffer.commit(*lease));
    buffer.give_back(std::move(*lease));
    processor.progress();
  }
  // A call and its commit, checkpointed: the next checkpoint is due after the interval.
  void checkpointed_once() {
    initialize();
    records(1);
    commit();
    result();
    EXPECT_EQ(replies(), (std::vector{at(1), kAnswer}));
  }
  std::vector<std::string> replies() { return std::exchange(sent, {}); }
  static std::string at(int sequence) {
    return protocol::checkpoint({std::to_string(sequence), 0});
  }
  const std::vector<std::string>& said(LogLevel level) { return log.messages[level]; }

  ManualClock clock;
  TestLog log;
  protocol::Reader reader;
  std::vector<std::string> sent;
  int last = 0;
  RecordBuffer buffer{1 << 20, {}, clock, {}};
  ConsumeKinesisRecordProcessor processor;
};

TEST(KinesisRecordProcessor, HoldsTheFirstAnswerForTheCommitAndCheckpointsItAtOnce) {
  Shard shard;
  shard.initialize();
  shard.records(3);
  EXPECT_EQ(shard.replies(), kNothing);
  EXPECT_TRUE(shard.processor.call_open());
  EXPECT_EQ(shard.processor.deadline_ns(), shard.clock.steady_ns() + 250'000'000);
  shard.commit();
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(3)});
  EXPECT_EQ(shard.processor.deadline_ns(), std::nullopt);
  shard.pass(60s);
  shard.processor.progress();
  shard.processor.stop();
  EXPECT_EQ(shard.replies(), kNothing) << "nothing before the checkpoint's result";
  shard.result();
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
  EXPECT_FALSE(shard.processor.call_open());
  EXPECT_EQ(shard.buffer.to_checkpoint(*shard.processor.buffer_id()), std::nullopt);
}

TEST(KinesisRecordProcessor, HoldsNoAnswerBackForLongerThanItMay) {
  Shard shard;
  shard.initialize();
  shard.records(1);
  shard.pass(249ms);
  EXPECT_EQ(shard.replies(), kNothing);
  shard.pass(1ms);
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
}

TEST(KinesisRecordProcessor, ASlowProcessorMakesTheKclWaitOnceOnly) {
  Shard shard;
  shard.initialize();
  shard.records(1);
  shard.pass(250ms);
  shard.replies();
  shard.records(1);
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
  shard.commit();
  shard.records(1);
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(2)});
}

TEST(KinesisRecordProcessor, AnswersAtOnceWithinTheInterval) {
  Shard shard;
  shard.checkpointed_once();
  shard.records(1);
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
  shard.commit();
  shard.records(1);
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
  shard.pass(10s);
  shard.records(1);
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(2)});
  shard.commit();  // while the checkpoint is on its way
  shard.result();
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
}

TEST(KinesisRecordProcessor, AnIdleShardIsCheckpointedInItsNextEmptyCall) {
  Shard shard;
  shard.checkpointed_once();
  shard.records(2);
  shard.replies();
  shard.records(0);  // not committed yet
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
  shard.commit();
  EXPECT_EQ(shard.replies(), kNothing) << "no call is open";
  shard.records(0);
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(3)});
  shard.result();
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
  shard.records(0);
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
}

TEST(KinesisRecordProcessor, WithoutAnIntervalEveryCallCheckpoints) {
  CheckpointRules rules = kRules;
  rules.interval = 0s;
  Shard shard(rules);
  shard.checkpointed_once();
  for (int i = 2; i < 5; ++i) {
    shard.records(1);
    shard.commit();
    EXPECT_EQ(shard.replies(), std::vector{Shard::at(i)});
    shard.result();
    EXPECT_EQ(shard.replies(), std::vector{kAnswer});
  }
}

TEST(KinesisRecordProcessor, AFailedCheckpointIsTriedAgainLater) {
  Shard shard;
  shard.initialize();
  shard.records(1);
  shard.commit();
  shard.result("ThrottlingException");
  EXPECT_EQ(shard.replies(), (std::vector{Shard::at(1), kAnswer}));
  EXPECT_EQ(shard.said(LogLevel::warn).size(), 1u);
  shard.pass(999ms);
  shard.records(0);
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
  shard.pass(1ms);
  shard.records(1);
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(1)});
  shard.result();
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
}

TEST(KinesisRecordProcessor, ALeaseThatIsGoneIsNotCheckpointedAgain) {
  Shard shard;
  shard.initialize();
  shard.records(1);
  shard.commit();
  shard.result("ShutdownException");
  EXPECT_EQ(shard.replies(), (std::vector{Shard::at(1), kAnswer}));
  EXPECT_TRUE(shard.said(LogLevel::warn).empty());
  shard.pass(60s);
  shard.records(0);
  shard.line(call_line("shutdownRequested"));
  EXPECT_EQ(shard.replies(), (std::vector{kAnswer, kShutdownAnswer}));
  shard.line(call_line("leaseLost"));
  EXPECT_EQ(shard.replies(), std::vector{protocol::status("leaseLost")});
}

TEST(KinesisRecordProcessor, APositionThatTheKclRefusesIsNotTriedAgain) {
  Shard shard;
  shard.initialize();
  shard.records(1);
  shard.commit();
  shard.result("IllegalArgumentException");
  EXPECT_EQ(shard.said(LogLevel::error).size(), 1u);
  shard.pass(60s);
  shard.records(0);
  EXPECT_EQ(shard.replies(), (std::vector{Shard::at(1), kAnswer, kAnswer}));
  shard.records(1);
  shard.commit();
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(2)});
}

TEST(KinesisRecordProcessor, TheShardsEndWaitsForItsRecordsAndIsTriedUntilItIsWritten) {
  Shard shard;
  shard.checkpointed_once();
  shard.records(2);
  shard.replies();
  shard.line(call_line("shardEnded"));
  shard.pass(60s);
  EXPECT_EQ(shard.replies(), kNothing);
  shard.commit();
  EXPECT_EQ(shard.replies(), std::vector{protocol::checkpoint_all()});
  for (const char* error : {"ThrottlingException", "KinesisClientLibDependencyException",
                            "IllegalArgumentException", "InvalidStateException"}) {
    shard.result(error);
    shard.pass(999ms);
    shard.processor.progress();
    EXPECT_EQ(shard.replies(), kNothing) << error;
    shard.pass(1ms);
    EXPECT_EQ(shard.replies(), std::vector{protocol::checkpoint_all()}) << error;
  }
  shard.result();
  EXPECT_EQ(shard.replies(), std::vector{kEndAnswer});
  EXPECT_EQ(shard.buffer.to_checkpoint(*shard.processor.buffer_id()), std::nullopt);
}

TEST(KinesisRecordProcessor, TheShardsEndIsAnsweredWhereTheLeaseIsGone) {
  Shard shard;
  shard.checkpointed_once();
  shard.line(call_line("shardEnded"));
  shard.result("ShutdownException");
  EXPECT_EQ(shard.replies(), (std::vector{protocol::checkpoint_all(), kEndAnswer}));
}

TEST(KinesisRecordProcessor, ShutdownWaitsForCommitsAndCheckpointsTheirPosition) {
  Shard shard;
  shard.checkpointed_once();
  shard.records(2);
  shard.replies();
  shard.line(call_line("shutdownRequested"));
  shard.pass(4s);
  EXPECT_EQ(shard.replies(), kNothing);
  shard.commit();
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(3)});
  shard.result();
  EXPECT_EQ(shard.replies(), std::vector{kShutdownAnswer});
}

TEST(KinesisRecordProcessor, ShutdownTakesWhatIsCommittedWhenItsGraceIsOver) {
  Shard shard;
  shard.checkpointed_once();
  shard.records(1);
  shard.commit();
  shard.records(1);
  shard.replies();
  shard.line(call_line("shutdownRequested"));
  shard.pass(5s);
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(2)});
  shard.result("ThrottlingException");
  EXPECT_EQ(shard.replies(), std::vector{kShutdownAnswer});

  Shard without;
  without.initialize();
  without.line(call_line("shutdownRequested"));
  EXPECT_EQ(without.replies(), std::vector{kShutdownAnswer}) << "nothing to wait for";
}

TEST(KinesisRecordProcessor, ShutdownTriesAFailedCheckpointAgainWithinItsGrace) {
  Shard shard;
  shard.checkpointed_once();
  shard.records(1);
  shard.commit();
  shard.replies();
  shard.line(call_line("shutdownRequested"));
  shard.result("ThrottlingException");
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(2)});
  shard.pass(1s);
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(2)});
  shard.result();
  EXPECT_EQ(shard.replies(), std::vector{kShutdownAnswer});
}

TEST(KinesisRecordProcessor, ALostLeaseDropsTheBuffer) {
  Shard shard;
  shard.checkpointed_once();
  shard.records(1);
  auto lease = shard.buffer.acquire(0ms);
  ASSERT_TRUE(lease);
  shard.buffer.consume(*lease);
  shard.replies();
  shard.line(call_line("leaseLost"));
  EXPECT_EQ(shard.replies(), std::vector{protocol::status("leaseLost")});
  EXPECT_FALSE(shard.buffer.commit(*lease));
  shard.processor.progress();
  EXPECT_EQ(shard.replies(), kNothing);
}

TEST(KinesisRecordProcessor, AtAStopTheOpenCallCheckpointsWhatIsCommittedAndWaitsForNoMore) {
  Shard shard;
  shard.initialize();
  shard.records(1);
  EXPECT_EQ(shard.replies(), kNothing);
  shard.processor.stop();
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
}

// R143: after a stop the same few messages came again at each start.
TEST(KinesisRecordProcessor, TheLastCheckpointBeforeAStopIsNotLeftOut) {
  CheckpointRules rules = kRules;
  rules.interval = 60s;
  Shard shard(rules);
  shard.checkpointed_once();
  shard.records(6);
  shard.commit();
  shard.replies();
  shard.processor.stop();
  EXPECT_EQ(shard.replies(), kNothing) << "no call is open";
  shard.records(1);
  EXPECT_EQ(shard.replies(), std::vector{Shard::at(7)}) << "in the next call, whatever it brings";
  shard.result();
  shard.line(call_line("shutdownRequested"));
  EXPECT_EQ(shard.replies(), (std::vector{kAnswer, kShutdownAnswer}));
}

// R135: what was read after the stop came out of the processor.
TEST(KinesisRecordProcessor, RecordsAfterAStopAreNotTaken) {
  Shard shard;
  shard.initialize();
  shard.processor.stop();
  shard.records(3);
  EXPECT_EQ(shard.replies(), std::vector{kAnswer});
  EXPECT_FALSE(shard.buffer.acquire(0ms));
}

TEST(KinesisRecordProcessor, AShardThatEndsAfterAStopIsNotAnsweredBeforeItsRecordsAreCommitted) {
  Shard refused;
  refused.checkpointed_once();
  refused.processor.stop();
  refused.records(1);
  refused.replies();
  refused.line(call_line("shardEnded"));
  refused.pass(60s);
  EXPECT_EQ(refused.replies(), kNothing) << "a record was refused";
  EXPECT_EQ(refused.said(LogLevel::info).size(), 1u);

  Shard held;
  held.checkpointed_once();
  held.records(1);
  held.replies();
  held.line(call_line("shardEnded"));
  held.processor.stop();
  EXPECT_EQ(held.replies(), kNothing) << "a record is not committed";

  Shard drained;
  drained.checkpointed_once();
  drained.processor.stop();
  drained.line(call_line("shardEnded"));
  EXPECT_EQ(drained.replies(), std::vector{protocol::checkpoint_all()});
}

TEST(KinesisRecordProcessor, AnOtherStayOfTheShardLeavesNothingToCheckpoint) {
  Shard shard;
  shard.checkpointed_once();
  shard.records(1);
  shard.commit();
  shard.replies();
  const ShardBufferId next = shard.buffer.create("shard");
  shard.pass(60s);
  shard.records(1);
  shard.line(call_line("shutdownRequested"));
  EXPECT_EQ(shard.replies(), (std::vector{kAnswer, kShutdownAnswer}));
  shard.processor.closed();
  EXPECT_TRUE(shard.buffer.valid(next));
}

TEST(KinesisRecordProcessor, AConnectionThatIsGoneInvalidatesItsBuffer) {
  Shard shard;
  shard.initialize();
  shard.records(1);
  const ShardBufferId id = *shard.processor.buffer_id();
  shard.processor.closed();
  EXPECT_FALSE(shard.buffer.valid(id));
  EXPECT_FALSE(shard.processor.call_open());
  EXPECT_EQ(shard.processor.deadline_ns(), std::nullopt);
  shard.pass(60s);
  shard.processor.stop();
  EXPECT_FALSE(shard.records(1));
  EXPECT_EQ(shard.replies(), kNothing);
}

TEST(KinesisRecordProcessor, BreachesOfTheProtocolCloseTheConnection) {
  using Step = std::function<bool(Shard&)>;
  const auto says = [](std::string line) -> Step {
    return [line](Shard& shard) { return shard.line(line); };
  };
  const Step initialize = says(testing::initialize_line("shard", {"TRIM_HORIZON", 0}));
  const Step records = [](Shard& shard) { return shard.records(1); };
  const Step commit = [](Shard& shard) { return shard.commit(), true; };
  const Step lost = says(call_line("leaseLost")), ended = says(call_line("shardEnded")),
             shutdown = says(call_line("shutdownRequested")), result = says(checkpoint_line());
  const std::vector<std::vector<Step>> cases = {
      {records},
      {lost},
      {ended},
      {shutdown},
      {result},
      {initialize, initialize},
      {initialize, result},
      {initialize, records, records},
      {initialize, records, lost},
      {initialize, records, ended},
      {initialize, records, shutdown},
      {initialize, records, result},
      {initialize, records, commit, records},
      {initialize, records, commit, result, result},
      {initialize, lost, records},
      {initialize, lost, lost},
      {initialize, ended, result, records},
      {initialize, ended, result, ended},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Shard shard;
    for (std::size_t step = 0; step < cases[i].size(); ++step) {
      EXPECT_EQ(cases[i][step](shard), step + 1 < cases[i].size()) << "case " << i << ", " << step;
    }
    EXPECT_EQ(shard.said(LogLevel::error).size(), 1u) << "case " << i;
  }
}

}  // namespace
}  // namespace weir::processors::kinesis
