#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "processors/kafka/mirror/mirror_record.h"

namespace weir::processors::kafka {

// Records [first, last] of a partition are acknowledged by the target, and their position is
// committed.
struct MirroredRange {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t first_offset = 0;
  std::int64_t last_offset = 0;
  std::uint64_t records = 0;
  std::int64_t lag = 0;  // records of the source behind it; -1: not known
};

// Records [first, last] were gone before they were mirrored; or, where `recreated`, the topic is
// another one than that the position belongs to.
struct MirrorLoss {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t first_offset = 0;
  std::int64_t last_offset = 0;
  bool recreated = false;
  bool stopped = false;  // the partition stands still, as the rule says
  std::string reason;
};

// A record that could not be mirrored.
struct MirrorFailure {
  MirrorRecord record;  // as it is in the source where the handler failed, else as it was sent
  std::string source_topic;
  std::int32_t source_partition = 0;
  std::int64_t source_offset = 0;
  std::string reason;
  bool stopped = false;
  // FailureRule::dead_letter: to be called once the record is kept for good; from any thread, at
  // any time before or after the mirror's end. Null otherwise.
  std::function<void()> kept = {};
};

enum class MirrorNote {
  topic_created,
  partitions_added,
  topic_vanished,   // a topic of the source is gone
  topic_recreated,  // a topic of the source was away and is there again, from its beginning
  rebalanced,
  commit_failed,
  suspended,    // a partition waits for its topic in the target, and is tried again
  unavailable,  // brokers do not answer, or everything was torn down and is tried again
  fenced,       // another mirror took this one's place; this one has ended
};

// What a mirror tells of its work. Called from several of its threads, with none of its locks
// held that the listener could need; it should not block.
class MirrorListener {
 public:
  virtual ~MirrorListener() = default;
  virtual void mirrored(const MirroredRange& range) = 0;
  virtual void lost(const MirrorLoss& loss) = 0;
  virtual void failed(MirrorFailure failure) = 0;
  virtual void noted(MirrorNote note, const std::string& message) = 0;
};

}  // namespace weir::processors::kafka
