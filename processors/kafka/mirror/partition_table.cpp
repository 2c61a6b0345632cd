#include "processors/kafka/mirror/partition_table.h"

namespace weir::processors::kafka {

void PartitionTable::put(MirrorPartitionPtr partition) {
  const std::lock_guard lock(mutex_);
  MirrorPartitionPtr& place = partitions_[Key(partition->topic, partition->partition)];
  if (place) retired_.push_back(std::move(place));
  place = std::move(partition);
}

MirrorPartitionPtr PartitionTable::find(std::string_view topic, std::int32_t partition) const {
  const std::lock_guard lock(mutex_);
  const auto found = partitions_.find(Key(topic, partition));
  return found == partitions_.end() ? nullptr : found->second;
}

MirrorPartitionPtr PartitionTable::find(const UnackedOffsetList& list) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, partition] : partitions_) {
    if (&partition->unacked == &list) return partition;
  }
  for (const MirrorPartitionPtr& partition : retired_) {
    if (&partition->unacked == &list) return partition;
  }
  return nullptr;
}

void PartitionTable::remove(const MirrorPartitionPtr& partition) {
  const std::lock_guard lock(mutex_);
  const auto found = partitions_.find(Key(partition->topic, partition->partition));
  if (found != partitions_.end() && found->second == partition) partitions_.erase(found);
  std::erase_if(retired_, [](const MirrorPartitionPtr& old) {
    return old->waiting == 0 && old->unacked.in_flight() == 0;
  });
  retired_.push_back(partition);
}

// Under the lock, so that a stay that is begun meanwhile is either doubted or sees it of the old
// one.
void PartitionTable::doubt(std::string_view topic) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, partition] : partitions_) {
    if (key.first == topic) ++partition->doubts;
  }
}

std::vector<MirrorPartitionPtr> PartitionTable::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<MirrorPartitionPtr> partitions;
  partitions.reserve(partitions_.size());
  for (const auto& [key, partition] : partitions_) partitions.push_back(partition);
  return partitions;
}

}  // namespace weir::processors::kafka
