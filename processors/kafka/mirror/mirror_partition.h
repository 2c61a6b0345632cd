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
        unacked(position),
        next_offset(position),
        committed(position),
        reported(position) {}

  const std::string topic;
  const std::int32_t partition;
  UnackedOffsetList unacked;

  // Nothing of it is sent any more: it is being given up, or stands still after an error.
  std::atomic<bool> stopped{false};
  std::atomic<bool> suspended{false};  // stopped, and to be tried again
  // Its topic was away, and may be another one by now: the group's position is not moved until that
  // is known, as it would be taken for a position of the new topic.
  std::atomic<bool> doubted{false};
  std::atomic<std::int64_t> waiting{0};  // records in a channel

  // The channel's thread.
  TargetTopic* target = nullptr;

  // The consumer's thread.
  std::int64_t next_offset;  // negative: not known yet
  bool paused = false;
  bool halted = false;  // nothing more of it is passed on; what was read before still is

  // The committing side, guarded by its lock.
  bool released = false;   // commits nothing any more
  std::int64_t committed;  // negative: nothing yet
  std::int64_t reported;
  std::uint64_t reported_records = 0;
  std::int64_t committed_ns = 0;  // steady clock
};
using MirrorPartitionPtr = std::shared_ptr<MirrorPartition>;

}  // namespace weir::processors::kafka
