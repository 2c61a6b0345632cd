#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/api/processor.h"
#include "processors/kinesis/record.h"

namespace weir::processors::kinesis {

// How records become FlowFiles.
struct OutputRules {
  std::string stream;
  std::string region;
  bool merge = false;           // many records a FlowFile
  std::string demarcator = {};  // between them
  std::uint64_t max_bytes = 0;  // a merged FlowFile that has reached it is complete
};

struct Written {
  std::size_t records = 0;
  std::size_t flow_files = 0;
};

// Writes all records of `batches`, which are of one shard and in its order, to new FlowFiles on
// `relationship`, in that order.
Written write_flow_files(ProcessSession& session, const Relationship& relationship,
                         const OutputRules& rules, const std::string& shard_id,
                         const std::vector<RecordBatchPtr>& batches);

// The attributes that it sets, NiFi's names.
std::vector<AttributeNote> written_attributes();

}  // namespace weir::processors::kinesis
