#pragma once

#include <string>
#include <vector>

namespace weir::kinesis_testing {

struct AggregatedRecord {
  std::string partition_key;
  std::string data;
};

// One record as the Kinesis Producer Library makes it of several: the magic bytes F3 89 9A C2, a
// protobuf message (field 1: the partition keys; field 2: the explicit hash keys; field 3: the
// records, each with the indexes of its keys in fields 1 and 2 and its data in field 3), and the
// message's MD5. `hash_key`: of all records; the KCL drops those that do not belong to the shard.
std::string aggregate(const std::vector<AggregatedRecord>& records, const std::string& hash_key);

}  // namespace weir::kinesis_testing
