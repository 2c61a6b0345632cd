#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "processors/kafka/client.h"
#include "processors/kafka/mirror/mirror_partition.h"
#include "processors/kafka/mirror/mirror_record.h"
#include "processors/kafka/mirror/unacked_offset_list.h"

namespace weir::processors::kafka {

// A topic of the target as the producer knows it. Lives as long as the producer.
struct TargetTopic {
  std::string name;
  rd_kafka_topic_t* handle = nullptr;
  std::atomic<int> partitions{0};  // known to be there; 0: not looked up yet
};

// The producing half of the mirror, with the thread that takes the target's acknowledgements. What
// it sends keeps its order per partition, also where the client sends again (idempotent producer).
// A record waits as long as the target needs: there is no time-out of delivery. Thread safe.
class MirrorProducer {
 public:
  struct Listener {
    // The target refused a record for good; its part is still counted as in flight. On the
    // acknowledging thread.
    std::function<void(UnackedOffsetList::Entry&, const rd_kafka_message_t&, bool dead_letter)>
        refused;
    // Nothing can be sent any more by this producer.
    std::function<void(rd_kafka_resp_err_t, const std::string&)> broken;
    std::function<void(const std::string&)> unavailable;
  };

  MirrorProducer(const Settings& settings, Listener listener, ComponentLog& log);
  ~MirrorProducer();  // gives up what is not acknowledged

  TargetTopic& topic(const std::string& name);

  // Sends a copy of a consumed record, whose headers it takes. RD_KAFKA_RESP_ERR__QUEUE_FULL: try
  // again after `wait_for_room`. Any other error is final for this record.
  rd_kafka_resp_err_t send(TargetTopic& topic, rd_kafka_message_t& source,
                           UnackedOffsetList::Entry& entry);
  rd_kafka_resp_err_t send(TargetTopic& topic, const MirrorRecord& record,
                           UnackedOffsetList::Entry& entry);
  // Keeps the record and sends it once there is room; for threads that must not wait. Its refusal
  // is told as one of a dead letter.
  void send_dead_letter(const std::string& topic, MirrorRecord record,
                        UnackedOffsetList::Entry& entry);
  // Waits for room itself.
  void send_dead_letter_now(const std::string& topic, MirrorRecord record,
                            UnackedOffsetList::Entry& entry);

  // Waits until a good part of the queue is free; false where the time is over first.
  bool wait_for_room(std::chrono::milliseconds most);
  // Waits until all that was sent of the partitions is acknowledged, or nothing is any more.
  bool await_acknowledged(const std::vector<MirrorPartitionPtr>& partitions,
                          std::chrono::milliseconds most);

  // Nobody waits any more for what was sent.
  void give_up();
  // Nothing is acknowledged any more.
  bool is_broken() const { return broken_; }

  rd_kafka_t* get() const { return client_->get(); }

 private:
  struct DeadLetter {
    std::string topic;
    MirrorRecord record;
    UnackedOffsetList::Entry* entry;
  };

  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque);
  static void on_error(rd_kafka_t*, int code, const char* reason, void* opaque);
  rd_kafka_resp_err_t produce(TargetTopic& topic, const MirrorRecord& record, void* opaque);
  void run();
  // Waits until `done` holds, looking after each round of acknowledgements.
  bool wait_until(const std::function<bool()>& done, std::chrono::milliseconds most);
  void send_dead_letters();
  rd_kafka_resp_err_t send(DeadLetter& letter);

  const Listener listener_;
  std::unique_ptr<Client> client_;

  std::mutex topics_mutex_;
  std::map<std::string, std::unique_ptr<TargetTopic>, std::less<>> topics_;  // guarded by it

  std::mutex dead_letters_mutex_;
  std::deque<DeadLetter> dead_letters_;  // guarded by it

  std::mutex round_mutex_;
  std::condition_variable round_;  // some acknowledgements came
  std::atomic<int> waiting_{0};
  std::atomic<bool> ending_{false};
  std::atomic<bool> broken_{false};
  std::thread thread_;
};

}  // namespace weir::processors::kafka
