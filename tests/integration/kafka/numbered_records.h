#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tests/integration/kafka/cluster_client.h"

namespace weir::kafka_testing {

// Records whose values say which they are: "PARTITION:NUMBER" and dots up to `size_bytes`; the
// numbers count from `first` within each partition.
struct NumberedRecords {
  int partitions = 1;
  int per_partition = 1000;
  int first = 0;
  std::size_t size_bytes = 100;

  std::vector<Record> of_topic(const std::string& topic) const;
};

// What came of numbered records.
struct Arrival {
  std::uint64_t lost = 0;
  std::uint64_t duplicates = 0;
  // First occurrences that came after a later one of their partition.
  std::uint64_t out_of_order = 0;
  std::uint64_t strangers = 0;  // values that none of the records has

  bool operator==(const Arrival&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Arrival& arrival);

// `values` in the order in which they came; that of several partitions may be mixed.
Arrival arrival_of(const NumberedRecords& sent, const std::vector<std::string>& values);
Arrival arrival_of(const NumberedRecords& sent, const std::vector<Record>& records);

}  // namespace weir::kafka_testing
