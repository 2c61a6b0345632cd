#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/component.h"
#include "processors/kafka/mirror/mirror_events.h"

namespace weir::processors::kafka::test {

// Looks again and again until `done`; false at the deadline.
bool eventually(const std::function<bool()>& done,
                std::chrono::milliseconds most = std::chrono::seconds(20));

class SilentLog : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};

// What a mirror told. Thread safe.
class RecordingListener : public MirrorListener {
 public:
  void mirrored(const MirroredRange& range) override;
  void lost(const MirrorLoss& loss) override;
  void failed(MirrorFailure failure) override;
  void noted(MirrorNote note, const std::string& message) override;

  std::uint64_t records() const;
  std::vector<MirroredRange> ranges() const;
  std::vector<MirrorLoss> losses() const;
  std::vector<MirrorFailure> failures() const;
  std::size_t notes(MirrorNote note) const;
  std::string all_notes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<MirroredRange> ranges_;
  std::vector<MirrorLoss> losses_;
  std::vector<MirrorFailure> failures_;
  std::vector<std::pair<MirrorNote, std::string>> notes_;
};

}  // namespace weir::processors::kafka::test
