#include "processors/kafka/mirror/fetch_waker.h"

namespace weir::processors::kafka {
namespace {

constexpr int kTimeoutMs = 1000;

}  // namespace

FetchWaker::~FetchWaker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

void FetchWaker::set_partitions(std::vector<Partition> partitions) {
  const std::lock_guard lock(mutex_);
  partitions_ = std::move(partitions);
}

void FetchWaker::wake() {
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  changed_.notify_one();
}

void FetchWaker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || wanted_; });
    if (ending_) return;
    wanted_ = false;
    const Owned<rd_kafka_topic_partition_list_t> list(
        rd_kafka_topic_partition_list_new(static_cast<int>(partitions_.size())));
    for (const auto& [topic, partition] : partitions_) {
      rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset =
          RD_KAFKA_OFFSET_END;
    }
    lock.unlock();
    // What it answers is of no interest.
    if (list->cnt > 0) rd_kafka_offsets_for_times(consumer_, list.get(), kTimeoutMs);
    lock.lock();
  }
}

}  // namespace weir::processors::kafka
