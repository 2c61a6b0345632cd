#include "tests/processors/kafka/recording_listener.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace weir::processors::kafka::test {

bool eventually(const std::function<bool()>& done, std::chrono::milliseconds most) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

void RecordingListener::mirrored(const MirroredRange& range) {
  const std::lock_guard lock(mutex_);
  ranges_.push_back(range);
}
void RecordingListener::lost(const MirrorLoss& loss) {
  const std::lock_guard lock(mutex_);
  losses_.push_back(loss);
}
void RecordingListener::failed(MirrorFailure failure) {
  const std::lock_guard lock(mutex_);
  failures_.push_back(std::move(failure));
}
void RecordingListener::noted(MirrorNote note, const std::string& message) {
  const std::lock_guard lock(mutex_);
  notes_.emplace_back(note, message);
}

std::uint64_t RecordingListener::records() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const MirroredRange& range : ranges_) sum += range.records;
  return sum;
}
std::vector<MirroredRange> RecordingListener::ranges() const {
  const std::lock_guard lock(mutex_);
  return ranges_;
}
std::vector<MirrorLoss> RecordingListener::losses() const {
  const std::lock_guard lock(mutex_);
  return losses_;
}
std::vector<MirrorFailure> RecordingListener::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}
std::size_t RecordingListener::notes(MirrorNote note) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(notes_, [note](const auto& one) { return one.first == note; }));
}
std::string RecordingListener::all_notes() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [note, message] : notes_) {
    text += fmt::format("{}: {}\n", static_cast<int>(note), message);
  }
  for (const MirrorLoss& loss : losses_) {
    text += fmt::format("lost of {}-{}: {}\n", loss.topic, loss.partition, loss.reason);
  }
  return text;
}

}  // namespace weir::processors::kafka::test
