#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "processors/kafka/client.h"

namespace weir::processors::kafka {

// Next offsets by topic and partition.
using Offsets = std::map<std::pair<std::string, std::int32_t>, std::int64_t>;

inline Owned<rd_kafka_topic_partition_list_t> list_of(const Offsets& offsets) {
  Owned<rd_kafka_topic_partition_list_t> list(
      rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
  for (const auto& [key, next] : offsets) {
    rd_kafka_topic_partition_list_add(list.get(), key.first.c_str(), key.second)->offset = next;
  }
  return list;
}

inline std::span<rd_kafka_topic_partition_t> all_of(const rd_kafka_topic_partition_list_t& list) {
  return {list.elems, static_cast<std::size_t>(list.cnt)};
}

}  // namespace weir::processors::kafka
