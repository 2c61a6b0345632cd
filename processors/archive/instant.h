#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::processors {

// An instant as Java's Instant.parse takes it, in seconds since the epoch (a part of a second is
// dropped): "2024-02-03T04:05:06.789Z", or an offset such as +01:00. Nothing where it is none;
// "+0100" is none.
std::optional<std::int64_t> parse_instant_s(std::string_view text);

}  // namespace weir::processors
