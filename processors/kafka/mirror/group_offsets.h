#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/api/environment.h"
#include "processors/kafka/group_watch.h"
#include "processors/kafka/mirror/mirror_events.h"
#include "processors/kafka/mirror/mirror_settings.h"
#include "processors/kafka/mirror/offset_keeper.h"
#include "processors/kafka/mirror/patience.h"

namespace weir::processors::kafka {

// Positions in the consumer's own group. Thread safe.
//
// In a cooperative group a commit waits for a quiet moment, and leaves it to the next one where
// the group is joined just then.
class GroupOffsets : public OffsetKeeper {
 public:
  // `watch`: null where the group is not a cooperative one.
  GroupOffsets(const MirrorSettings& settings, rd_kafka_t* consumer, GroupWatch* watch,
               MirrorListener& listener, Clock& clock, const Patience& patience)
      : settings_(settings),
        consumer_(consumer),
        watch_(watch),
        listener_(listener),
        clock_(clock),
        patience_(patience) {}

  void fetch(rd_kafka_topic_partition_list_t& partitions) override;
  bool commit(const std::vector<MirrorPartitionPtr>& partitions) override;
  std::int64_t position(MirrorPartition& partition) override;
  bool is_own(const MirrorPartition& partition, std::int64_t position) override;
  void release(const std::vector<MirrorPartitionPtr>& partitions) override;

 private:
  // What is to be committed, and where each of it stands.
  struct Due {
    std::vector<MirrorPartitionPtr> partitions;
    std::vector<std::int64_t> positions;
  };

  Due take_due(const std::vector<MirrorPartitionPtr>& partitions, std::int64_t now_ns) const;
  void leave_out_doubtful(Due& due);
  // Null where nobody answered.
  using Answer = Owned<rd_kafka_event_t>;
  // None where a commit may not be sent now.
  std::optional<Answer> send(const Due& due);
  void await_quiet() const;

  const MirrorSettings& settings_;
  rd_kafka_t* const consumer_;
  GroupWatch* const watch_;
  MirrorListener& listener_;
  Clock& clock_;
  const Patience& patience_;
  std::mutex mutex_;  // the committing side of all partitions
};

// What `partition` has newly committed up to `position`. The committing side.
MirroredRange take_range(MirrorPartition& partition, std::int64_t position, rd_kafka_t* consumer);

}  // namespace weir::processors::kafka
