#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

namespace text {
struct ZoneChange;
}

// The offsets of a time zone from UTC over time, up to the year 2170. Read from the system's
// zone files without touching the process's TZ, so several zones can be in use at once.
// Immutable and thread safe.
class TimeZone {
 public:
  // "": the machine's zone (TZ, else /etc/localtime, else UTC). "UTC" and POSIX rules such as
  // "EET-2EEST,M4.5.5/0,M10.5.4/24" need no zone files; a name such as "Europe/Berlin" does.
  // Throws storage::StorageError where there is no such zone. Zones are read once and kept.
  static std::shared_ptr<const TimeZone> find(const std::string& name);

  // From the bytes of a zone file (RFC 8536), or null where they are damaged.
  static std::shared_ptr<const TimeZone> from_file_bytes(std::string_view bytes);
  // From a POSIX rule, or null where it is none.
  static std::shared_ptr<const TimeZone> from_posix_rule(std::string_view rule);

  // One stretch of time with one offset: [start, next segment's start).
  struct Segment {
    std::int64_t start_s = INT64_MIN;  // since the epoch
    std::int64_t offset_s = 0;         // local time minus UTC
  };
  // Sorted; the first starts at INT64_MIN.
  const std::vector<Segment>& segments() const { return segments_; }
  std::size_t segment_at(std::int64_t utc_s) const;
  std::int64_t offset_at(std::int64_t utc_s) const { return segments_[segment_at(utc_s)].offset_s; }

 private:
  static std::shared_ptr<const TimeZone> from_changes(
      const std::optional<std::vector<text::ZoneChange>>& changes);

  std::vector<Segment> segments_;
};

// The proleptic Gregorian calendar: days since 1970-01-01.
std::int64_t days_from_civil(int year, int month, int day);
struct CivilDate {
  int year, month, day;
};
CivilDate civil_from_days(std::int64_t days);
int days_in_month(int year, int month);
// 0 is Sunday.
int weekday_of(std::int64_t days);

}  // namespace weir
