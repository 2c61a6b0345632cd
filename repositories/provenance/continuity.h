#pragma once

#include <algorithm>

#include "repositories/provenance/search.h"

namespace weir::provenance {

// Follows the ids from block to block; where some are missing, the bytes between are damage. Bytes
// that hold no block while no id is missing were void already when the next block was written.
class Continuity {
 public:
  Continuity(DamageReporter& damage, std::uint64_t expected_id)
      : damage_(damage), expected_id_(expected_id) {}

  void enter(const storage::Path& path, std::uint64_t offset) {
    if (path_.empty()) good_ = {path, offset};
    path_ = path;
    entered_at_ = offset;
  }
  void block(const BlockEntry& entry) {
    const auto& summary = entry.summary;
    if (summary.first_event_id > expected_id_) {
      // The bytes before the block are damaged; where there are none, the file before ends early.
      const std::uint64_t frame = entry.offset - storage::kRecordFrameBytes;
      if (good_.first != path_ && frame > entered_at_) good_ = {path_, entered_at_};
      const std::uint64_t bytes = good_.first == path_ ? frame - good_.second : 0;
      damage_.report(good_.first, good_.second, bytes,
                     "events " + std::to_string(expected_id_) + " to " +
                         std::to_string(summary.first_event_id - 1) +
                         " of the provenance files cannot be read");
    }
    expected_id_ = std::max(expected_id_, summary.last_event_id() + 1);
    good_ = {path_, entry.end_offset()};
  }

 private:
  DamageReporter& damage_;
  std::uint64_t expected_id_;
  storage::Path path_;
  std::uint64_t entered_at_ = 0;
  std::pair<storage::Path, std::uint64_t> good_;  // up to where nothing is missing
};

}  // namespace weir::provenance
