#include "processors/kafka/mirror_report.h"

#include <algorithm>
#include <utility>

namespace weir::processors::kafka {
namespace {

constexpr std::uint64_t kMostFailureBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kFailureOverheadBytes = 512;
// A cluster that is away is told of again and again by the clients.
constexpr std::int64_t kTroubleAgainNs = 30'000'000'000;

std::uint64_t bytes_of(const MirrorFailure& failure) {
  std::uint64_t bytes = kFailureOverheadBytes;
  if (failure.record.key) bytes += failure.record.key->size();
  if (failure.record.value) bytes += failure.record.value->size();
  return bytes;
}

}  // namespace

void MirrorReport::mirrored(const MirroredRange& range) {
  const std::lock_guard lock(mutex_);
  add(range);
  changed_.notify_one();
}

void MirrorReport::add(const MirroredRange& range) {
  const auto [place, is_new] = ranges_.try_emplace({range.topic, range.partition}, range);
  if (is_new) return;
  MirroredRange& joined = place->second;
  if (range.last_offset > joined.last_offset) {
    joined.last_offset = range.last_offset;
    joined.lag = range.lag;
  }
  joined.first_offset = std::min(joined.first_offset, range.first_offset);
  joined.records += range.records;
}

void MirrorReport::give_back(Taken taken) {
  const std::lock_guard lock(mutex_);
  for (const MirroredRange& range : taken.ranges) add(range);
  for (MirrorFailure& failure : taken.failures) {
    failure_bytes_ += bytes_of(failure);
    failures_.push_back(std::move(failure));
  }
  records_failed_ += taken.records_failed;
  records_lost_ += taken.records_lost;
}

void MirrorReport::lost(const MirrorLoss& loss) {
  log_.error("Records {} to {} of partition {} of '{}' are {}: {}.{}", loss.first_offset,
             loss.last_offset, loss.partition, loss.topic,
             loss.recreated ? "of another topic of this name" : "lost to the mirror", loss.reason,
             loss.stopped ? " The partition stands still." : "");
  const std::lock_guard lock(mutex_);
  records_lost_ += static_cast<std::uint64_t>(loss.last_offset - loss.first_offset + 1);
  changed_.notify_one();
}

void MirrorReport::failed(MirrorFailure failure) {
  log_.error("The record at offset {} of partition {} of '{}' was not mirrored: {}.{}",
             failure.source_offset, failure.source_partition, failure.source_topic, failure.reason,
             failure.stopped ? " The partition stands still." : "");
  std::unique_lock lock(mutex_);
  ++records_failed_;
  changed_.notify_one();
  if (!failure.kept) return;
  taken_.wait(lock, [this] { return closed_ || failure_bytes_ < kMostFailureBytes; });
  failure_bytes_ += bytes_of(failure);
  failures_.push_back(std::move(failure));
  changed_.notify_one();
}

void MirrorReport::noted(MirrorNote note, const std::string& message) {
  switch (note) {
    case MirrorNote::topic_created:
    case MirrorNote::partitions_added:
    case MirrorNote::rebalanced:
      log_.info("{}", message);
      return;
    case MirrorNote::topic_vanished:
      log_.warn("{}", message);
      return;
    case MirrorNote::commit_failed:
      log_.warn("Not committed, and tried again: {}", message);
      return;
    case MirrorNote::topic_recreated:
    case MirrorNote::fenced:
      log_.error("{}", message);
      return;
    case MirrorNote::suspended:
    case MirrorNote::unavailable: {
      const std::int64_t now_ns = clock_.steady_ns();
      {
        const std::lock_guard lock(mutex_);
        if (message == last_trouble_ && now_ns - last_trouble_ns_ < kTroubleAgainNs) return;
        last_trouble_ = message;
        last_trouble_ns_ = now_ns;
      }
      log_.error("{}{} It is tried again.", message, message.ends_with('.') ? "" : ".");
    }
  }
}

MirrorReport::Taken MirrorReport::take(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [this] {
    return closed_ || !ranges_.empty() || !failures_.empty() || records_failed_ > 0 ||
           records_lost_ > 0;
  });
  Taken taken;
  for (auto& [key, range] : std::exchange(ranges_, {})) taken.ranges.push_back(std::move(range));
  for (MirrorFailure& failure : failures_) taken.failures.push_back(std::move(failure));
  failures_.clear();
  failure_bytes_ = 0;
  taken.records_failed = std::exchange(records_failed_, 0);
  taken.records_lost = std::exchange(records_lost_, 0);
  taken_.notify_all();
  return taken;
}

void MirrorReport::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
  taken_.notify_all();
}

}  // namespace weir::processors::kafka
