#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "processors/kafka/mirror/mirror_events.h"
#include "processors/kafka/mirror/mirror_memory.h"
#include "processors/kafka/mirror/mirror_producer.h"
#include "processors/kafka/mirror/mirror_settings.h"
#include "processors/kafka/mirror/patience.h"

namespace weir::processors::kafka {

// The target cannot take the topic as it is, and the rules do not let the mirror change that.
class TopicRefused : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

struct SourceTopic {
  std::string name;
  int partitions = 0;
  int replication_factor = 0;
  std::vector<std::int32_t> leaders = {};  // by partition; -1: none now
};

// Knows which topics of the source are mirrored, and keeps those of the target with as many
// partitions: creates what is missing before the first record is sent, and adds partitions where
// the source grew (KAFKA-1839). Thread safe.
class TopicKeeper {
 public:
  TopicKeeper(const MirrorSettings& settings, rd_kafka_t* source, MirrorProducer& producer,
              MirrorListener& listener, MirrorMemory& memory, const Patience& patience)
      : settings_(settings),
        source_(source),
        producer_(producer),
        listener_(listener),
        memory_(memory),
        patience_(patience) {}

  struct Look {
    std::vector<SourceTopic> topics;  // that are selected, sorted by name
    std::vector<std::string> gone;    // that were there at the last look
    std::vector<std::string> again;   // that were gone, and are there
  };
  // Looks the source's topics up anew. Throws KafkaError.
  Look refresh();
  // As last looked up; none where it was not there.
  std::optional<SourceTopic> source_topic(const std::string& name) const;

  // The target's topic with at least as many partitions as the source's topic `source` has, and
  // at least `partitions`. Throws TopicRefused, KafkaError where the target does not answer, and
  // MirrorRestart where the topic takes smaller batches only than those that are sent.
  TargetTopic& ensure(const std::string& target, const std::string& source, int partitions);

 private:
  bool selects(const std::string& name) const;
  using Topics = std::map<std::string, SourceTopic, std::less<>>;
  Look remember(Topics found);
  int look_up(const TargetTopic& topic);
  bool create(const std::string& target, const SourceTopic& like);
  void grow(const std::string& target, int from, int to);
  std::vector<std::pair<std::string, std::string>> copied_settings(const std::string& source);
  void respect_batch_limit(const std::string& target);
  int await(TargetTopic& topic, int partitions);

  const MirrorSettings& settings_;
  rd_kafka_t* const source_;
  MirrorProducer& producer_;
  MirrorListener& listener_;
  MirrorMemory& memory_;
  const Patience& patience_;

  mutable std::mutex mutex_;
  Topics topics_;  // guarded by it, as below
  std::set<std::string> vanished_;

  std::mutex admin_mutex_;  // one change of the target at a time
};

}  // namespace weir::processors::kafka
