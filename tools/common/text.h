#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace weir::tools {

// Bytes of others (attributes, names) made safe for a terminal: control characters and bytes
// that are no UTF-8 appear as escapes.
std::string printable(std::string_view text);

// Characters on the screen, one a code point.
std::size_t shown_width(std::string_view text);

std::string with_thousands(std::uint64_t number);  // "1,234,567"

std::string format_time(std::int64_t time_ms);  // local, "2026-03-01 10:20:30.123"
// How long before `now_ms`: "12 sec", "3.5 min".
std::string format_age(std::int64_t time_ms, std::int64_t now_ms);

// "2026-03-01", "2026-03-01 10:20[:30[.123]]" (T or space; local, or UTC with a Z behind),
// milliseconds since the epoch, or a period ("10 mins") for so long before `now_ms`.
std::expected<std::int64_t, std::string> parse_time(std::string_view text, std::int64_t now_ms);

}  // namespace weir::tools
