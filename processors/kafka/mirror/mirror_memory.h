#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "engine/api/error.h"

namespace weir::processors::kafka {

// Ends a life of the mirror so that the next one begins at once, with what was learnt.
class MirrorRestart : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

// What a mirror has learnt of its clusters, beyond one life of its clients. Thread safe.
class MirrorMemory {
 public:
  // No batch for the target is larger, so that none is refused for the records that share it.
  std::int64_t batch_bytes() const { return batch_bytes_; }
  // False where batches are as small already.
  bool lower_batch_bytes(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes >= batch_bytes_) return false;
    batch_bytes_ = bytes;
    return true;
  }

  // What was there when the mirror began. "latest" means the end of that; what comes later is read
  // from its beginning.
  void set_first_topics(std::map<std::string, int> partitions) {
    const std::lock_guard lock(mutex_);
    if (!first_topics_) first_topics_ = std::move(partitions);
  }
  bool was_there_first(const std::string& topic, std::int32_t partition) const {
    const std::lock_guard lock(mutex_);
    if (!first_topics_) return true;
    const auto found = first_topics_->find(topic);
    return found != first_topics_->end() && partition < found->second;
  }
  void forget_topic(const std::string& topic) {
    const std::lock_guard lock(mutex_);
    if (first_topics_) first_topics_->erase(topic);
  }

  // Records that the target refused within a transaction, which then had to be given up: they are
  // not sent again.
  void refuse(const std::string& topic, std::int32_t partition, std::int64_t offset,
              std::string reason) {
    const std::lock_guard lock(mutex_);
    refused_[{topic, partition, offset}] = std::move(reason);
    has_refused_ = true;
  }
  std::optional<std::string> refused(const std::string& topic, std::int32_t partition,
                                     std::int64_t offset) const {
    if (!has_refused_.load(std::memory_order_relaxed)) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const auto found = refused_.find({topic, partition, offset});
    if (found == refused_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::atomic<std::int64_t> batch_bytes_{1'000'000};
  std::atomic<bool> has_refused_{false};
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::int32_t, std::int64_t>, std::string> refused_;
  std::optional<std::map<std::string, int>> first_topics_;  // their partitions
};

}  // namespace weir::processors::kafka
