#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/pattern.h"
#include "processors/kafka/client.h"
#include "processors/kafka/mirror/mirror_message_handler.h"

namespace weir::processors::kafka {

// Where a partition is read first that the group has no position for.
enum class InitialPosition { earliest, latest, none };

// What happens when records were gone before they were mirrored, or a topic was made anew.
enum class LossRule {
  stop,   // the partition stays where it is, and nothing of it is committed
  go_on,  // reading goes on with the first record that is there
};

// What happens to a record that the handler or the target refuses for good.
enum class FailureRule {
  stop,               // its partition stops; its offset and those behind it are not committed
  dead_letter_topic,  // it is written to that topic of the target, and counts as mirrored then
  dead_letter,        // it is given to the listener, and counts as mirrored once that says so
};

enum class Delivery { at_least_once, exactly_once };

// Which topics are mirrored: all of `names`, or those the pattern matches as a whole.
struct TopicSelection {
  std::vector<std::string> names = {};
  std::optional<Pattern> pattern = {};
};

// How topics of the target are made.
struct TopicRules {
  bool create = true;           // missing ones are created, with the source's partition count
  bool grow = true;             // partitions are added where the source has more
  int replication_factor = -1;  // -1: the target broker's default; 0: as the source's
  // Names of topic settings that a new topic takes from the source's, where they are set there.
  std::vector<std::string> copied_settings = {};
};

// Called after the mirror's own work, on the consumer's thread (KIP-3). It should not block.
class ConsumerRebalanceListener {
 public:
  using Partitions = std::vector<std::pair<std::string, std::int32_t>>;
  virtual ~ConsumerRebalanceListener() = default;
  virtual void before_releasing_partitions(const Partitions& partitions) = 0;
  virtual void before_starting_fetchers(const Partitions& partitions) = 0;
};

struct MirrorSettings {
  Settings source = {};          // librdkafka's settings of the consumer
  Settings target = {};          // and of the producer
  Settings target_reader = {};   // of the consumer that reads positions in the target
  std::string source_name = {};  // brokers, for messages
  std::string target_name = {};
  std::string group_id = {};
  TopicSelection topics = {};
  InitialPosition initial_position = InitialPosition::earliest;
  Delivery delivery = Delivery::at_least_once;
  int channels = 1;
  std::chrono::milliseconds commit_interval{1000};
  // How long partitions that are given up wait for the target's acknowledgements.
  std::chrono::milliseconds drain_timeout{30'000};
  std::chrono::milliseconds topic_refresh_interval{10'000};
  std::chrono::milliseconds retry_interval{5'000};  // after an error that ended everything
  std::chrono::milliseconds api_timeout{30'000};
  std::uint64_t max_bytes = std::uint64_t{64} << 20;  // of records on their way
  TopicRules topic_rules = {};
  LossRule on_loss = LossRule::stop;
  LossRule on_recreated_topic = LossRule::stop;
  FailureRule on_failure = FailureRule::stop;
  std::string dead_letter_topic = {};
  std::shared_ptr<MirrorMessageHandler> handler = {};  // null: identity
  std::shared_ptr<ConsumerRebalanceListener> rebalance_listener = {};
};

}  // namespace weir::processors::kafka
