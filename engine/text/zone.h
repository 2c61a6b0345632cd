#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "engine/text/error.h"

namespace weir::text {

class ZoneRules;

// A time zone as java.time.ZoneId. A value, cheap to copy, thread safe; equal to another by id.
// Rules of regions are read once, from the system's zone files or from ICU where there are none,
// and kept for the life of the process.
class Zone {
 public:
  static Zone utc();  // its id is "UTC"
  // ZoneId.of: a region ("Europe/Berlin"), "Z", an offset (+h, +hh, +hh:mm, +hhmm, +hh:mm:ss, also
  // with -), or UTC, GMT, UT with such an offset behind. Upper and lower case count; short names
  // such as PST and IST are unknown. The error says what is wrong with the id.
  static std::expected<Zone, Error> find(std::string_view id);
  // The zone of the machine: TZ, else /etc/localtime, else UTC. Read at the first call.
  static const Zone& machine();

  const std::string& id() const;
  // Set where the zone is a plain offset: "Z", "+02:00", but not "UTC+02:00".
  bool is_offset() const;
  // Set where the offset never changes ("UTC", "UTC+02:00", plain offsets).
  bool is_fixed() const;

  // Local time minus UTC, in seconds, at an instant in seconds since the epoch.
  std::int32_t offset_at(std::int64_t epoch_s) const;
  // Whether that instant lies in daylight saving time.
  bool daylight_at(std::int64_t epoch_s) const;
  // The instant of a local time (its seconds since the epoch as if it were UTC), as
  // ZonedDateTime.of has it: a time within a gap moves forward by the gap's length, one within an
  // overlap is the earlier instant.
  std::int64_t instant_of_local(std::int64_t local_s) const;
  // The same with an offset that is preferred within an overlap.
  std::int64_t instant_of_local(std::int64_t local_s, std::int32_t preferred_offset_s) const;

  const ZoneRules& rules() const { return *rules_; }

 private:
  explicit Zone(std::shared_ptr<const ZoneRules> rules) : rules_(std::move(rules)) {}
  std::shared_ptr<const ZoneRules> rules_;
};

// ZoneOffset.getId: "Z", "+02:00", "-00:44:30".
std::string offset_id(std::int32_t offset_s);

// The names of `z` ("CET", "GMT-03:00") and `zzzz` ("Central European Summer Time"), in English,
// or of `v` and `vvvv` with `generic` ("PT", "Pacific Time").
std::string zone_name(const Zone& zone, std::int64_t epoch_s, bool full, bool generic);

}  // namespace weir::text
