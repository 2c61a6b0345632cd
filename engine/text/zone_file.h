#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::text {

// From here on this offset holds, until the next change.
struct ZoneChange {
  std::int64_t start_s = INT64_MIN;  // since the epoch
  std::int32_t offset_s = 0;         // local time minus UTC
  bool daylight = false;
};

// From the bytes of a zone file (RFC 8536), sorted, the first from INT64_MIN on; its last rule is
// written out up to the end of `last_year`. Empty where the bytes are damaged.
std::optional<std::vector<ZoneChange>> read_zone_file(std::string_view bytes, int last_year);

// From a POSIX rule such as "EET-2EEST,M4.5.5/0,M10.5.4/24", which holds from 1970 on. Empty where
// it is none.
std::optional<std::vector<ZoneChange>> read_posix_rule(std::string_view rule, int last_year);

// The system's zone file of a region, or nothing.
std::optional<std::string> system_zone_file(std::string_view region);

}  // namespace weir::text
