#pragma once

#include <cstdint>
#include <string>

#include "engine/api/component.h"

namespace weir::bench {

// The records of one row of Kafka's table.
struct KafkaLoad {
  std::string name;
  std::size_t record_bytes = 100;
  int partitions = 4;
  std::string compression = "none";  // of the records in the source, and of what the target gets
  std::uint64_t records = 0;
};

// Takes what librdkafka and the clusters' clients say, and says nothing.
class SilentLog : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};
extern SilentLog silent_log;

// Makes the topic and writes all records of the load to it, partition by partition in turn.
void fill(const std::string& brokers, const KafkaLoad& load, const std::string& topic);

}  // namespace weir::bench
