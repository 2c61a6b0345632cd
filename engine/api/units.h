#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace weir {

// NiFi's spelling of periods: a number (also with a fraction) and a unit, any amount of space
// between or none, case ignored: ns nano nanos nanosecond(s), ms milli millis millisecond(s),
// s sec secs second(s), m min mins minute(s), h hr hrs hour(s), d day(s), w wk wks week(s),
// and for whole numbers us micro micros microsecond(s). "99w", "0.1 sec", "86400  sec". The error
// is a sentence without place. A value past what nanoseconds hold (292 years) is clamped to it.
std::expected<std::chrono::nanoseconds, std::string> parse_duration(std::string_view text);

// NiFi's spelling of sizes: a number (also with a fraction) and B, KB, MB, GB or TB (powers of
// 1024), case ignored. "1 GB", "500 mb", "1.25 GB", "0B". Bytes, rounded down.
std::expected<std::uint64_t, std::string> parse_data_size(std::string_view text);

// "true" or "false", case ignored.
std::expected<bool, std::string> parse_boolean(std::string_view text);

// The whole text as a number in [least, most].
std::expected<std::int64_t, std::string> parse_integer(std::string_view text,
                                                       std::int64_t least = INT64_MIN,
                                                       std::int64_t most = INT64_MAX);

std::string format_data_size(std::uint64_t bytes);               // "1.5 MB"
std::string format_duration(std::chrono::nanoseconds duration);  // "2.5 sec"

// The candidate that looks most like `word` (edit distance, case ignored), or "" where none is
// near enough to suggest.
template <typename Range>
std::string nearest_name(std::string_view word, const Range& candidates);
std::size_t edit_distance(std::string_view a, std::string_view b);

template <typename Range>
std::string nearest_name(std::string_view word, const Range& candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 2;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = std::string(candidate);
    }
  }
  return best;
}

}  // namespace weir
