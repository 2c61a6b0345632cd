#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/api/pattern.h"
#include "processors/kafka/client.h"
#include "processors/kafka/group_watch.h"

namespace weir::processors::kafka {

using TopicNames = std::set<std::string, std::less<>>;

// Topics by name, or all those whose names a regular expression in Java's syntax matches.
struct TopicSelection {
  std::vector<std::string> names = {};
  std::optional<Pattern> pattern = {};
};

// Subscribes a consumer to a selection, and again whenever other topics match the pattern.
class TopicWatch {
 public:
  TopicWatch(TopicSelection selection, Clock& clock, ComponentLog& log)
      : selection_(std::move(selection)), clock_(clock), log_(log) {}

  // To be called often: subscribes where that is due. A cluster that does not answer is asked again
  // later. `watch`, which may be null, is told of it before. Throws KafkaError where librdkafka
  // refuses the names.
  void refresh(rd_kafka_t* consumer, GroupWatch* watch);
  // Which of these are there again. Looks at most once a second, and tells of none in between.
  std::vector<std::string> back_of(const TopicNames& gone, rd_kafka_t* consumer);

 private:
  std::optional<std::vector<std::string>> all(rd_kafka_t* consumer) const;
  void subscribe(rd_kafka_t* consumer, GroupWatch* watch, std::vector<std::string> names);

  const TopicSelection selection_;
  Clock& clock_;
  ComponentLog& log_;
  std::vector<std::string> subscribed_;
  std::int64_t next_look_ns_ = INT64_MIN;
  std::int64_t next_look_back_ns_ = INT64_MIN;
};

}  // namespace weir::processors::kafka
