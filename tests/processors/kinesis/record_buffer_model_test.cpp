#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <thread>

#include "tests/processors/kinesis/record_buffer_fixture.h"

namespace weir::processors::kinesis {
namespace {

using namespace std::chrono_literals;
using namespace test;

// What one stay of a shard should hold, in the plainest form.
struct Stay {
  ShardBufferId id;
  bool valid = true, leased = false, given = false, ended = false;
  struct Held {
    RecordBatchPtr batch;
    std::int64_t arrived_ns = 0;
  };
  std::vector<Held> pending = {}, in_progress = {};
  std::size_t lease_bytes = 0;  // in the hands of a task
  std::optional<Position> committed, checkpointed;
  std::uint64_t turn = 0;

  static std::size_t bytes(const std::vector<Held>& held) {
    std::size_t sum = 0;
    for (const Held& each : held) sum += each.batch->bytes();
    return sum;
  }
  static std::size_t records(const std::vector<Held>& held) {
    std::size_t sum = 0;
    for (const Held& each : held) sum += each.batch->records().size();
    return sum;
  }
  bool empty() const { return pending.empty() && in_progress.empty(); }
  std::size_t bytes() const { return bytes(pending) + bytes(in_progress); }
};
using StayPtr = std::shared_ptr<Stay>;

// A call of the KCL that is being read, piece by piece.
struct Call {
  StayPtr stay;
  RecordBatchPtr batch;
  RecordBuffer::Reservation reservation = {};
  bool asked = false, overdraft = false, waiting = false;
};

struct LeaseOut {
  RecordBuffer::Lease lease;
  StayPtr stay;
};

// Drives a RecordBuffer by random steps, and knows what each must do.
class Interleaving {
 public:
  explicit Interleaving(std::uint64_t seed)
      : random_(seed),
        max_bytes_(100 + pick(pick(2) == 0 ? 400 : 4000)),
        rules_{.max_batch_bytes = pick(3) == 0 ? 0 : pick(2000),
               .max_batch_duration = std::chrono::nanoseconds(pick(3) == 0 ? 0 : pick(50))},
        buffer_(max_bytes_, rules_, clock_,
                {.changed = [this](const ShardBufferId& id) { changed_.push_back(id); },
                 .room = [this] { ++rooms_; }}) {}

  void steps(int count) {
    for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
      step();
      check();
    }
    if (!testing::Test::HasFailure()) finish();
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  template <typename List>
  auto any(List& list) {
    return std::next(list.begin(), static_cast<std::ptrdiff_t>(pick(list.size())));
  }
  StayPtr any_stay() { return *any(stays_); }

  void step() {
    const std::uint64_t kind = pick(100);
    if (stays_.empty() || kind < 4) return create();
    if (kind < 7) return invalidate(any_stay());
    if (kind < 10) return end(any_stay());
    if (kind < 22) return begin_call();
    if (kind < 45) return calls_.empty() ? begin_call() : void(grow(any(calls_)));
    if (kind < 47) return calls_.empty() ? create() : drop(any(calls_));
    if (kind < 52) return clock_.advance(std::chrono::nanoseconds(pick(30)));
    if (kind < 57) return checkpoint(any_stay());
    if (kind < 70 || leases_.empty()) return acquire();
    if (kind < 80) return consume(*any(leases_));
    if (kind < 88) return commit(*any(leases_));
    if (kind < 91) return roll_back(*any(leases_));
    give_back(any(leases_));
  }

  // --- The KCL's side

  void create() {
    const std::string shard = std::string(1, static_cast<char>('a' + pick(4)));
    for (const StayPtr& stay : stays_) {
      if (stay->valid && stay->id.shard_id == shard) model_invalidate(*stay);
    }
    auto stay = std::make_shared<Stay>();
    stay->id = buffer_.create(shard);
    stay->turn = next_turn_++;
    EXPECT_EQ(stay->id.shard_id, shard);
    for (const StayPtr& other : stays_) EXPECT_NE(other->id.number, stay->id.number);
    stays_.push_back(std::move(stay));
    // Only void ones are forgotten: a shard has one valid stay, and there are four shards.
    for (auto at = stays_.begin(); at != stays_.end() && stays_.size() > 8;) {
      at = (*at)->valid ? std::next(at) : stays_.erase(at);
    }
  }

  void model_invalidate(Stay& stay) {
    model_free(stay.bytes() - stay.lease_bytes);
    stay.valid = false;
    stay.pending.clear();
    stay.in_progress.clear();
    want_changed_.push_back(stay.id);
  }

  void invalidate(const StayPtr& stay) {
    if (stay->valid) model_invalidate(*stay);
    buffer_.invalidate(stay->id);
  }

  void end(const StayPtr& stay) {
    EXPECT_EQ(buffer_.end(stay->id, ShardEnd::shutdown_requested), stay->valid);
    if (stay->valid) stay->ended = true;
  }

  void begin_call() {
    const StayPtr stay = any_stay();
    if (std::ranges::find(calls_, stay, &Call::stay) != calls_.end()) return;  // one at a time
    const std::size_t count = pick(8) == 0 ? pick(100) : pick(8);
    calls_.push_back({.stay = stay, .batch = batch(next_number_, count)});
    next_number_ += count;
    all_batches_.push_back(calls_.back().batch);
    largest_call_ = std::max(largest_call_, calls_.back().batch->bytes());
  }

  // Reserves more, or ends the call that has all. True where it was not refused.
  bool grow(std::list<Call>::iterator call) {
    const std::size_t left = call->batch->bytes() - call->reservation.bytes();
    if (left == 0) {
      finish_call(call);
      return true;
    }
    const std::size_t piece = pick(2) == 0 ? left : pick(left + 1);
    const std::size_t used = model_used();
    call->asked = true;
    const bool fits = piece == 0 || used + piece <= max_bytes_;
    const bool overdrawn = std::ranges::any_of(calls_, &Call::overdraft);
    if (!fits && !overdrawn && model_records() == 0) call->overdraft = true;
    const bool granted = fits || call->overdraft;
    EXPECT_EQ(buffer_.reserve(call->reservation, piece), granted);
    call->waiting = !granted;
    if (!granted) room_wanted_ = true;
    return granted;
  }

  void finish_call(std::list<Call>::iterator call) {
    const StayPtr stay = call->stay;
    const RecordBatchPtr given = call->batch;
    drop(call);
    EXPECT_EQ(buffer_.add(stay->id, given), stay->valid);
    if (stay->valid && !given->records().empty()) {
      stay->pending.push_back({given, clock_.steady_ns()});
    }
  }

  void drop(std::list<Call>::iterator call) {
    const bool asked = call->asked;
    calls_.erase(call);
    if (asked) model_room();
  }

  void checkpoint(const StayPtr& stay) {
    const auto position = buffer_.to_checkpoint(stay->id);
    if (position) {
      buffer_.checkpointed(stay->id, *position);
      stay->checkpointed = position;
    }
  }

  // --- The processor's side

  bool ready(const Stay& stay) const {
    if (!stay.valid || stay.leased || stay.empty()) return false;
    const auto& oldest = stay.in_progress.empty() ? stay.pending[0] : stay.in_progress[0];
    return stay.bytes() >= rules_.max_batch_bytes || !stay.in_progress.empty() || stay.ended ||
           oldest.arrived_ns + rules_.max_batch_duration.count() <= clock_.steady_ns() ||
           std::ranges::any_of(calls_, &Call::waiting);
  }

  void acquire() {
    StayPtr next;
    for (const StayPtr& stay : stays_) {
      if (ready(*stay) && (!next || stay->turn < next->turn)) next = stay;
    }
    auto lease = buffer_.acquire(0ms);
    ASSERT_EQ(lease.has_value(), next != nullptr);
    if (!lease) return;
    ASSERT_EQ(lease->id(), next->id);
    next->leased = true;
    leases_.push_back({std::move(*lease), next});
  }

  void consume(LeaseOut& out) {
    Stay& stay = *out.stay;
    std::vector<RecordBatchPtr> wanted;
    if (stay.valid) {
      std::ranges::move(stay.pending, std::back_inserter(stay.in_progress));
      stay.pending.clear();
      stay.given = true;
      stay.lease_bytes = stay.bytes();
      for (const Stay::Held& held : stay.in_progress) wanted.push_back(held.batch);
    }
    EXPECT_EQ(buffer_.consume(out.lease), wanted);
    const auto order = numbers(wanted);
    EXPECT_EQ(std::ranges::adjacent_find(order, std::ranges::greater_equal()), order.end());
  }

  void commit(LeaseOut& out) {
    Stay& stay = *out.stay;
    EXPECT_EQ(buffer_.commit(out.lease), stay.valid);
    if (!stay.valid || !stay.given) return;
    stay.given = false;
    if (stay.in_progress.empty()) return;
    const Position last = stay.in_progress.back().batch->records().back().position();
    EXPECT_TRUE(!stay.committed || *stay.committed < last);
    stay.committed = last;
    const std::size_t freed = Stay::bytes(stay.in_progress);
    stay.in_progress.clear();
    stay.lease_bytes = 0;
    model_free(freed);
    want_changed_.push_back(stay.id);
  }

  void roll_back(LeaseOut& out) {
    buffer_.roll_back(out.lease);
    out.stay->given = false;
  }

  void give_back(std::list<LeaseOut>::iterator out) {
    const StayPtr stay = out->stay;
    if (pick(2) == 0) buffer_.give_back(std::move(out->lease));
    leases_.erase(out);
    stay->leased = stay->given = false;
    const std::size_t freed = std::exchange(stay->lease_bytes, 0);
    if (!stay->valid) model_free(freed);
    stay->turn = next_turn_++;
  }

  // --- The checks

  std::size_t model_records() const {
    std::size_t sum = 0;
    for (const StayPtr& stay : stays_) sum += stay->valid ? stay->bytes() : 0;
    for (const LeaseOut& out : leases_) sum += out.stay->valid ? 0 : out.stay->lease_bytes;
    return sum;
  }
  std::size_t model_used() const {
    std::size_t sum = model_records();
    for (const Call& call : calls_) sum += call.reservation.bytes();
    return sum;
  }
  void model_free(std::size_t bytes) {
    if (bytes > 0) model_room();
  }
  void model_room() {
    if (std::exchange(room_wanted_, false)) ++want_rooms_;
  }

  void check() {
    EXPECT_EQ(buffer_.used_bytes(), model_used());
    EXPECT_LE(buffer_.used_bytes(), max_bytes_ + largest_call_);
    EXPECT_EQ(changed_, want_changed_);
    EXPECT_EQ(rooms_, want_rooms_);
    std::map<ShardBufferId, ShardStatus> status;
    for (ShardStatus& each : buffer_.status()) status.emplace(each.id, each);
    std::size_t valid = 0;
    for (const StayPtr& stay : stays_) {
      EXPECT_EQ(buffer_.valid(stay->id), stay->valid);
      EXPECT_EQ(buffer_.drained(stay->id), stay->valid && stay->empty());
      const bool outstanding = stay->valid && stay->committed != stay->checkpointed;
      EXPECT_EQ(buffer_.to_checkpoint(stay->id), outstanding ? stay->committed : std::nullopt);
      if (!stay->valid) continue;
      ++valid;
      ASSERT_TRUE(status.contains(stay->id));
      const ShardStatus& told = status[stay->id];
      EXPECT_EQ(told.records, Stay::records(stay->pending) + Stay::records(stay->in_progress));
      EXPECT_EQ(told.bytes, stay->bytes());
      EXPECT_EQ(told.leased, stay->leased);
      EXPECT_EQ(told.checkpoint_outstanding, outstanding);
    }
    EXPECT_EQ(status.size(), valid);
    for (const LeaseOut& out : leases_) EXPECT_EQ(buffer_.valid(out.lease), out.stay->valid);
  }

  // Every call gets read in the end, asked for in the order of refusal and by `room` only; all is
  // served; nothing is left, in the count or in memory.
  void finish() {
    while (!leases_.empty()) give_back(leases_.begin());
    bool told = true;
    for (int round = 0; !calls_.empty() || model_records() > 0; ++round) {
      ASSERT_LT(round, 10'000) << "a refused call waits for ever";
      ASSERT_TRUE(told) << "nobody told of the room";
      // As BridgeServer does: the refused in order, up to the first that is refused again. Who was
      // not refused reads on.
      while (!calls_.empty() && grow(calls_.begin())) check();
      const int before = rooms_;
      for (auto call = reading(); call != calls_.end(); call = reading()) grow(call);
      clock_.advance(std::chrono::nanoseconds(50));
      for (acquire(); !leases_.empty(); acquire()) {
        consume(leases_.back());
        commit(leases_.back());
        give_back(std::prev(leases_.end()));
      }
      check();
      if (testing::Test::HasFailure()) return;
      told = calls_.empty() || rooms_ > before;
    }
    EXPECT_EQ(buffer_.used_bytes(), 0u);
    for (const auto& each : all_batches_) EXPECT_TRUE(each.expired());
  }

  std::list<Call>::iterator reading() {
    return std::ranges::find_if(calls_, [](const Call& call) { return !call.waiting; });
  }

  std::mt19937_64 random_;
  ManualClock clock_;
  const std::uint64_t max_bytes_;
  const BatchingRules rules_;
  std::vector<ShardBufferId> changed_, want_changed_;
  int rooms_ = 0, want_rooms_ = 0;
  RecordBuffer buffer_;
  std::vector<StayPtr> stays_;
  std::list<Call> calls_;
  std::list<LeaseOut> leases_;
  std::vector<std::weak_ptr<const RecordBatch>> all_batches_;
  std::uint64_t next_turn_ = 1, next_number_ = 1'000'000;
  std::size_t largest_call_ = 0;
  bool room_wanted_ = false;
};

TEST(RecordBufferModelTest, RandomStepsDoWhatThePlainModelDoes) {
  std::uint64_t seed = seed_of_run();
  for (std::uint64_t i = 0; i < loops(150); ++i, ++seed) {
    SCOPED_TRACE("WEIR_SEED=" + std::to_string(seed));
    Interleaving(seed).steps(400);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace weir::processors::kinesis
