#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "processors/kafka/mirror/unacked_offset_list.h"

namespace weir::processors::kafka {

struct TargetTopic;

// One stay of a source partition with this mirror. A partition that goes and comes back gets
// another object, so that what is late from the stay before changes nothing.
struct MirrorPartition {
  MirrorPartition(std::string the_topic, std::int32_t the_partition, std::int64_t position)
      : topic(std::move(the_topic)),
        partition(the_partition),
        began(position),
        unacked(position),
        next_offset(position),
        committed(position),
        in_group(position),
        tried(position),
        reported(position) {}

  const std::string topic;
  const std::int32_t partition;
  const std::int64_t began;  // the first offset of this stay; negative: the beginning
  UnackedOffsetList unacked;

  // Nothing of it is sent any more: it is being given up, or stands still after an error.
  std::atomic<bool> stopped{false};
  std::atomic<bool> suspended{false};  // stopped, and to be tried again
  // How often there was reason to doubt that its topic is still the same, since that was settled.
  // Nothing of it is passed on then, and the group's position is not moved, as it would be taken
  // for a position of another topic of the name.
  std::atomic<int> doubts{0};
  std::atomic<std::int64_t> waiting{0};  // records in a channel

  // The channel's thread.
  TargetTopic* target = nullptr;

  // The consumer's thread.
  std::int64_t next_offset;  // negative: not known yet
  int looked_into = 0;       // of the doubts; a later one is left to the next look
  bool paused = false;
  bool halted = false;  // nothing more of it is passed on; what was read before still is

  // The committing side, guarded by its lock.
  bool released = false;   // commits nothing any more
  std::int64_t committed;  // negative: nothing yet
  std::int64_t in_group;   // what the group is known to have; negative: nothing
  std::int64_t tried;      // what the last commit was sent with, whatever became of it
  std::int64_t reported;
  std::uint64_t reported_records = 0;
  std::int64_t committed_ns = 0;  // steady clock
};
using MirrorPartitionPtr = std::shared_ptr<MirrorPartition>;

}  // namespace weir::processors::kafka
