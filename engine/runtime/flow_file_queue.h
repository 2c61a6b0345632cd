#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/environment.h"
#include "engine/api/process_session.h"
#include "engine/runtime/prioritizer.h"
#include "repositories/flowfile/flow_file_repository.h"

namespace weir::runtime {

// Something that may have work now: looks for itself and runs if so. Thread safe; cheap when
// there is nothing to do.
class Wakeable {
 public:
  virtual ~Wakeable() = default;
  virtual void wake() = 0;
};

// The queue of one connection. Its invariants:
//   - a FlowFile that was put and not acknowledged is counted, also while a session has it: so
//     backpressure holds for FlowFiles in work;
//   - FlowFiles come out in the order they came in, prioritizers permitting; one that was put
//     back (rollback) stands where it stood, before all that came after it;
//   - penalized FlowFiles wait beside the queue and hold nobody up;
//   - at most `swap_threshold` FlowFiles, and up to two swap files' worth on their way out, are in
//     memory; the order is: active, swap files, swap buffer;
//   - only FlowFiles whose commit is in the journal are ever put.
// Thread safe. I/O of swap files happens on the thread that puts or polls, outside the lock.
class FlowFileQueue {
 public:
  struct Config {
    std::string id;
    std::string name;
    std::uint64_t backpressure_count = 10000;  // 0: off
    std::uint64_t backpressure_bytes = 1u << 30;
    std::int64_t expiration_ms = 0;  // 0: never
    std::string expiration;          // as the flow has it, for the EXPIRE event
    std::vector<std::string> prioritizers;
    std::uint64_t swap_threshold = 20000;
    std::size_t swap_file_flow_files = 10000;  // in each swap file
  };

  FlowFileQueue(Config config, flowfile::FlowFileRepository& repository, Clock& clock,
                std::function<void(const std::string& message)> trouble);

  // Before the engine runs. Neither is owned; both outlive the queue's use.
  void connect(Wakeable* producer, Wakeable* consumer);
  // Woken whenever the last FlowFile leaves. As above.
  void wake_when_empty(Wakeable* watcher) { when_empty_.push_back(watcher); }
  // Hands over what recovery found. Once, before anything else.
  void recover(flowfile::RecoveredQueue recovered);

  const std::string& id() const { return config_.id; }
  const std::string& name() const { return config_.name; }

  // Behind a commit. Wakes the consumer.
  void put(std::vector<flowfile::FlowFilePtr> flow_files);

  struct Polled {
    std::vector<flowfile::FlowFilePtr> flow_files;
    std::vector<flowfile::FlowFilePtr> expired;  // the caller drops them in its commit
  };
  // Takes up to `most` FlowFiles (or those the filter accepts) for a session. Each is to be
  // acknowledged or put back.
  void poll(std::size_t most, Polled& out);
  void poll(const std::function<FilterDecision(const flowfile::FlowFileRecord&)>& filter,
            Polled& out);
  // What became of polled FlowFiles: they left the queue with a commit, ...
  void acknowledge(std::uint64_t count, std::uint64_t bytes);
  // ... or are here again (in the order they were polled), perhaps as penalized versions.
  void put_back(std::vector<flowfile::FlowFilePtr> flow_files);

  // Without lock.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_acquire); }
  bool full() const { return full(count(), bytes()); }
  std::uint64_t put_total() const { return put_total_.load(std::memory_order_relaxed); }
  std::uint64_t acknowledged_total() const { return gone_total_.load(std::memory_order_relaxed); }

  // FlowFiles that a poll would give now (swapped ones counted).
  std::uint64_t available();
  // When the next penalty ends; nullopt: none waits.
  std::optional<std::int64_t> next_penalty_end_ms();
  bool expires() const { return config_.expiration_ms > 0; }
  const std::string& expiration() const { return config_.expiration; }

 private:
  struct Item {
    flowfile::FlowFilePtr flow_file;
    std::int64_t arrival;
  };

  bool full(std::uint64_t count, std::uint64_t bytes) const {
    return (config_.backpressure_count != 0 && count >= config_.backpressure_count) ||
           (config_.backpressure_bytes != 0 && bytes >= config_.backpressure_bytes);
  }
  bool later(const Item& a, const Item& b) const;
  void add_active(Item item);
  Item take_active();
  void release_penalized(std::int64_t now_ms);
  void insert(flowfile::FlowFilePtr flow_file, std::int64_t arrival, std::int64_t now_ms);
  void refill(std::unique_lock<std::mutex>& lock);
  void swap_in(std::unique_lock<std::mutex>& lock);
  void swap_out_excess();
  bool expired(const flowfile::FlowFileRecord& record, std::int64_t now_ms) const {
    return config_.expiration_ms > 0 && record.entry_ms + config_.expiration_ms < now_ms;
  }

  const Config config_;
  const Prioritizers prioritizers_;
  flowfile::FlowFileRepository& repository_;
  Clock& clock_;
  const std::function<void(const std::string&)> trouble_;
  Wakeable* producer_ = nullptr;
  Wakeable* consumer_ = nullptr;
  std::vector<Wakeable*> when_empty_;

  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> put_total_{0};
  std::atomic<std::uint64_t> gone_total_{0};

  std::mutex mutex_;
  // Guarded by mutex_:
  std::deque<Item> active_;      // plain order, or a heap where there are prioritizers
  std::vector<Item> penalized_;  // heap, the penalty that ends first on top
  std::deque<flowfile::SwapFilePtr> swap_files_;
  std::deque<Item> swap_buffer_;
  std::uint64_t swapped_count_ = 0;
  bool swapping_ = false;  // one thread moves FlowFiles to or from a swap file
  std::int64_t next_arrival_ = 0;
  std::int64_t next_front_ = -1;
  std::int64_t swap_retry_after_ms_ = 0;
};

}  // namespace weir::runtime
