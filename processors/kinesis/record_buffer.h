#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/environment.h"
#include "processors/kinesis/shard_buffer.h"

namespace weir::processors::kinesis {

// Names one stay of a shard here. A shard that goes and comes back gets another number.
struct ShardBufferId {
  std::string shard_id;
  std::uint64_t number = 0;

  auto operator<=>(const ShardBufferId&) const = default;
};

// When a buffer is given to a processor.
struct BatchingRules {
  std::uint64_t max_batch_bytes = 0;               // this much is enough; 0: any record is
  std::chrono::nanoseconds max_batch_duration{0};  // so long a record waits for others at most
};

// What one shard's buffer tells of itself, for metrics and the watch over stalled shards.
struct ShardStatus {
  ShardBufferId id;
  std::size_t records = 0, bytes = 0;
  bool leased = false;
  std::int64_t millis_behind_latest = 0;
  std::int64_t last_call_ns = 0;        // of the KCL for this shard; steady clock
  std::int64_t last_checkpoint_ns = 0;  // or its creation
  bool checkpoint_outstanding = false;  // something committed is not checkpointed yet
};

// Holds the buffers of all shards that this consumer has leases of, and stands between the KCL,
// which fills them, and the processor's tasks, which empty them (NIFI-14727):
//  - creates a buffer for each stay of a shard, and invalidates it when the stay ends: what it held
//    is dropped, a lease on it is void and commits nothing;
//  - gives exclusive leases on buffers to tasks, in turn, so that no shard starves another, and
//    gives a shard's records to one task at a time, which keeps their order;
//  - counts the memory of all records, and bounds it by letting the KCL wait.
// Thread safe. No call blocks but `acquire`. Leases and reservations must be gone before it.
class RecordBuffer {
  struct Slot;

 public:
  // A processor's exclusive right to read one buffer. Given back by `give_back`; one that is only
  // destroyed is given back without a commit.
  class Lease {
   public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease();
    const ShardBufferId& id() const;

   private:
    friend class RecordBuffer;
    Lease(RecordBuffer& buffer, std::shared_ptr<Slot> slot)
        : buffer_(&buffer), slot_(std::move(slot)) {}
    RecordBuffer* buffer_;  // null: given back
    std::shared_ptr<Slot> slot_;
  };

  // Memory that a call being read takes before it is a batch. Released by its end.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&& other) noexcept;
    ~Reservation() { release(); }
    std::size_t bytes() const { return bytes_; }
    void release();

   private:
    friend class RecordBuffer;
    RecordBuffer* buffer_ = nullptr;
    std::size_t bytes_ = 0;
    bool overdraft_ = false;  // may go past the bound
    bool waiting_ = false;    // was refused, and was not served since
  };

  // `changed(id)` is called after a commit of this buffer, and after it was invalidated; `room()`
  // after memory became free while somebody had been refused. Both from any thread, also from
  // within a call made by the listener's own, and with no lock held.
  struct Listener {
    std::function<void(const ShardBufferId&)> changed = {};
    std::function<void()> room = {};
  };

  RecordBuffer(std::uint64_t max_bytes, BatchingRules rules, Clock& clock, Listener listener);
  ~RecordBuffer();

  // --- The KCL's side. A call with the id of an invalidated buffer does nothing and says so.

  // Begins a stay. An older buffer of the same shard is invalidated.
  ShardBufferId create(const std::string& shard_id);
  bool add(const ShardBufferId& id, RecordBatchPtr batch);
  // A call of the KCL that brought no records.
  bool touch(const ShardBufferId& id, std::int64_t millis_behind_latest);
  // Ends the wait for larger batches; for lease_lost use `invalidate`.
  bool end(const ShardBufferId& id, ShardEnd end);
  void invalidate(const ShardBufferId& id);
  // The position to checkpoint: what is committed and was not checkpointed yet.
  std::optional<Position> to_checkpoint(const ShardBufferId& id) const;
  void checkpointed(const ShardBufferId& id, const Position& position);
  // True where every record that was added is committed. False for an invalidated one.
  bool drained(const ShardBufferId& id) const;
  bool valid(const ShardBufferId& id) const;

  // Makes `reservation` `bytes` larger, or refuses: then `room` is called when it may go better,
  // and until it is served or released, memory runs short. Those refused are to be asked for in
  // their order, up to the first that is refused again.
  // The records that are held and what is reserved stay within max_bytes, except for one
  // reservation at a time: one that does not fit while no records are held at all is let through,
  // and from then on never refused until it is released. So a call larger than everything gets
  // through, and several half-read calls cannot wait for each other. A reservation is to be
  // released before its records are added: then used_bytes() stays within max_bytes and one call.
  bool reserve(Reservation& reservation, std::size_t bytes);

  // --- The processor's side.

  // The next buffer that is ready, or nothing after `most` or `close`. A buffer is ready when
  // nobody leases it and it holds enough for a batch, waited long enough, is to be retried, comes
  // to its end, or memory runs short.
  std::optional<Lease> acquire(std::chrono::milliseconds most);
  // All records of the leased buffer that are not committed. Empty where the lease is void.
  std::vector<RecordBatchPtr> consume(const Lease& lease);
  // Everything consumed under the lease is processed. False where the lease is void: then nothing
  // happens, and whoever owns the shard now delivers the records again.
  bool commit(const Lease& lease);
  void roll_back(const Lease& lease);
  void give_back(Lease lease);
  bool valid(const Lease& lease) const;

  // Wakes all who wait in `acquire`; from now on nobody gets a lease.
  void close();

  // All memory counted: records held (also those of a void lease until it is given back) and
  // reservations.
  std::size_t used_bytes() const;
  std::vector<ShardStatus> status() const;

 private:
  struct Effects;  // what a call causes once the lock is released

  std::shared_ptr<Slot> find(const ShardBufferId& id) const;
  void invalidate(const std::shared_ptr<Slot>& slot, Effects& effects);
  void place(Slot& slot, Effects& effects);
  void take_out(Slot& slot);
  std::shared_ptr<Slot> take_ready(std::int64_t now_ns);
  void let_go(const Lease& lease);
  void let_go(Reservation& reservation);
  void free_records(std::size_t bytes, Effects& effects);
  void perform(Effects& effects);

  const std::uint64_t max_bytes_;
  const BatchingRules rules_;
  Clock& clock_;
  const Listener listener_;

  mutable std::mutex mutex_;
  // All below is guarded by mutex_.
  std::condition_variable ready_;
  bool closed_ = false;
  std::map<std::string, std::shared_ptr<Slot>, std::less<>> slots_;  // by shard, the valid ones
  std::uint64_t next_number_ = 1;                                    // of a buffer
  // Each valid buffer that nobody leases and that is not empty is in one of the two.
  std::uint64_t next_turn_ = 1;
  std::set<std::pair<std::uint64_t, Slot*>> ready_slots_;  // by turn
  std::set<std::pair<std::int64_t, Slot*>> aging_slots_;   // by the time when they get ready

  std::size_t records_bytes_ = 0;  // also of void leases
  std::size_t reserved_bytes_ = 0;
  bool overdrawn_ = false;    // one reservation may go past the bound
  std::size_t waiting_ = 0;   // reservations that were refused and not served since
  bool room_wanted_ = false;  // somebody was refused since `room` was called
  std::size_t leases_ = 0, reservations_ = 0;  // out there
};

}  // namespace weir::processors::kinesis
