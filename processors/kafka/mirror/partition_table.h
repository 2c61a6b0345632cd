#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "processors/kafka/mirror/mirror_partition.h"

namespace weir::processors::kafka {

// The partitions that the mirror has now, and those of the past whose records are still on their
// way to the target. Thread safe.
class PartitionTable {
 public:
  void put(MirrorPartitionPtr partition);
  // Null where the mirror does not have it.
  MirrorPartitionPtr find(std::string_view topic, std::int32_t partition) const;
  MirrorPartitionPtr find(const UnackedOffsetList& list) const;
  // Takes it out; what of it is in flight may still be acknowledged.
  void remove(const MirrorPartitionPtr& partition);
  std::vector<MirrorPartitionPtr> all() const;
  // Of all partitions of the topic.
  void doubt(std::string_view topic);

  // Set where a partition was stopped by another thread than the consumer's, until it is asked.
  void want_attention() { attention_ = true; }
  bool take_attention() {
    return attention_.load(std::memory_order_relaxed) && attention_.exchange(false);
  }

 private:
  using Key = std::pair<std::string, std::int32_t>;

  std::atomic<bool> attention_{false};
  mutable std::mutex mutex_;
  std::map<Key, MirrorPartitionPtr> partitions_;  // guarded by it, as below
  std::vector<MirrorPartitionPtr> retired_;
};

}  // namespace weir::processors::kafka
