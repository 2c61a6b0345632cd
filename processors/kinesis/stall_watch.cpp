#include "processors/kinesis/stall_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors::kinesis {
namespace {

constexpr std::int64_t kMostQuietNs = std::chrono::nanoseconds(std::chrono::minutes(5)).count();
constexpr std::int64_t kIntervals = 3;

std::int64_t seconds(std::int64_t ns) {
  return ns / 1'000'000'000;
}

}  // namespace

StallWatch::StallWatch(std::chrono::nanoseconds checkpoint_interval)
    : most_checkpoint_ns_(std::max(kMostQuietNs, kIntervals * checkpoint_interval.count())) {}

std::vector<std::string> StallWatch::look(const std::vector<ShardStatus>& shards,
                                          std::int64_t now_ns) {
  std::vector<std::string> sentences;
  std::map<ShardBufferId, std::int64_t> told, outstanding;
  for (const ShardStatus& shard : shards) {
    const std::int64_t quiet_ns = now_ns - shard.last_call_ns;
    std::int64_t waits_ns = 0;
    if (shard.checkpoint_outstanding) {
      const auto before = outstanding_since_ns_.find(shard.id);
      const std::int64_t since =
          std::max(shard.last_checkpoint_ns,
                   before == outstanding_since_ns_.end() ? now_ns : before->second);
      outstanding.emplace(shard.id, since);
      waits_ns = now_ns - since;
    }
    const auto before = told_ns_.find(shard.id);
    if (before != told_ns_.end() && now_ns - before->second < kMostQuietNs) {
      told.insert(*before);
      continue;
    }
    if (quiet_ns < kMostQuietNs && waits_ns < most_checkpoint_ns_) continue;
    told.emplace(shard.id, now_ns);
    sentences.push_back(fmt::format(
        "Shard {} stands still: the KCL's last call was {} s ago, the last checkpoint {} s ago; "
        "{} records wait for the processor, {}",
        shard.id.shard_id, seconds(quiet_ns), seconds(now_ns - shard.last_checkpoint_ns),
        shard.records,
        shard.checkpoint_outstanding ? "and a commit waits to be checkpointed"
                                     : "and no commit waits to be checkpointed"));
  }
  told_ns_ = std::move(told);
  outstanding_since_ns_ = std::move(outstanding);
  return sentences;
}

}  // namespace weir::processors::kinesis
