#include "processors/kinesis/record_buffer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace weir::processors::kinesis {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::hours kLongest{24};  // of one wait, so that no sum of times overflows

std::int64_t later(std::int64_t from_ns, nanoseconds by) {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  return from_ns > never - by.count() ? never : from_ns + by.count();
}

}  // namespace

// One stay of a shard. The map holds it while it is valid, a lease as long as the lease lives.
struct RecordBuffer::Slot {
  enum class Place { none, aging, ready };

  Slot(ShardBufferId id_given, std::int64_t now_ns)
      : id(std::move(id_given)),
        buffer(std::make_unique<ShardBuffer>(id.number, id.shard_id)),
        last_call_ns(now_ns),
        last_checkpoint_ns(now_ns) {}

  bool valid() const { return buffer != nullptr; }

  const ShardBufferId id;
  std::unique_ptr<ShardBuffer> buffer;  // null: invalidated
  bool leased = false;
  std::size_t given_bytes = 0;  // what its lease was given and did not commit
  Place place = Place::none;
  std::uint64_t turn = 0;        // a smaller one is served first
  std::int64_t ready_at_ns = 0;  // while aging
  std::int64_t last_call_ns;
  std::int64_t last_checkpoint_ns;
};

struct RecordBuffer::Effects {
  bool wake_one = false, wake_all = false, room = false;
  std::shared_ptr<const Slot> changed = {};
  // Freed without the lock: large memory takes its time.
  std::unique_ptr<ShardBuffer> dropped_buffer = {};
  std::vector<RecordBatchPtr> dropped = {};
};

void RecordBuffer::perform(Effects& effects) {
  if (effects.wake_all) {
    ready_.notify_all();
  } else if (effects.wake_one) {
    ready_.notify_one();
  }
  if (effects.changed && listener_.changed) listener_.changed(effects.changed->id);
  if (effects.room && listener_.room) listener_.room();
}

RecordBuffer::RecordBuffer(std::uint64_t max_bytes, BatchingRules rules, Clock& clock,
                           Listener listener)
    : max_bytes_(max_bytes), rules_(rules), clock_(clock), listener_(std::move(listener)) {}

RecordBuffer::~RecordBuffer() {
  if (leases_ == 0 && reservations_ == 0) return;
  std::fprintf(stderr, "RecordBuffer ends with %zu leases and %zu reservations out\n", leases_,
               reservations_);
  std::abort();
}

std::shared_ptr<RecordBuffer::Slot> RecordBuffer::find(const ShardBufferId& id) const {
  const auto found = slots_.find(id.shard_id);
  if (found == slots_.end() || found->second->id.number != id.number) return nullptr;
  return found->second;
}

// --- Turns

// Puts the slot where acquire finds it, or takes it out. While it stays in a set, neither its
// turn nor its oldest record changes: both do so under a lease only.
void RecordBuffer::place(Slot& slot, Effects& effects) {
  using Place = Slot::Place;
  Place place = Place::none;
  if (slot.valid() && !slot.leased && !slot.buffer->empty()) {
    const ShardBuffer& buffer = *slot.buffer;
    const bool ready = buffer.bytes() >= rules_.max_batch_bytes || buffer.retrying() ||
                       buffer.end() != ShardEnd::none || rules_.max_batch_duration.count() <= 0;
    place = ready ? Place::ready : Place::aging;
  }
  if (place == slot.place) return;
  take_out(slot);
  slot.place = place;
  if (place == Place::ready) {
    ready_slots_.emplace(slot.turn, &slot);
    effects.wake_one = true;
  } else if (place == Place::aging) {
    slot.ready_at_ns = later(slot.buffer->oldest_ns(), rules_.max_batch_duration);
    const auto at = aging_slots_.emplace(slot.ready_at_ns, &slot).first;
    // Everybody who waits must know the new time: who is woken may give up before it.
    if (at == aging_slots_.begin()) effects.wake_all = true;
    if (waiting_ > 0) effects.wake_one = true;
  }
}

void RecordBuffer::take_out(Slot& slot) {
  if (slot.place == Slot::Place::ready) ready_slots_.erase({slot.turn, &slot});
  if (slot.place == Slot::Place::aging) aging_slots_.erase({slot.ready_at_ns, &slot});
  slot.place = Slot::Place::none;
}

std::shared_ptr<RecordBuffer::Slot> RecordBuffer::take_ready(std::int64_t now_ns) {
  while (!aging_slots_.empty() && aging_slots_.begin()->first <= now_ns) {
    Slot& slot = *aging_slots_.begin()->second;
    take_out(slot);
    slot.place = Slot::Place::ready;
    ready_slots_.emplace(slot.turn, &slot);
  }
  Slot* next = ready_slots_.empty() ? nullptr : ready_slots_.begin()->second;
  if (waiting_ > 0) {
    for (const auto& [time, slot] : aging_slots_) {
      if (!next || slot->turn < next->turn) next = slot;
    }
  }
  if (!next) return nullptr;
  take_out(*next);
  next->leased = true;
  ++leases_;
  return slots_.find(next->id.shard_id)->second;
}

// --- Memory
//
// Invariant: everything counted but one reservation is at most max_bytes. Only `reserve` adds to
// it, and it refuses past max_bytes, save to the one reservation that has the overdraft; a batch
// takes the place of the reservation of its call, which is not smaller. So used_bytes() is at most
// max_bytes and one call. (Where a reservation is released only after its records were added, that
// call counts twice in between.)
//
// Nobody waits for ever: while records are held, memory runs short, so all of them are ready, and
// each commit calls `room`. While none are held, the first who asks and does not fit gets the
// overdraft, and reads its call to the end; its release calls `room`.

bool RecordBuffer::reserve(Reservation& reservation, std::size_t bytes) {
  Effects effects;
  {
    const std::lock_guard lock(mutex_);
    if (!reservation.buffer_) {
      reservation.buffer_ = this;
      ++reservations_;
    }
    if (reservation.buffer_ != this) std::abort();
    const std::uint64_t used = records_bytes_ + reserved_bytes_;
    const bool fits = bytes == 0 || (used <= max_bytes_ && bytes <= max_bytes_ - used);
    if (!fits && !overdrawn_ && records_bytes_ == 0) reservation.overdraft_ = overdrawn_ = true;
    if (fits || reservation.overdraft_) {
      reservation.bytes_ += bytes;
      reserved_bytes_ += bytes;
      if (std::exchange(reservation.waiting_, false)) --waiting_;
      return true;
    }
    room_wanted_ = true;
    if (!std::exchange(reservation.waiting_, true) && ++waiting_ == 1) effects.wake_all = true;
  }
  perform(effects);
  return false;
}

void RecordBuffer::free_records(std::size_t bytes, Effects& effects) {
  if (bytes == 0) return;
  records_bytes_ -= bytes;
  if (std::exchange(room_wanted_, false)) effects.room = true;
}

void RecordBuffer::let_go(Reservation& reservation) {
  Effects effects;
  {
    const std::lock_guard lock(mutex_);
    reserved_bytes_ -= reservation.bytes_;
    if (reservation.overdraft_) overdrawn_ = false;
    if (reservation.waiting_) --waiting_;
    --reservations_;
    // Also where it held nothing: it may have been the first of those who wait.
    if (std::exchange(room_wanted_, false)) effects.room = true;
  }
  perform(effects);
}

std::size_t RecordBuffer::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return records_bytes_ + reserved_bytes_;
}

RecordBuffer::Reservation::Reservation(Reservation&& other) noexcept
    : buffer_(std::exchange(other.buffer_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      overdraft_(std::exchange(other.overdraft_, false)),
      waiting_(std::exchange(other.waiting_, false)) {}

RecordBuffer::Reservation& RecordBuffer::Reservation::operator=(Reservation&& other) noexcept {
  Reservation taken(std::move(other));
  std::swap(buffer_, taken.buffer_);
  std::swap(bytes_, taken.bytes_);
  std::swap(overdraft_, taken.overdraft_);
  std::swap(waiting_, taken.waiting_);
  return *this;
}

void RecordBuffer::Reservation::release() {
  if (!buffer_) return;
  // Empty before the call: the listener may come back to it.
  Reservation taken(std::move(*this));
  std::exchange(taken.buffer_, nullptr)->let_go(taken);
}

// --- The KCL's side

ShardBufferId RecordBuffer::create(const std::string& shard_id) {
  Effects effects;
  ShardBufferId id{shard_id, 0};
  {
    const std::lock_guard lock(mutex_);
    if (const auto older = slots_.find(shard_id); older != slots_.end()) {
      invalidate(std::shared_ptr(older->second), effects);
    }
    id.number = next_number_++;
    const auto slot = std::make_shared<Slot>(id, clock_.steady_ns());
    slot->turn = next_turn_++;
    slots_.emplace(shard_id, slot);
  }
  perform(effects);
  return id;
}

bool RecordBuffer::add(const ShardBufferId& id, RecordBatchPtr batch) {
  Effects effects;
  {
    const std::lock_guard lock(mutex_);
    const auto slot = find(id);
    if (!slot) return false;
    slot->last_call_ns = clock_.steady_ns();
    const std::size_t before = slot->buffer->bytes();
    slot->buffer->add(std::move(batch), slot->last_call_ns);
    records_bytes_ += slot->buffer->bytes() - before;
    place(*slot, effects);
  }
  perform(effects);
  return true;
}

bool RecordBuffer::touch(const ShardBufferId& id, std::int64_t millis_behind_latest) {
  const std::lock_guard lock(mutex_);
  const auto slot = find(id);
  if (!slot) return false;
  slot->last_call_ns = clock_.steady_ns();
  slot->buffer->set_millis_behind_latest(millis_behind_latest);
  return true;
}

bool RecordBuffer::end(const ShardBufferId& id, ShardEnd end) {
  Effects effects;
  {
    const std::lock_guard lock(mutex_);
    const auto slot = find(id);
    if (!slot) return false;
    slot->last_call_ns = clock_.steady_ns();
    slot->buffer->set_end(end);
    place(*slot, effects);
  }
  perform(effects);
  return true;
}

void RecordBuffer::invalidate(const ShardBufferId& id) {
  Effects effects;
  {
    const std::lock_guard lock(mutex_);
    if (const auto slot = find(id)) invalidate(slot, effects);
  }
  perform(effects);
}

void RecordBuffer::invalidate(const std::shared_ptr<Slot>& slot, Effects& effects) {
  take_out(*slot);
  slots_.erase(slot->id.shard_id);
  // What a lease was given is in a task's hands: it counts until the lease is given back.
  free_records(slot->buffer->bytes() - slot->given_bytes, effects);
  effects.dropped_buffer = std::move(slot->buffer);
  effects.changed = slot;
}

std::optional<Position> RecordBuffer::to_checkpoint(const ShardBufferId& id) const {
  const std::lock_guard lock(mutex_);
  const auto slot = find(id);
  const Position* position = slot ? slot->buffer->to_checkpoint() : nullptr;
  return position ? std::optional(*position) : std::nullopt;
}

void RecordBuffer::checkpointed(const ShardBufferId& id, const Position& position) {
  const std::lock_guard lock(mutex_);
  const auto slot = find(id);
  if (slot && slot->buffer->set_checkpointed(position)) {
    slot->last_checkpoint_ns = clock_.steady_ns();
  }
}

bool RecordBuffer::drained(const ShardBufferId& id) const {
  const std::lock_guard lock(mutex_);
  const auto slot = find(id);
  return slot && slot->buffer->empty();
}

bool RecordBuffer::valid(const ShardBufferId& id) const {
  const std::lock_guard lock(mutex_);
  return find(id) != nullptr;
}

std::vector<ShardStatus> RecordBuffer::status() const {
  const std::lock_guard lock(mutex_);
  std::vector<ShardStatus> all;
  all.reserve(slots_.size());
  for (const auto& [shard_id, slot] : slots_) {
    const ShardBuffer& buffer = *slot->buffer;
    all.push_back({.id = slot->id,
                   .records = buffer.records(),
                   .bytes = buffer.bytes(),
                   .leased = slot->leased,
                   .millis_behind_latest = buffer.millis_behind_latest(),
                   .last_call_ns = slot->last_call_ns,
                   .last_checkpoint_ns = slot->last_checkpoint_ns,
                   .checkpoint_outstanding = buffer.to_checkpoint() != nullptr});
  }
  return all;
}

// --- The processor's side

std::optional<RecordBuffer::Lease> RecordBuffer::acquire(milliseconds most) {
  std::unique_lock lock(mutex_);
  std::optional<steady_clock::time_point> deadline;
  while (!closed_) {
    const std::int64_t now_ns = clock_.steady_ns();
    if (auto slot = take_ready(now_ns)) return Lease(*this, std::move(slot));
    if (most <= milliseconds(0)) break;
    // The clock decides; how long to sleep is real time, whatever the clock is.
    const auto real_now = steady_clock::now();
    if (!deadline) deadline = real_now + std::min<milliseconds>(most, kLongest);
    if (real_now >= *deadline) break;
    auto until = *deadline;
    if (!aging_slots_.empty()) {
      const nanoseconds left(aging_slots_.begin()->first - now_ns);
      until = std::min(until, real_now + std::clamp<nanoseconds>(left, milliseconds(1), kLongest));
    }
    ready_.wait_until(lock, until);
  }
  return std::nullopt;
}

std::vector<RecordBatchPtr> RecordBuffer::consume(const Lease& lease) {
  const std::lock_guard lock(mutex_);
  if (!lease.slot_ || !lease.slot_->valid()) return {};
  std::vector<RecordBatchPtr> batches = lease.slot_->buffer->consume();
  lease.slot_->given_bytes = lease.slot_->buffer->bytes();
  return batches;
}

bool RecordBuffer::commit(const Lease& lease) {
  Effects effects;
  {
    const std::lock_guard lock(mutex_);
    if (!lease.slot_ || !lease.slot_->valid()) return false;
    ShardBuffer& buffer = *lease.slot_->buffer;
    const std::size_t before = buffer.bytes();
    effects.dropped = buffer.commit();
    if (!effects.dropped.empty()) {
      lease.slot_->given_bytes = 0;
      free_records(before - buffer.bytes(), effects);
      effects.changed = lease.slot_;
    }
  }
  perform(effects);
  return true;
}

void RecordBuffer::roll_back(const Lease& lease) {
  const std::lock_guard lock(mutex_);
  if (lease.slot_ && lease.slot_->valid()) lease.slot_->buffer->roll_back();
}

// The end of `lease`, which is the caller's own by now, gives it back.
void RecordBuffer::give_back(Lease lease) {
  static_cast<void>(lease);
}

void RecordBuffer::let_go(const Lease& lease) {
  Effects effects;
  {
    const std::lock_guard lock(mutex_);
    Slot& slot = *lease.slot_;
    --leases_;
    slot.leased = false;
    const std::size_t given_bytes = std::exchange(slot.given_bytes, 0);
    if (slot.valid()) {
      slot.buffer->roll_back();
      // Behind all others, so that a shard that fails again and again holds nobody up.
      slot.turn = next_turn_++;
      place(slot, effects);
    } else {
      free_records(given_bytes, effects);
    }
  }
  perform(effects);
}

bool RecordBuffer::valid(const Lease& lease) const {
  const std::lock_guard lock(mutex_);
  return lease.slot_ && lease.slot_->valid();
}

void RecordBuffer::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  ready_.notify_all();
}

RecordBuffer::Lease::Lease(Lease&& other) noexcept
    : buffer_(std::exchange(other.buffer_, nullptr)), slot_(std::move(other.slot_)) {}

RecordBuffer::Lease& RecordBuffer::Lease::operator=(Lease&& other) noexcept {
  Lease taken(std::move(other));
  std::swap(buffer_, taken.buffer_);
  std::swap(slot_, taken.slot_);
  return *this;
}

RecordBuffer::Lease::~Lease() {
  if (buffer_) buffer_->let_go(*this);
}

const ShardBufferId& RecordBuffer::Lease::id() const {
  return slot_->id;
}

}  // namespace weir::processors::kinesis
