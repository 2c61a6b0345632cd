#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>

#include "processors/kinesis/record_processor.h"
#include "tests/engine/runtime/random_test.h"
#include "tests/processors/bench/manual_clock.h"
#include "tests/processors/kinesis/fake_kcl.h"

// The adapter and the buffer, driven at random by a model of the KCL on one side and one of the
// processor's tasks on the other. What must hold is the fake KCL's to watch.
namespace weir::processors::kinesis {
namespace {

using namespace std::chrono_literals;
using bench::ManualClock;
using testing::FakeKcl;

class SilentLog : public ComponentLog {
 public:
  bool enabled(LogLevel level) const override { return level >= LogLevel::error; }
  void write(LogLevel, std::string_view message) override { errors.emplace_back(message); }
  std::vector<std::string> errors;
};

class World {
 public:
  World(FakeKcl::Settings settings, std::uint64_t seed)
      : random_(seed), kcl_(std::move(settings), random_()) {
    rules_.interval = std::chrono::seconds(random_() % 3 * 5);
  }

  void step() {
    if (!processor_ || kcl_.stay_over()) connect();
    switch (random_() % 16) {
      case 0:
        return pass_time();
      case 1:
        if (chance(3)) return lose_connection();
        if (chance(stopped_ ? 30 : 2)) return stop();
        return tell_of_changes();
      case 2:
      case 3:
        return take_lease();
      case 4:
      case 5:
        return use_lease();
      case 6:
        return tell_of_changes();
      default:
        return speak();
    }
  }

  const FakeKcl& kcl() const { return kcl_; }
  // Nothing the KCL said may look like a breach of its protocol, nor be refused as a position.
  const std::vector<std::string>& errors() const { return log_.errors; }
  std::size_t used_bytes() {
    processor_.reset();
    old_.reset();
    leases_.clear();
    return buffer_.used_bytes();
  }

 private:
  struct Task {
    RecordBuffer::Lease lease;
    std::vector<RecordBatchPtr> batches = {};
    bool consumed = false, session_committed = false;
  };

  bool chance(unsigned percent) { return random_() % 100 < percent; }

  void connect() {
    // The end of the old connection may be noticed after the new one began.
    old_ = std::move(processor_);
    if (old_ && chance(50)) old_->closed();
    sent_.clear();
    stopped_ = false;
    kcl_.begin_stay();
    processor_ = std::make_unique<ConsumeKinesisRecordProcessor>(
        buffer_, rules_, clock_, log_, [this, stay = kcl_.stay()](std::string line) {
          if (stay == kcl_.stay()) sent_.push_back(std::move(line));
        });
  }

  // A line one way or the other.
  void speak() {
    if (!sent_.empty() && chance(70)) {
      kcl_.line_in(sent_.front());
      sent_.pop_front();
      return;
    }
    auto line = kcl_.line_out();
    if (!line) return;
    const std::size_t size = line->size();
    line->resize(size + protocol::Reader::padding());
    auto message = reader_.read({line->data(), size});
    ASSERT_TRUE(message) << message.error();
    ASSERT_TRUE(processor_->message(std::move(*message)));
  }

  void pass_time() {
    clock_.advance(random_() % 2 == 0 ? 100ms : 1s);
    const auto deadline = processor_->deadline_ns();
    if (deadline && clock_.steady_ns() >= *deadline) processor_->progress();
  }

  void tell_of_changes() {
    if (old_ && chance(20)) old_.reset();
    if (!std::exchange(changed_, false)) return;
    processor_->progress();
    if (old_) old_->progress();
  }

  void lose_connection() {
    kcl_.connection_lost();
    processor_->closed();
  }

  // As the engine does it: the tasks end first. Sooner or later the daemon is told to go, and is
  // killed where it does not.
  void stop() {
    if (stopped_) {
      if (chance(50)) kcl_.ask_for_shutdown();
      if (kcl_.call_open() && chance(30)) lose_connection();
      return;
    }
    while (!leases_.empty()) use_lease();
    stopped_ = true;
    processor_->stop();
  }

  void take_lease() {
    if (stopped_) return;
    if (auto lease = buffer_.acquire(0ms)) leases_.push_back({std::move(*lease)});
  }

  // One step of one task: the lease may have become void at any of them.
  void use_lease() {
    if (leases_.empty()) return;
    const std::size_t at = random_() % leases_.size();
    Task& task = leases_[at];
    if (!task.consumed) {
      task.batches = buffer_.consume(task.lease);
      task.consumed = true;
      return;
    }
    if (!task.session_committed && chance(75)) {
      if (!buffer_.valid(task.lease) && chance(50)) return give_back(at);
      for (const RecordBatchPtr& batch : task.batches) {
        for (const Record& record : batch->records()) kcl_.commit(record);
      }
      task.session_committed = true;
      return;
    }
    if (task.session_committed) {
      buffer_.commit(task.lease);
    } else {
      buffer_.roll_back(task.lease);
    }
    give_back(at);
  }

  void give_back(std::size_t at) {
    if (chance(50)) buffer_.give_back(std::move(leases_[at].lease));
    leases_.erase(leases_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::mt19937_64 random_;
  FakeKcl kcl_;
  CheckpointRules rules_;
  ManualClock clock_;
  SilentLog log_;
  bool changed_ = false;
  RecordBuffer buffer_{
      1 << 20, {}, clock_, {.changed = [this](const ShardBufferId&) { changed_ = true; }}};
  std::vector<Task> leases_;  // end before the buffer
  protocol::Reader reader_;
  std::deque<std::string> sent_;
  bool stopped_ = false;
  std::unique_ptr<ConsumeKinesisRecordProcessor> processor_, old_;
};

TEST(KinesisRecordProcessorModel, LosesNothingWhateverHappens) {
  const std::uint64_t first_seed = runtime::testing::test_seed(1);
  const int rounds = runtime::testing::test_loops(3000);
  std::size_t duplicates = 0, stays = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(round);
    FakeKcl::Settings settings;
    settings.fail_percent = static_cast<unsigned>(seed % 4 * 15);
    settings.disturb_percent = static_cast<unsigned>(seed % 3 * 3);
    World world(settings, seed);
    int steps = 0;
    for (; steps < 100'000 && !(world.kcl().shard_end_written() && world.kcl().stay_over());
         ++steps) {
      world.step();
      ASSERT_EQ(world.kcl().problem(), "") << "WEIR_SEED=" << seed << ", step " << steps;
      ASSERT_TRUE(world.errors().empty()) << "WEIR_SEED=" << seed << ": " << world.errors()[0];
      ASSERT_FALSE(HasFatalFailure()) << "WEIR_SEED=" << seed << ", step " << steps;
    }
    ASSERT_TRUE(world.kcl().shard_end_written())
        << "WEIR_SEED=" << seed << ": never came to an end";
    ASSERT_EQ(world.kcl().committed(), settings.records) << "WEIR_SEED=" << seed;
    ASSERT_EQ(world.used_bytes(), 0u) << "WEIR_SEED=" << seed;
    duplicates += world.kcl().commits() - settings.records;
    stays += world.kcl().stay();
  }
  // The model would prove little if the lease never went in the middle of things.
  EXPECT_GT(stays, static_cast<std::size_t>(rounds) * 2);
  EXPECT_GT(duplicates, static_cast<std::size_t>(rounds));
}

// Nothing goes wrong, the clock goes on, a task commits after each call: what is left to chance is
// the calls.
struct SmoothRun {
  SmoothRun(std::size_t records, std::chrono::nanoseconds interval)
      : kcl({.records = records, .fail_percent = 0, .disturb_percent = 0}, 7),
        processor(buffer, {.interval = interval}, clock, log,
                  [this](std::string line) { sent.push_back(std::move(line)); }) {
    kcl.begin_stay();
  }

  void round() {
    if (auto line = kcl.line_out()) {
      const std::size_t size = line->size();
      line->resize(size + protocol::Reader::padding());
      ASSERT_TRUE(processor.message(*reader.read({line->data(), size})));
    }
    if (auto lease = buffer.acquire(0ms)) {
      for (const RecordBatchPtr& batch : buffer.consume(*lease)) {
        for (const Record& record : batch->records()) kcl.commit(record);
      }
      ASSERT_TRUE(buffer.commit(*lease));
      processor.progress();
    }
    for (; !sent.empty(); sent.pop_front()) kcl.line_in(sent.front());
    ASSERT_EQ(kcl.problem(), "");
    clock.advance(kRound);
  }

  static constexpr std::chrono::nanoseconds kRound = 50ms;
  FakeKcl kcl;
  ManualClock clock;
  SilentLog log;
  RecordBuffer buffer{1 << 20, {}, clock, {}};
  protocol::Reader reader;
  std::deque<std::string> sent;
  ConsumeKinesisRecordProcessor processor;
};

TEST(KinesisRecordProcessorModel, DeliversEachRecordOnceWhereNothingGoesWrong) {
  SmoothRun run(60, 5s);
  for (int i = 0; i < 2000 && !run.kcl.stay_over(); ++i) ASSERT_NO_FATAL_FAILURE(run.round());
  EXPECT_TRUE(run.kcl.shard_end_written());
  EXPECT_EQ(run.kcl.commits(), 60u);
}

// R123, R144: a death between the commit and its checkpoint brought more records again than those
// of one interval.
TEST(KinesisRecordProcessorModel, ADeathAtAnyTimeBringsNoMoreThanOneIntervalAgain) {
  for (const std::chrono::nanoseconds interval : {0s, 5s, 60s}) {
    SmoothRun run(9000, interval);
    std::vector<std::size_t> committed;  // after each round
    const auto rounds = static_cast<std::size_t>(interval / SmoothRun::kRound) + 3;
    while (!run.kcl.stay_over() && committed.size() < 100'000) {
      ASSERT_NO_FATAL_FAILURE(run.round());
      committed.push_back(run.kcl.committed());
      if (committed.size() <= rounds) continue;
      ASSERT_GE(run.kcl.stored(), committed[committed.size() - 1 - rounds])
          << "interval " << interval / 1s << " s";
    }
    EXPECT_TRUE(run.kcl.shard_end_written());
  }
}

}  // namespace
}  // namespace weir::processors::kinesis
