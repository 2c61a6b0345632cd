#pragma once

#include <optional>

#include "repositories/flowfile/journal.h"
#include "repositories/flowfile/journal_state.h"
#include "repositories/flowfile/layout.h"

namespace weir::flowfile {

struct RecoveryResult {
  Recovered state;
  Counters counters;
  std::uint64_t last_sequence = 0;
  std::uint64_t last_change = 0;  // last_sequence without marks and openings of segments
  std::uint64_t snapshot_position = 0;
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t journal_bytes = 0;     // behind the snapshot
  std::uint64_t durable_sequence = 0;  // of the last mark or the snapshot
  std::vector<Segment> segments;
  // Of FlowFiles in swap files that could not be read: their content must stay.
  std::vector<content::ResourceClaimPtr> kept_claims;
};

enum class RecoveryMode {
  repair,     // an engine starts: the directory is put in order
  read_only,  // nothing is changed
};

// The rules of recovery (README.md, "Recovery"). Throws RefusedError where starting would lose
// FlowFiles in silence, IoError.
RecoveryResult recover_directory(storage::FileSystem& files, const Layout& layout,
                                 content::ContentRepository& contents, RecoveryMode mode);

}  // namespace weir::flowfile
