#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace weir::processors::kafka {

// The offsets of one stay of a topic-partition that were read and are not yet acknowledged, in
// order. Tells the position below which the target has acknowledged everything: what may be
// committed.
//
//  - Offsets may have gaps (compaction, control records of transactions).
//  - One source record may become several target records; it is acknowledged when all are. One that
//    was filtered out has no parts, and is acknowledged as soon as all before it are.
//  - A failed part holds the position at its record for ever, unless it is acknowledged later
//    (its dead letter was written).
//
// Threads: `add` and `publish` by one thread at a time, `advance` by one at a time, `acknowledge`
// and `fail` by any. The list must live until `in_flight` is 0 or nobody acknowledges any more.
// Amortised O(1) a record; memory is taken for 1024 records at once, and used again.
class UnackedOffsetList {
 public:
  // One source record; its address is stable until all parts are acknowledged.
  class Entry {
   public:
    std::int64_t offset() const { return offset_; }
    UnackedOffsetList& list() const { return *list_; }

   private:
    friend class UnackedOffsetList;
    UnackedOffsetList* list_ = nullptr;
    std::int64_t offset_ = 0;
    std::atomic<std::uint32_t> unacked_{0};
  };

  // `position`: the offset to read first.
  explicit UnackedOffsetList(std::int64_t position);
  ~UnackedOffsetList();
  UnackedOffsetList(const UnackedOffsetList&) = delete;
  UnackedOffsetList& operator=(const UnackedOffsetList&) = delete;

  // Makes the entry of the record that was read next, before its parts go out. Until `publish` the
  // position does not pass it; an entry that is not published is replaced by the next `add`, which
  // is allowed where none of its parts went out.
  Entry& add(std::int64_t offset, std::uint32_t parts);
  void publish();
  // The parts that went out of the entry just added, for `in_flight`.
  void sent(std::uint32_t parts) { sent_.fetch_add(parts, std::memory_order_relaxed); }

  // One part is done for good.
  void acknowledge(Entry& entry);
  // One part came back and is not in flight any more; the record stays unacknowledged.
  void fail();
  // The record's part that failed is done for good by other means.
  void settle(Entry& entry);

  // The position as it is now: the lowest offset that is not acknowledged, or the one behind the
  // last record.
  std::int64_t advance();
  // Records that `advance` has passed, ever.
  std::uint64_t passed() const { return passed_; }
  // Parts sent that were neither acknowledged nor failed.
  std::uint64_t in_flight() const {
    const std::uint64_t done = done_.load(std::memory_order_acquire);
    return sent_.load(std::memory_order_acquire) - done;
  }
  // Published records that `advance` has not passed.
  std::uint64_t unacked() const { return published_.load(std::memory_order_acquire) - passed_; }

 private:
  static constexpr std::size_t kChunk = 1024;
  struct Chunk {
    std::array<Entry, kChunk> entries;
    Chunk* next = nullptr;
  };

  Chunk* take_chunk();
  void keep_chunk(Chunk* chunk);

  // The reader's side.
  Chunk* tail_;
  std::uint64_t added_ = 0;  // entries before the one being added
  alignas(64) std::atomic<std::uint64_t> published_{0};
  std::atomic<std::uint64_t> sent_{0};

  // The side of the target's answers.
  alignas(64) std::atomic<std::uint64_t> done_{0};

  // The committing side.
  alignas(64) Chunk* head_;
  std::uint64_t passed_ = 0;
  std::int64_t position_;

  std::mutex spare_mutex_;
  std::vector<Chunk*> spare_;  // guarded by it
};

}  // namespace weir::processors::kafka
