#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "processors/kinesis/record_buffer.h"

namespace weir::processors::kinesis {

// Looks for shards that stand still without anybody noticing: no call of the KCL, or no checkpoint
// of what is committed, for far too long. No thread; who drives it asks from time to time.
class StallWatch {
 public:
  explicit StallWatch(std::chrono::nanoseconds checkpoint_interval);

  // One sentence for each shard that stands still and was not told of in the last five minutes.
  std::vector<std::string> look(const std::vector<ShardStatus>& shards, std::int64_t now_ns);

 private:
  const std::int64_t most_checkpoint_ns_;
  std::map<ShardBufferId, std::int64_t> told_ns_;
  // Since when a checkpoint of each is outstanding, as seen here.
  std::map<ShardBufferId, std::int64_t> outstanding_since_ns_;
};

}  // namespace weir::processors::kinesis
