#include "processors/kafka/mirror/data_channel.h"

#include <utility>

namespace weir::processors::kafka {

DataBatch& DataBatch::operator=(DataBatch&& other) noexcept {
  if (this == &other) return *this;
  clear();
  partition_ = std::move(other.partition_);
  messages_ = std::exchange(other.messages_, {});
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void DataBatch::clear() {
  for (rd_kafka_message_t* message : messages_) rd_kafka_message_destroy(message);
  messages_.clear();
  bytes_ = 0;
}

DataChannel::DataChannel(std::uint64_t max_bytes, std::function<void(DataBatch&)> forward)
    : max_bytes_(max_bytes), forward_(std::move(forward)), thread_([this] { run(); }) {}

DataChannel::~DataChannel() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const DataBatch& batch : batches_) batch.partition()->stopped = true;
    filled_.notify_all();
  }
  thread_.join();
}

bool DataChannel::push(DataBatch& batch, std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  // One batch is always taken, however large.
  const auto has_room = [this, &batch] {
    return bytes_ == 0 || bytes_ + batch.bytes() <= max_bytes_;
  };
  if (!emptied_.wait_for(lock, most, has_room)) return false;
  bytes_ += batch.bytes();
  batch.partition()->waiting += static_cast<std::int64_t>(batch.messages().size());
  batches_.push_back(std::exchange(batch, {}));
  filled_.notify_one();
  return true;
}

void DataChannel::finish(const DataBatch& batch) {
  bytes_ -= batch.bytes();
  batch.partition()->waiting -= static_cast<std::int64_t>(batch.messages().size());
  emptied_.notify_all();
}

void DataChannel::clear(const MirrorPartition& partition) {
  const std::lock_guard lock(mutex_);
  std::erase_if(batches_, [&](const DataBatch& batch) {
    if (batch.partition().get() != &partition) return false;
    finish(batch);
    return true;
  });
}

bool DataChannel::wait_empty(const MirrorPartition& partition, std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_for(lock, most, [&partition] { return partition.waiting == 0; });
}

void DataChannel::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    filled_.wait(lock, [this] { return ending_ || !batches_.empty(); });
    if (ending_) return;
    DataBatch batch = std::move(batches_.front());
    batches_.pop_front();
    lock.unlock();
    forward_(batch);
    lock.lock();
    finish(batch);
  }
}

}  // namespace weir::processors::kafka
