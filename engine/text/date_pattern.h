#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/error.h"
#include "engine/text/zone.h"

// Dates as java.time.format.DateTimeFormatter writes and reads them with the locale en_US.
namespace weir::text {

// A point in time as java.time.Instant: years -1000000000 to 1000000000.
struct Instant {
  std::int64_t epoch_s = 0;
  std::int32_t nano = 0;  // 0..999999999, also before the epoch

  static Instant from_millis(std::int64_t epoch_ms);
  // Towards the past, as Date.from and toEpochMilli do; false where 64 bits do not hold it.
  bool to_millis(std::int64_t& epoch_ms) const;
  bool to_micros(std::int64_t& epoch_us) const;
  bool to_nanos(std::int64_t& epoch_ns) const;

  auto operator<=>(const Instant&) const = default;
};

struct CompiledPattern;

// A pattern in the letters of DateTimeFormatter, compiled once. Immutable, cheap to copy, thread
// safe. Plain numeric patterns take neither locks nor memory beyond the result's.
class DatePattern {
 public:
  // The error: an unknown letter, too many of one, an unclosed quote or bracket, a reserved
  // character; with its position.
  static std::expected<DatePattern, Error> compile(std::string_view pattern);

  // Appends the text of an instant in a zone. The error is a value that the pattern's width cannot
  // hold (rare: a year of five digits in a fixed width); nothing usable was appended then.
  std::expected<void, Error> format(const Instant& instant, const Zone& zone,
                                    std::string& out) const;
  std::expected<void, Error> format(std::int64_t epoch_ms, const Zone& zone,
                                    std::string& out) const;

  // As toDate reads: widths and case do not matter, what the text does not say is taken from
  // 1970-01-01T00:00, an offset or zone in the text goes before `zone`. 31 February is the last
  // day of February. The whole text must match. The error's offset is where it does not.
  std::expected<Instant, Error> parse_lenient(std::string_view text, const Zone& zone) const;
  // As toInstant reads: widths and case must match, and a full date and time must result.
  std::expected<Instant, Error> parse_strict(std::string_view text, const Zone& zone) const;

  // What is legal but hardly meant: minutes where a month should be (yyyy-mm-dd) or the reverse
  // (HH:MM:ss), a week-based year or a day of the year beside a month, an hour of twelve without
  // AM or PM. One sentence each, with its position.
  std::vector<Error> doubts() const;

 private:
  std::shared_ptr<const CompiledPattern> compiled_;
};

// java.util.Date.toString: "Tue Nov 14 22:13:20 UTC 2023"; before October 1582 in the Julian
// calendar.
std::string date_text(std::int64_t epoch_ms, const Zone& zone);
// Instant.toString: "2023-11-14T22:13:20.123Z", fractions in groups of three digits.
std::string instant_text(const Instant& instant);

// What `format` takes for a date in a text (spaces around it do not count): digits only
// (milliseconds), "yyyy/MM/dd HH:mm:ss", the same with ".SSS", both in `zone`, or the text of
// Date.toString. Milliseconds since the epoch.
std::expected<std::int64_t, Error> parse_date_text(std::string_view text, const Zone& zone);
// What `formatInstant` takes for an instant in a text: digits only (milliseconds), the ISO forms
// with Z or an offset, RFC 1123.
std::expected<Instant, Error> parse_instant_text(std::string_view text);

}  // namespace weir::text
