#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/api/environment.h"
#include "processors/kafka/group_watch.h"
#include "processors/kafka/mirror/fetch_waker.h"
#include "processors/kafka/mirror/mirror_assignment.h"
#include "processors/kafka/mirror/mirror_forwarder.h"
#include "processors/kafka/mirror/mirror_settings.h"
#include "processors/kafka/mirror/patience.h"
#include "processors/kafka/mirror/ticker.h"
#include "processors/kafka/mirror/topic_keeper.h"
#include "processors/kafka/mirror/transaction_offsets.h"

namespace weir::processors::kafka {

// One life of the mirror's clients and threads:
//   consumer (the caller of `run`)  reads, gives batches to the channels, takes part in rebalances
//   channels                        handle records and send them
//   acknowledgements                in MirrorProducer
//   commits                         at the interval
//   topics                          looks for new topics and partitions
class MirrorRun {
 public:
  MirrorRun(const MirrorSettings& settings, MirrorMemory& memory, const Patience& patience,
            MirrorListener& listener, Clock& clock, ComponentLog& log);
  ~MirrorRun();

  // Returns once patience is ending, in order. Throws what ends this life: KafkaError,
  // ProcessException.
  void run();

 private:
  void start();
  void make_producer();
  void make_consumer();
  void follow_topics(const std::vector<SourceTopic>& topics);
  void read(int timeout_ms);
  void sort_out(std::size_t count);
  const MirrorPartitionPtr& partition_of(const rd_kafka_message_t& message);
  void keep_fetching();
  void pass_on();
  void close();
  void await_first_assignment();
  void await_quiet();
  void drop(int timeout_ms);
  TopicKeeper::Look look_at_topics();
  void refresh_topics();
  void take_up_partitions(const std::vector<SourceTopic>& topics);
  bool prepare(const SourceTopic& topic);
  void commit_all();
  void break_off(std::exception_ptr error);
  void look_around();
  [[noreturn]] void throw_broken() const;

  const MirrorSettings& settings_;
  MirrorMemory& memory_;
  const Patience& patience_;
  MirrorListener& listener_;
  Clock& clock_;
  ComponentLog& log_;

  PartitionTable partitions_;
  SendGate gate_;
  MirrorFailures failures_;
  // In the order in which they need each other.
  std::unique_ptr<MirrorProducer> producer_;
  std::shared_ptr<GroupWatch> watch_;  // null without a cooperative group
  std::unique_ptr<Client> consumer_;
  Owned<rd_kafka_queue_t> queue_;
  std::unique_ptr<FetchWaker> waker_;
  std::unique_ptr<TopicKeeper> topics_;
  std::unique_ptr<OffsetKeeper> offsets_;
  std::vector<std::unique_ptr<MirrorForwarder>> forwarders_;
  Channels channels_;
  std::unique_ptr<MirrorAssignment> assignment_;
  bool is_closed_ = false;
  bool was_assigned_ = false;
  bool abandons_consumer_ = false;

  // The consumer's thread.
  std::vector<rd_kafka_message_t*> messages_;
  const rd_kafka_topic_t* last_topic_ = nullptr;
  std::int32_t last_number_ = -1;
  MirrorPartitionPtr last_partition_;
  std::deque<DataBatch> backlog_;  // read, and not yet taken by a channel
  std::int64_t stalled_since_ns_ = 0;
  std::set<std::string> subscribed_;
  std::size_t queue_records_ = 0;  // bound of librdkafka's queue
  std::int64_t last_read_ns_ = 0;
  std::int64_t last_wake_ns_ = 0;

  std::mutex mutex_;
  // Guarded by it.
  std::exception_ptr broken_;
  std::optional<std::vector<SourceTopic>> found_topics_;

  std::atomic<bool> attention_{false};  // one of the two is set
  std::vector<std::unique_ptr<Ticker>> tickers_;
};

}  // namespace weir::processors::kafka
