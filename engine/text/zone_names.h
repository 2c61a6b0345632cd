#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weir::text {

// Whether Java has a region of this id.
bool is_region(std::string_view id);

// The abbreviations of the time zone database, where it has letters for them and not digits.
// The daylight one is empty in zones that have had none.
struct Abbreviations {
  std::string_view standard;
  std::string_view daylight;
};
const Abbreviations* find_abbreviations(std::string_view region);

// One line of the table behind it: regions that share their abbreviations, spaces in between.
struct AbbreviationGroup {
  Abbreviations names;
  std::string_view regions;
};

struct ZoneNameMatch {
  std::size_t length = 0;  // bytes
  std::string zone_id;
  // A name of standard or of daylight saving time decides which of two instants is meant.
  std::optional<bool> daylight;
};
// The longest region id or zone name (of `z`, or with `full` of `zzzz`) that begins at `at`.
std::optional<ZoneNameMatch> match_zone_name(std::string_view text, std::size_t at, bool full,
                                             bool ignore_case);
// The same with region ids only.
std::optional<ZoneNameMatch> match_zone_id(std::string_view text, std::size_t at, bool ignore_case);

}  // namespace weir::text
