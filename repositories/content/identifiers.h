#pragma once

#include <cstdint>

#include "repositories/content/layout.h"

namespace weir::content {

// Gives the numbers of content files: the millisecond of creation, a sequence number within it,
// and the section. They rise from file to file and are never given twice, also when the clock
// goes back: a run starts behind the mark that the last one left in the marker file.
inline constexpr int kIdentifierClockShift = 20;

inline std::int64_t created_ms(std::uint64_t identifier) {
  return static_cast<std::int64_t>(identifier >> kIdentifierClockShift);
}

class Identifiers {
 public:
  // Not thread safe.
  explicit Identifiers(std::int64_t first_ms) : ms_(first_ms) {}

  std::uint64_t next(std::int64_t now_ms) {
    if (now_ms > ms_) {
      ms_ = now_ms;
      sequence_ = 0;
    }
    if (sequence_ == kSections) {
      ++ms_;
      sequence_ = 0;
    }
    const std::uint64_t section = (given_++ / kClaimsInARow) % kSections;
    return (static_cast<std::uint64_t>(ms_) << kIdentifierClockShift) | (sequence_++ * kSections) |
           section;
  }

  std::int64_t last_ms() const { return ms_; }

 private:
  // A new folder costs a sync of its parent: so many files go to one section before the next
  // one is begun, and a small repository never has more than a few.
  static constexpr std::uint64_t kClaimsInARow = 4096;

  std::int64_t ms_;
  std::uint64_t sequence_ = 0;
  std::uint64_t given_ = 0;
};

}  // namespace weir::content
