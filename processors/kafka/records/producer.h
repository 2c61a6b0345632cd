#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "processors/kafka/client.h"

namespace weir::processors::kafka {

enum class PartitionChoice { by_key, round_robin, by_hash };

// What became of the records of one FlowFile.
struct Delivery {
  std::uint64_t sent = 0;  // handed over; each is acknowledged or failed once `Producer::wait` ends
  std::uint64_t acknowledged = 0;
  std::uint64_t failed = 0;
  std::string error = {};  // of the first failure
  // A record of it was refused as too large, and may have been so only for those that shared its
  // batch.
  bool shared_batch_refused = false;
  // For the partition's choice `by_hash`.
  std::uint32_t hash = 0;

  bool complete() const { return failed == 0 && acknowledged == sent && error.empty(); }
  void fail(std::string why) {
    ++failed;
    if (error.empty()) error = std::move(why);
  }
};

struct OutgoingRecord {
  const std::string& topic;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;  // nullopt: a tombstone
  const std::vector<std::pair<std::string, std::string>>& headers;
};

// An offset that a transaction moves a consumer group to.
struct GroupOffset {
  std::string group;
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t next = 0;
  std::string metadata = {};
};

struct ProducerOptions {
  Settings settings;
  std::string transactional_id = {};  // empty: no transactions
  PartitionChoice choice = PartitionChoice::by_key;
  std::chrono::milliseconds timeout{60'000};  // of the cluster's answers
  std::chrono::milliseconds ack_wait{5'000};  // without any acknowledgement
  // Asked while a producer with transactions waits for the cluster before its first one; false: it
  // is not wanted any more.
  std::function<bool()> going = [] { return true; };
};

// A producer for one session at a time:
//
//   begin   send … send   wait   commit | abort
//
// Without transactions `begin`, `commit` and `abort` do nothing. One thread at a time.
class Producer {
 public:
  // With transactions: ends what an earlier producer of this id left open. Throws where the cluster
  // does not answer.
  Producer(const ProducerOptions& options, ComponentLog& log);
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  void begin();
  // What cannot be sent counts as failed; `delivery` must live until `wait` returns. Waits while
  // too much is under way.
  void send(const OutgoingRecord& record, Delivery& delivery);
  // Returns when every record sent is acknowledged or failed. Those that no acknowledgement came
  // for in time failed, though they may have been written.
  void wait();
  // Moves the groups and makes the records visible, all or nothing. Throws where that failed; where
  // nobody knows whether it did, `broken` is set as well.
  void commit(const std::vector<GroupOffset>& offsets);
  void abort();

  bool broken() const { return broken_; }  // to be replaced; also where batches are too large
  bool transactional() const { return !options_.transactional_id.empty(); }

 private:
  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self);
  static std::int32_t choose_partition(const rd_kafka_topic_t*, const void*, std::size_t,
                                       std::int32_t count, void* self, void* delivery);
  bool wait_for_progress();
  void give_up();
  void send_offsets(const std::vector<GroupOffset>& offsets);
  void begin_with_transactions();
  void until_done(std::string_view what, const std::function<rd_kafka_error_t*()>& call);

  const ProducerOptions options_;
  ComponentLog& log_;
  std::uint64_t batch_bytes_ = 0;  // no batch of several records is larger
  std::unique_ptr<Client> client_;
  std::uint64_t reports_ = 0;  // of deliveries
  std::atomic<std::uint32_t> turn_{0};
  bool in_transaction_ = false;
  bool broken_ = false;
};

}  // namespace weir::processors::kafka
