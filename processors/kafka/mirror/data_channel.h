#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "processors/kafka/client.h"
#include "processors/kafka/mirror/mirror_partition.h"

namespace weir::processors::kafka {

// Records of one partition, in order, as they were consumed. Owns them.
class DataBatch {
 public:
  DataBatch() = default;
  explicit DataBatch(MirrorPartitionPtr partition) : partition_(std::move(partition)) {}
  DataBatch(DataBatch&& other) noexcept = default;
  DataBatch& operator=(DataBatch&& other) noexcept;
  ~DataBatch() { clear(); }

  void add(Owned<rd_kafka_message_t> message) {
    bytes_ += kOverheadBytes + message->len + message->key_len;
    messages_.push_back(message.release());
  }
  const MirrorPartitionPtr& partition() const { return partition_; }
  const std::vector<rd_kafka_message_t*>& messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  // What librdkafka keeps for a record beside its bytes, roughly.
  static constexpr std::uint64_t kOverheadBytes = 256;

  void clear();

  MirrorPartitionPtr partition_;
  std::vector<rd_kafka_message_t*> messages_;
  std::uint64_t bytes_ = 0;
};

// A bounded queue of batches and the thread that empties it: KIP-3's data channel. All records of
// a partition go through the same one, which keeps their order. Thread safe.
class DataChannel {
 public:
  // `forward` is called on the channel's thread.
  DataChannel(std::uint64_t max_bytes, std::function<void(DataBatch&)> forward);
  ~DataChannel();  // drops what waits
  DataChannel(const DataChannel&) = delete;
  DataChannel& operator=(const DataChannel&) = delete;

  // Takes the batch where there is room within the time; else leaves it as it is.
  bool push(DataBatch& batch, std::chrono::milliseconds most);
  // Drops what waits of the partition; it must be stopped before.
  void clear(const MirrorPartition& partition);
  // Waits until nothing of the partition waits or is being forwarded.
  bool wait_empty(const MirrorPartition& partition, std::chrono::milliseconds most);

 private:
  void run();
  void finish(const DataBatch& batch);

  const std::uint64_t max_bytes_;
  const std::function<void(DataBatch&)> forward_;

  std::mutex mutex_;
  // All below is guarded by mutex_.
  std::condition_variable filled_, emptied_;
  std::deque<DataBatch> batches_;
  std::uint64_t bytes_ = 0;  // with the batch that is being forwarded
  bool ending_ = false;

  std::thread thread_;
};

}  // namespace weir::processors::kafka
