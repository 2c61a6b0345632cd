#include "engine/api/time_zone.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

#include "engine/text/zone_file.h"
#include "repositories/storage/error.h"

namespace weir {

std::int64_t days_from_civil(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return std::chrono::sys_days(date).time_since_epoch().count();
}

CivilDate civil_from_days(std::int64_t days) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<std::chrono::days::rep>(days)))};
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}

int days_in_month(int year, int month) {
  static constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && std::chrono::year(year).is_leap() ? 29 : days[month - 1];
}

int weekday_of(std::int64_t days) {
  return static_cast<int>(((days + 4) % 7 + 7) % 7);  // 1970-01-01 was a Thursday
}

namespace {

constexpr int last_year = 2170;

std::optional<std::string> read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad() || bytes.empty()) return std::nullopt;
  return bytes;
}

std::shared_ptr<const TimeZone> load(std::string name) {
  if (name.empty()) {
    const char* const given = std::getenv("TZ");
    if (given != nullptr) name = *given == ':' ? given + 1 : given;
    if (given != nullptr && name.empty()) name = "UTC";
    if (given == nullptr) {
      const auto bytes = read_whole("/etc/localtime");
      if (!bytes) return TimeZone::from_posix_rule("UTC0");
      return TimeZone::from_file_bytes(*bytes);
    }
  }
  if (name == "UTC" || name == "GMT" || name == "Z") return TimeZone::from_posix_rule("UTC0");
  if (auto zone = TimeZone::from_posix_rule(name)) return zone;
  if (name.find("..") != std::string::npos) return nullptr;
  const auto bytes = read_whole(name[0] == '/' ? name : "/usr/share/zoneinfo/" + name);
  return bytes ? TimeZone::from_file_bytes(*bytes) : nullptr;
}

}  // namespace

std::shared_ptr<const TimeZone> TimeZone::from_changes(
    const std::optional<std::vector<text::ZoneChange>>& changes) {
  if (!changes) return nullptr;
  auto zone = std::make_shared<TimeZone>();
  for (const text::ZoneChange& change : *changes) {
    zone->segments_.push_back({change.start_s, change.offset_s});
  }
  return zone;
}

std::shared_ptr<const TimeZone> TimeZone::from_posix_rule(std::string_view rule) {
  return from_changes(text::read_posix_rule(rule, last_year));
}

std::shared_ptr<const TimeZone> TimeZone::from_file_bytes(std::string_view bytes) {
  return from_changes(text::read_zone_file(bytes, last_year));
}

std::shared_ptr<const TimeZone> TimeZone::find(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const TimeZone>> known;
  const std::lock_guard lock(mutex);
  auto& zone = known[name];
  if (!zone) zone = load(name);
  if (!zone) {
    known.erase(name);
    throw storage::StorageError(fmt::format("there is no time zone '{}'", name));
  }
  return zone;
}

std::size_t TimeZone::segment_at(std::int64_t utc_s) const {
  const auto after = std::upper_bound(
      segments_.begin(), segments_.end(), utc_s,
      [](std::int64_t at, const Segment& segment) { return at < segment.start_s; });
  return static_cast<std::size_t>(after - segments_.begin()) - 1;
}

}  // namespace weir
