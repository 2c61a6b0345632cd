#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/component.h"
#include "processors/kafka/mirror/mirror_events.h"

namespace weir::processors::kafka {

// Keeps what the mirror's threads tell until the processor's trigger takes it. Ranges of one
// partition are joined, so that a processor that is not triggered for long costs no memory; where
// records fail faster than they are taken, the mirror waits.
class MirrorReport : public MirrorListener {
 public:
  struct Taken {
    std::vector<MirroredRange> ranges;
    std::vector<MirrorFailure> failures;
    std::uint64_t records_failed = 0;
    std::uint64_t records_lost = 0;
  };

  // Bulletins come from what is logged here.
  MirrorReport(ComponentLog& log, Clock& clock) : log_(log), clock_(clock) {}

  void mirrored(const MirroredRange& range) override;
  void lost(const MirrorLoss& loss) override;
  void failed(MirrorFailure failure) override;
  void noted(MirrorNote note, const std::string& message) override;

  // Waits for something up to `most`.
  Taken take(std::chrono::milliseconds most);
  // What could not be written down is there for the next `take`.
  void give_back(Taken taken);
  // Failures are no longer waited for.
  void close();

 private:
  void add(const MirroredRange& range);

  ComponentLog& log_;
  Clock& clock_;
  std::mutex mutex_;
  // All below is guarded by mutex_.
  std::condition_variable changed_, taken_;
  std::map<std::pair<std::string, std::int32_t>, MirroredRange> ranges_;
  std::deque<MirrorFailure> failures_;
  std::uint64_t failure_bytes_ = 0;
  std::uint64_t records_failed_ = 0, records_lost_ = 0;
  bool closed_ = false;
  std::string last_trouble_;
  std::int64_t last_trouble_ns_ = 0;
};

}  // namespace weir::processors::kafka
