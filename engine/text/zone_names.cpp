#include "engine/text/zone_names.h"

#include <fmt/format.h>
#include <unicode/locid.h>
#include <unicode/strenum.h>
#include <unicode/timezone.h>
#include <unicode/tznames.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/text/java_case.h"
#include "engine/text/zone.h"
#include "engine/text/zone_abbreviations.h"
#include "engine/text/zone_rules.h"

namespace weir::text {
namespace {

// Where several zones share a name, the first of these is meant.
constexpr std::string_view preferred_regions[] = {
    "America/New_York",  "America/Chicago",     "America/Denver",   "America/Los_Angeles",
    "America/Anchorage", "Pacific/Honolulu",    "America/Halifax",  "America/St_Johns",
    "Europe/London",     "Europe/Paris",        "Europe/Bucharest", "Europe/Lisbon",
    "Europe/Moscow",     "Asia/Kolkata",        "Asia/Tokyo",       "Asia/Seoul",
    "Asia/Hong_Kong",    "Asia/Manila",         "Asia/Karachi",     "Asia/Jakarta",
    "Asia/Jerusalem",    "Australia/Sydney",    "Australia/Perth",  "Australia/Adelaide",
    "Pacific/Auckland",  "Africa/Johannesburg", "Africa/Lagos",     "Africa/Maputo",
    "Africa/Nairobi",    "Asia/Shanghai",       "Asia/Dhaka",       "America/Sao_Paulo"};

const icu::TimeZoneNames& localized_names() {
  static const std::unique_ptr<icu::TimeZoneNames> names = [] {
    UErrorCode error = U_ZERO_ERROR;
    std::unique_ptr<icu::TimeZoneNames> made(
        icu::TimeZoneNames::createInstance(icu::Locale::getUS(), error));
    if (U_FAILURE(error)) std::abort();  // ICU's data is not installed
    return made;
  }();
  return *names;
}

std::string localized_name(const std::string& region, UTimeZoneNameType type) {
  UErrorCode error = U_ZERO_ERROR;
  icu::UnicodeString canonical;
  icu::TimeZone::getCanonicalID(icu::UnicodeString::fromUTF8(region), canonical, error);
  if (U_FAILURE(error)) return {};
  icu::UnicodeString name;
  const UDate now_ms = 1.7e12;  // names of zones change with their rules; these are the recent ones
  localized_names().getDisplayName(canonical, type, now_ms, name);
  std::string text;
  if (!name.isBogus()) name.toUTF8String(text);
  return text;
}

std::string offset_name(std::int32_t offset_s) {
  return offset_s == 0 ? "GMT" : "GMT" + offset_id(offset_s);
}

std::vector<std::string> all_regions() {
  std::vector<std::string> regions(std::begin(preferred_regions), std::end(preferred_regions));
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<icu::StringEnumeration> ids(
      icu::TimeZone::createTimeZoneIDEnumeration(UCAL_ZONE_TYPE_ANY, nullptr, nullptr, error));
  while (const icu::UnicodeString* id = U_SUCCESS(error) ? ids->snext(error) : nullptr) {
    std::string region;
    id->toUTF8String(region);
    if (is_region(region)) regions.push_back(std::move(region));
  }
  return regions;
}

// Names in lower case to what they mean.
class NameIndex {
 public:
  struct Meaning {
    std::string name;
    std::string zone_id;
    std::optional<bool> daylight;
  };

  void add(const std::string& name, const std::string& zone_id, std::optional<bool> daylight) {
    if (name.empty()) return;
    longest_ = std::max(longest_, name.size());
    meanings_.emplace(to_lower(name), Meaning{name, zone_id, daylight});
  }

  std::optional<ZoneNameMatch> match(std::string_view text, bool ignore_case) const {
    const std::string lower = to_lower(text.substr(0, longest_));
    for (std::size_t length = std::min(lower.size(), text.size()); length > 0; --length) {
      const auto found = meanings_.find(lower.substr(0, length));
      if (found == meanings_.end()) continue;
      const Meaning& meaning = found->second;
      if (!ignore_case && text.substr(0, length) != meaning.name) continue;
      return ZoneNameMatch{length, meaning.zone_id, meaning.daylight};
    }
    return std::nullopt;
  }

 private:
  std::size_t longest_ = 0;
  std::unordered_map<std::string, Meaning> meanings_;
};

NameIndex region_index() {
  NameIndex index;
  for (const std::string& region : all_regions()) index.add(region, region, std::nullopt);
  return index;
}

NameIndex name_index(bool full) {
  NameIndex index = region_index();
  for (const std::string& region : all_regions()) {
    if (full) {
      index.add(localized_name(region, UTZNM_LONG_STANDARD), region, false);
      index.add(localized_name(region, UTZNM_LONG_DAYLIGHT), region, true);
      index.add(localized_name(region, UTZNM_LONG_GENERIC), region, std::nullopt);
    } else if (const Abbreviations* names = find_abbreviations(region)) {
      index.add(std::string(names->standard), region, false);
      index.add(std::string(names->daylight), region, true);
    }
  }
  return index;
}

}  // namespace

const Abbreviations* find_abbreviations(std::string_view region) {
  static const auto table = [] {
    std::unordered_map<std::string_view, Abbreviations> made;
    for (const AbbreviationGroup& group : abbreviation_groups()) {
      for (std::string_view rest = group.regions; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        made.emplace(rest.substr(0, end), group.names);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    return made;
  }();
  const auto found = table.find(region);
  return found == table.end() ? nullptr : &found->second;
}

const ZoneRules::Names& ZoneRules::names() const {
  std::call_once(named_, [this] {
    if (is_offset_ || id_ == "UT" ||
        (is_fixed() && stretches_.front().offset_s != 0 &&
         (id_.starts_with("UT") || id_.starts_with("GMT")))) {
      for (auto& names : names_) names.fill(id_);
      return;
    }
    std::int32_t standard_s = stretches_.back().offset_s;
    std::int32_t daylight_s = standard_s;
    for (const Stretch& stretch : stretches_) {
      (stretch.daylight ? daylight_s : standard_s) = stretch.offset_s;
    }
    auto& [brief, full] = names_;
    full = {localized_name(id_, UTZNM_LONG_STANDARD), localized_name(id_, UTZNM_LONG_DAYLIGHT),
            localized_name(id_, UTZNM_LONG_GENERIC)};
    const Abbreviations* known = find_abbreviations(id_);
    if (known) brief = {std::string(known->standard), std::string(known->daylight), ""};
    brief[2] = localized_name(id_, UTZNM_SHORT_GENERIC);
    for (auto& names : names_) {
      if (names[0].empty()) names[0] = offset_name(standard_s);
      if (names[1].empty()) names[1] = offset_name(daylight_s);
      if (names[2].empty()) names[2] = names[0];
    }
  });
  return names_;
}

std::optional<ZoneNameMatch> match_zone_name(std::string_view text, std::size_t at, bool full,
                                             bool ignore_case) {
  static const NameIndex brief_names = name_index(false);
  static const NameIndex full_names = name_index(true);
  return (full ? full_names : brief_names).match(text.substr(at), ignore_case);
}

std::optional<ZoneNameMatch> match_zone_id(std::string_view text, std::size_t at,
                                           bool ignore_case) {
  static const NameIndex regions = region_index();
  return regions.match(text.substr(at), ignore_case);
}

}  // namespace weir::text
