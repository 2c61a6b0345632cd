#include "engine/api/time_zone.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

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
constexpr std::int64_t day_s = 86'400;

// Reads a POSIX rule from the front, a piece at a time.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool name() {
    if (take('<')) {
      const auto end = text_.find('>');
      if (end == std::string_view::npos) return false;
      text_.remove_prefix(end + 1);
      return end >= 1;
    }
    std::size_t letters = 0;
    while (letters < text_.size() && (text_[letters] | 32) >= 'a' && (text_[letters] | 32) <= 'z') {
      ++letters;
    }
    text_.remove_prefix(letters);
    return letters >= 3;
  }
  std::optional<int> number(int most) {
    int value = 0;
    std::size_t digits = 0;
    while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9') {
      value = value * 10 + (text_[digits++] - '0');
      if (value > most) return std::nullopt;
    }
    text_.remove_prefix(digits);
    if (digits == 0) return std::nullopt;
    return value;
  }
  // [+-]hh[:mm[:ss]]
  std::optional<std::int64_t> time() {
    const bool negative = take('-');
    if (!negative) take('+');
    const auto hours = number(167);
    if (!hours) return std::nullopt;
    std::int64_t seconds = std::int64_t{*hours} * 3600;
    for (const int unit : {60, 1}) {
      if (!take(':')) break;
      const auto part = number(59);
      if (!part) return std::nullopt;
      seconds += *part * unit;
    }
    return negative ? -seconds : seconds;
  }

 private:
  std::string_view text_;
};

struct ChangeDay {
  enum class Kind { month_week_day, julian, day_of_year } kind = Kind::month_week_day;
  int month = 0, week = 0, day = 0;
  std::int64_t time_s = 7200;

  std::int64_t local_seconds(int year) const {
    std::int64_t days = days_from_civil(year, 1, 1) + day;
    if (kind == Kind::julian) {
      const bool after_leap_day = day >= 60 && days_in_month(year, 2) == 29;
      days += after_leap_day ? 0 : -1;
    } else if (kind == Kind::month_week_day) {
      const std::int64_t first = days_from_civil(year, month, 1);
      int of_month = (day - weekday_of(first) + 7) % 7 + (week - 1) * 7;
      while (of_month >= days_in_month(year, month)) of_month -= 7;
      days = first + of_month;
    }
    return days * day_s + time_s;
  }
};

std::optional<ChangeDay> read_change_day(RuleReader& reader) {
  ChangeDay change;
  std::optional<int> day;
  if (reader.take('M')) {
    const auto month = reader.number(12);
    if (!month || *month < 1 || !reader.take('.')) return std::nullopt;
    const auto week = reader.number(5);
    if (!week || *week < 1 || !reader.take('.')) return std::nullopt;
    change.month = *month;
    change.week = *week;
    day = reader.number(6);
  } else if (reader.take('J')) {
    change.kind = ChangeDay::Kind::julian;
    day = reader.number(365);
    if (day && *day < 1) return std::nullopt;
  } else {
    change.kind = ChangeDay::Kind::day_of_year;
    day = reader.number(365);
  }
  if (!day) return std::nullopt;
  change.day = *day;
  if (reader.take('/')) {
    const auto time = reader.time();
    if (!time) return std::nullopt;
    change.time_s = *time;
  }
  return change;
}

struct PosixRule {
  std::int64_t standard_s = 0;
  std::int64_t summer_s = 0;
  std::optional<ChangeDay> summer_begins, summer_ends;

  void add_segments(int first_year, std::vector<TimeZone::Segment>& segments) const {
    if (!summer_begins) {
      if (segments.back().offset_s != standard_s) {
        segments.push_back({days_from_civil(first_year, 1, 1) * day_s, standard_s});
      }
      return;
    }
    std::vector<TimeZone::Segment> changes;
    for (int year = first_year; year <= last_year; ++year) {
      changes.push_back({summer_begins->local_seconds(year) - standard_s, summer_s});
      changes.push_back({summer_ends->local_seconds(year) - summer_s, standard_s});
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.start_s < b.start_s; });
    for (const auto& change : changes) {
      if (change.start_s > segments.back().start_s) segments.push_back(change);
    }
  }
};

std::optional<PosixRule> read_posix_rule(std::string_view text) {
  RuleReader reader(text);
  PosixRule rule;
  if (!reader.name()) return std::nullopt;
  const auto standard = reader.time();
  if (!standard) return std::nullopt;
  rule.standard_s = -*standard;
  if (reader.at_end()) return rule;
  if (!reader.name()) return std::nullopt;
  rule.summer_s = rule.standard_s + 3600;
  if (!reader.take(',')) {
    const auto summer = reader.time();
    if (!summer || !reader.take(',')) return std::nullopt;
    rule.summer_s = -*summer;
  }
  rule.summer_begins = read_change_day(reader);
  if (!rule.summer_begins || !reader.take(',')) return std::nullopt;
  rule.summer_ends = read_change_day(reader);
  if (!rule.summer_ends || !reader.at_end()) return std::nullopt;
  return rule;
}

std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = bytes.size() == 4 && (bytes[0] & 0x80) != 0 ? ~0ull : 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(value);
}

// The counts in the header of a block of a zone file (RFC 8536, 3.1).
struct ZoneBlock {
  std::size_t universal, standard, leaps, times, types, letters;

  static std::optional<ZoneBlock> read(std::string_view bytes) {
    if (bytes.size() < 44 || bytes.substr(0, 4) != "TZif") return std::nullopt;
    std::size_t counts[6];
    for (std::size_t i = 0; i < 6; ++i) {
      const std::int64_t count = big_endian(bytes.substr(20 + i * 4, 4));
      if (count < 0 || count > 100'000) return std::nullopt;
      counts[i] = static_cast<std::size_t>(count);
    }
    return ZoneBlock{counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
  }
  std::size_t size(std::size_t width) const {
    return 44 + times * (width + 1) + types * 6 + letters + leaps * (width + 4) + standard +
           universal;
  }
};

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

std::shared_ptr<const TimeZone> TimeZone::from_posix_rule(std::string_view text) {
  const auto rule = read_posix_rule(text);
  if (!rule) return nullptr;
  auto zone = std::make_shared<TimeZone>();
  zone->segments_.push_back({INT64_MIN, rule->standard_s});
  rule->add_segments(1970, zone->segments_);
  return zone;
}

std::shared_ptr<const TimeZone> TimeZone::from_file_bytes(std::string_view bytes) {
  auto block = ZoneBlock::read(bytes);
  if (!block || bytes.size() < block->size(4)) return nullptr;
  std::size_t width = 4;
  if (bytes[4] >= '2') {
    bytes.remove_prefix(block->size(4));
    width = 8;
    block = ZoneBlock::read(bytes);
    if (!block || bytes.size() < block->size(8)) return nullptr;
  }
  if (block->types == 0) return nullptr;
  const std::string_view types = bytes.substr(44 + block->times * (width + 1), block->types * 6);
  const auto offset_of = [&](std::size_t type) { return big_endian(types.substr(type * 6, 4)); };
  auto zone = std::make_shared<TimeZone>();
  zone->segments_.push_back({INT64_MIN, offset_of(0)});
  for (std::size_t i = 0; i < block->times; ++i) {
    const std::int64_t start = big_endian(bytes.substr(44 + i * width, width));
    const auto type = static_cast<unsigned char>(bytes[44 + block->times * width + i]);
    if (type >= block->types) return nullptr;
    if (start > zone->segments_.back().start_s) zone->segments_.push_back({start, offset_of(type)});
  }
  std::string_view footer = bytes.substr(block->size(width));
  if (width == 8 && footer.size() > 2 && footer.front() == '\n') {
    footer = footer.substr(1, footer.find('\n', 1) - 1);
    const auto rule = read_posix_rule(footer);
    const std::int64_t last = zone->segments_.back().start_s;
    // The rule governs all that comes after the last listed change.
    const std::int64_t days = std::max<std::int64_t>(last, 0) / day_s;
    if (rule && days < days_from_civil(last_year, 1, 1)) {
      rule->add_segments(civil_from_days(days).year, zone->segments_);
    }
  }
  for (const Segment& segment : zone->segments_) {
    if (segment.offset_s < -2 * day_s || segment.offset_s > 2 * day_s) return nullptr;
  }
  return zone;
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
