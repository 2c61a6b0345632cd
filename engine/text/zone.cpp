#include "engine/text/zone.h"

#include <fmt/format.h>
#include <unicode/basictz.h>
#include <unicode/timezone.h>
#include <unicode/tzrule.h>
#include <unicode/tztrans.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "engine/text/civil.h"
#include "engine/text/zone_file.h"
#include "engine/text/zone_names.h"
#include "engine/text/zone_rules.h"

namespace weir::text {
namespace {

constexpr std::int64_t day_s = 86400;
// The calendar, and with it a zone's last rules, repeats after 400 years.
constexpr std::int64_t cycle_s = 146097 * day_s;
constexpr int known_until_year = 2440;
constexpr std::int64_t known_until_s = days_of_date(known_until_year, 1, 1) * day_s;

// ICU knows them, Java does not.
constexpr std::string_view unknown_regions[] = {
    "ACT", "AET", "AGT", "ART",     "AST", "BET", "BST", "CAT", "CNT",        "CST", "CTT",
    "EAT", "ECT", "EST", "Factory", "HST", "IET", "IST", "JST", "MIT",        "MST", "NET",
    "NST", "PLT", "PNT", "PRT",     "PST", "ROC", "SST", "VST", "Etc/Unknown"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// ZoneOffset.of: the offset in seconds, or nothing.
std::optional<std::int32_t> parse_offset(std::string_view id) {
  if (id == "Z") return 0;
  if (id.size() < 2 || (id[0] != '+' && id[0] != '-')) return std::nullopt;
  const bool negative = id[0] == '-';
  id.remove_prefix(1);
  std::string digits;
  if (id.size() == 1) digits = "0";
  const bool colons = id.size() == 5 || id.size() == 8;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (colons && i % 3 == 2) {
      if (id[i] != ':') return std::nullopt;
    } else if (is_digit(id[i])) {
      digits += id[i];
    } else {
      return std::nullopt;
    }
  }
  if (digits.size() % 2 != 0 || digits.size() > 6) return std::nullopt;
  digits.resize(6, '0');
  const auto part = [&](std::size_t at) { return (digits[at] - '0') * 10 + digits[at + 1] - '0'; };
  const std::int32_t seconds = part(0) * 3600 + part(2) * 60 + part(4);
  if (part(2) > 59 || part(4) > 59 || seconds > 18 * 3600) return std::nullopt;
  return negative ? -seconds : seconds;
}

std::string machine_zone_id() {
  const char* variable = std::getenv("TZ");
  std::string id = variable ? variable : "";
  if (id.starts_with(':')) id.erase(0, 1);
  if (!id.empty() && id.front() != '/') return id;
  std::error_code error;
  const std::string target =
      id.empty() ? std::filesystem::read_symlink("/etc/localtime", error).string() : id;
  const std::string_view marker = "zoneinfo/";
  const std::size_t at = target.find(marker);
  return at == std::string::npos ? "UTC" : target.substr(at + marker.size());
}

}  // namespace

bool is_region(std::string_view id) {
  if (std::ranges::find(unknown_regions, id) != std::end(unknown_regions)) return false;
  if (id.starts_with("SystemV/")) return false;
  const auto name = icu::UnicodeString::fromUTF8({id.data(), static_cast<std::int32_t>(id.size())});
  const std::unique_ptr<icu::TimeZone> zone(icu::TimeZone::createTimeZone(name));
  icu::UnicodeString found;
  return zone->getID(found) == name;
}

ZoneRules::ZoneRules(std::string id, std::int32_t offset_s, bool is_offset)
    : id_(std::move(id)), is_offset_(is_offset), stretches_{{offset_s, false}} {}

ZoneRules::ZoneRules(std::string region) : id_(std::move(region)), is_offset_(false) {
  read(id_);
}

// The system's zone files are newer than what ICU carries with it, where there are any.
void ZoneRules::read(const std::string& region) {
  const std::optional<std::string> bytes = system_zone_file(region);
  const auto changes = bytes ? read_zone_file(*bytes, known_until_year - 1) : std::nullopt;
  if (!changes) return read_icu(region);
  // The database calls Ireland's winter a negative daylight saving time, Java its summer.
  const bool turned = region == "Europe/Dublin" || region == "Eire";
  for (const ZoneChange& change : *changes) {
    if (!stretches_.empty()) starts_s_.push_back(change.start_s);
    stretches_.push_back({change.offset_s, change.daylight != (turned && change.start_s > 0)});
  }
}

void ZoneRules::read_icu(const std::string& region) {
  const std::unique_ptr<icu::TimeZone> zone(
      icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8(region)));
  const auto* basic = dynamic_cast<const icu::BasicTimeZone*>(zone.get());
  if (!basic) std::abort();  // all regions are
  const auto stretch = [](const icu::TimeZoneRule& rule) {
    return Stretch{(rule.getRawOffset() + rule.getDSTSavings()) / 1000, rule.getDSTSavings() != 0};
  };
  icu::TimeZoneTransition transition;
  UDate from_ms = -1e15;
  while (basic->getNextTransition(from_ms, false, transition)) {
    from_ms = transition.getTime();
    const auto start_s = static_cast<std::int64_t>(from_ms / 1000);
    if (start_s >= known_until_s) break;
    if (stretches_.empty()) stretches_.push_back(stretch(*transition.getFrom()));
    starts_s_.push_back(start_s);
    stretches_.push_back(stretch(*transition.getTo()));
  }
  if (!stretches_.empty()) return;
  std::int32_t raw_ms = 0;
  std::int32_t daylight_ms = 0;
  UErrorCode error = U_ZERO_ERROR;
  basic->getOffset(0, false, raw_ms, daylight_ms, error);
  stretches_.push_back({(raw_ms + daylight_ms) / 1000, daylight_ms != 0});
}

ZoneRules::Stretch ZoneRules::at(std::int64_t epoch_s) const {
  if (starts_s_.empty()) return stretches_.front();
  if (epoch_s >= known_until_s) {
    epoch_s = known_until_s - cycle_s + (epoch_s - known_until_s) % cycle_s;
  }
  const auto next = std::ranges::upper_bound(starts_s_, epoch_s);
  return stretches_[static_cast<std::size_t>(next - starts_s_.begin())];
}

Zone Zone::utc() {
  static const auto rules = std::make_shared<const ZoneRules>("UTC", 0, false);
  return Zone(rules);
}

std::expected<Zone, Error> Zone::find(std::string_view id) {
  if (id == "UTC") return utc();
  const bool offset_only = id.size() <= 1 || id.starts_with('+') || id.starts_with('-');
  const std::size_t prefix = offset_only                                      ? 0
                             : id.starts_with("UTC") || id.starts_with("GMT") ? 3
                             : id.starts_with("UT")                           ? 2
                                                                              : 0;
  const bool bare = prefix > 0 && id.size() == prefix;
  if (offset_only || bare || (prefix > 0 && (id[prefix] == '+' || id[prefix] == '-'))) {
    const auto offset_s = bare ? 0 : parse_offset(id.substr(prefix));
    if (!offset_s) {
      return std::unexpected(Error{prefix, fmt::format("\"{}\" is no offset from UTC", id)});
    }
    std::string name(id.substr(0, prefix));
    if (offset_only || *offset_s != 0) name += offset_id(*offset_s);
    return Zone(std::make_shared<const ZoneRules>(std::move(name), *offset_s, offset_only));
  }
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<const ZoneRules>> regions;
  const std::lock_guard lock(mutex);
  std::string name(id);
  const auto known = regions.find(name);
  if (known != regions.end()) return Zone(known->second);
  if (!is_region(id)) {
    return std::unexpected(Error{0, fmt::format("there is no time zone \"{}\"", id)});
  }
  return Zone(regions.emplace(name, std::make_shared<const ZoneRules>(name)).first->second);
}

const Zone& Zone::machine() {
  static const Zone zone = find(machine_zone_id()).value_or(utc());
  return zone;
}

const std::string& Zone::id() const {
  return rules_->id();
}

bool Zone::is_offset() const {
  return rules_->is_offset();
}

bool Zone::is_fixed() const {
  return rules_->is_fixed();
}

std::int32_t Zone::offset_at(std::int64_t epoch_s) const {
  return rules_->at(epoch_s).offset_s;
}

bool Zone::daylight_at(std::int64_t epoch_s) const {
  return rules_->at(epoch_s).daylight;
}

std::int64_t Zone::instant_of_local(std::int64_t local_s) const {
  if (is_fixed()) return local_s - offset_at(0);
  // Changes of one zone lie more than a day apart, so the offsets a day earlier and later are
  // those before and after the one change that may matter.
  const std::int32_t before = offset_at(local_s - day_s);
  const std::int32_t after = offset_at(local_s + day_s);
  const std::int64_t early = local_s - before;
  if (before == after || offset_at(early) == before) return early;
  // Past the change: either a local time that exists with the later offset, or one in the gap,
  // which keeps the earlier offset.
  const std::int64_t late = local_s - after;
  return offset_at(late) == after ? late : early;
}

std::int64_t Zone::instant_of_local(std::int64_t local_s, std::int32_t preferred_offset_s) const {
  const std::int64_t preferred = local_s - preferred_offset_s;
  return offset_at(preferred) == preferred_offset_s ? preferred : instant_of_local(local_s);
}

std::string offset_id(std::int32_t offset_s) {
  if (offset_s == 0) return "Z";
  const std::int32_t size = std::abs(offset_s);
  std::string id =
      fmt::format("{}{:02}:{:02}", offset_s < 0 ? '-' : '+', size / 3600, size / 60 % 60);
  if (size % 60 != 0) id += fmt::format(":{:02}", size % 60);
  return id;
}

std::string zone_name(const Zone& zone, std::int64_t epoch_s, bool full, bool generic) {
  const ZoneRules::Names& names = zone.rules().names();
  return names[full ? 1 : 0][generic ? 2 : zone.daylight_at(epoch_s) ? 1 : 0];
}

}  // namespace weir::text
