#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir::processors::kafka {

struct MirrorHeader {
  std::string name;
  std::optional<std::string> value;  // nullopt: null

  bool operator==(const MirrorHeader&) const = default;
};

// A record as a handler sees and makes it. Null is apart from empty.
struct MirrorRecord {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;         // in the source; what a handler puts here means nothing
  std::int64_t timestamp_ms = -1;  // -1: the source has none
  bool log_append_time = false;    // the source's broker set the timestamp
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<MirrorHeader> headers;  // in order, names may repeat

  bool operator==(const MirrorRecord&) const = default;
};

}  // namespace weir::processors::kafka
