#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "processors/kafka/client.h"

namespace weir::processors::kafka {

// Where the queue of fetched records was full, librdkafka up to 2.1 looks again only after a
// second, even though the queue may be empty long before: its thread for that broker sleeps. Any
// request to the broker wakes it, so this asks for an offset. Without it a mirror would need a
// second's worth of records in memory.
class FetchWaker {
 public:
  using Partition = std::pair<std::string, std::int32_t>;

  explicit FetchWaker(rd_kafka_t* consumer) : consumer_(consumer), thread_([this] { run(); }) {}
  ~FetchWaker();
  FetchWaker(const FetchWaker&) = delete;
  FetchWaker& operator=(const FetchWaker&) = delete;

  // One partition for each broker that leads some.
  void set_partitions(std::vector<Partition> partitions);
  void wake();

 private:
  void run();

  rd_kafka_t* const consumer_;
  std::mutex mutex_;
  // All below is guarded by mutex_.
  std::condition_variable changed_;
  std::vector<Partition> partitions_;
  bool wanted_ = false;
  bool ending_ = false;

  std::thread thread_;
};

}  // namespace weir::processors::kafka
