#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/api/flow_file.h"
#include "processors/kafka/records/producer.h"
#include "processors/kafka/records/published_flow_files.h"

namespace weir::processors::kafka {

// The records that a FlowFile of ConsumeKafka holds, where their offsets are left to be committed.
struct ConsumedRecords {
  std::string group;
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t last = 0;      // offset
  std::int64_t time_ms = -1;  // of the first
  std::uint64_t flow_file = 0;
};
// nullopt: nothing is to be committed, or the attributes do not say what.
std::optional<ConsumedRecords> consumed_records(const FlowFile& flow_file);

// What has been published of the groups whose offsets go with this processor's transactions. One
// thread at a time, which is the one that publishes.
class OffsetsLedger {
 public:
  // `settings` of consumers of the cluster; `engine` as PublishedFlowFiles wants it. The log is
  // referred to while it lives.
  OffsetsLedger(Settings settings, std::string engine, std::chrono::milliseconds timeout,
                ComponentLog& log)
      : settings_(std::move(settings)), engine_(std::move(engine)), timeout_(timeout), log_(log) {}

  bool knows(const ConsumedRecords& consumed) const;
  // Asks the cluster for what the group has committed, transactions that are not settled waited
  // for. False: the topic is gone, and nothing of it can be committed. Throws where the cluster
  // does not tell.
  bool load(const ConsumedRecords& consumed);
  // Of loaded partitions.
  bool is_published(const ConsumedRecords& consumed) const;
  // What a transaction that publishes these is to commit.
  std::vector<GroupOffset> offsets_of(const std::vector<ConsumedRecords>& published) const;
  // It did.
  void committed(const std::vector<ConsumedRecords>& published);
  // Nobody knows what became of a transaction: ask the cluster.
  void forget() { partitions_.clear(); }

 private:
  using Key = std::tuple<std::string, std::string, std::int32_t>;
  static Key key_of(const ConsumedRecords& one) { return {one.group, one.topic, one.partition}; }

  using Partitions = std::map<Key, PublishedFlowFiles>;
  Partitions after(const std::vector<ConsumedRecords>& published) const;

  const Settings settings_;
  const std::string engine_;
  const std::chrono::milliseconds timeout_;
  ComponentLog& log_;
  Partitions partitions_;
};

}  // namespace weir::processors::kafka
