#include "engine/text/zone_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/text/civil.h"

namespace weir::text {
namespace {

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

  std::int64_t local_seconds(std::int64_t year) const {
    std::int64_t days = days_of_date(year, 1, 1) + day;
    if (kind == Kind::julian) {
      const bool after_leap_day = day >= 60 && is_leap_year(year);
      days += after_leap_day ? 0 : -1;
    } else if (kind == Kind::month_week_day) {
      const std::int64_t first = days_of_date(year, month, 1);
      std::int64_t of_month = (day + 7 - day_of_week(first) % 7) % 7 + (week - 1) * 7;
      while (of_month >= length_of_month(year, month)) of_month -= 7;
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

  ZoneChange change(std::int64_t start_s, bool daylight) const {
    return {start_s, static_cast<std::int32_t>(daylight ? summer_s : standard_s), daylight};
  }

  void add_changes(std::int64_t first_year, int last_year, std::vector<ZoneChange>& changes) const {
    if (!summer_begins) {
      if (changes.back().offset_s != standard_s) {
        changes.push_back(change(days_of_date(first_year, 1, 1) * day_s, false));
      }
      return;
    }
    std::vector<ZoneChange> added;
    for (std::int64_t year = first_year; year <= last_year; ++year) {
      added.push_back(change(summer_begins->local_seconds(year) - standard_s, true));
      added.push_back(change(summer_ends->local_seconds(year) - summer_s, false));
    }
    std::ranges::stable_sort(added, {}, &ZoneChange::start_s);
    for (const ZoneChange& next : added) {
      if (next.start_s > changes.back().start_s) changes.push_back(next);
    }
  }
};

std::optional<PosixRule> parse_rule(std::string_view text) {
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

}  // namespace

std::optional<std::vector<ZoneChange>> read_posix_rule(std::string_view text, int last_year) {
  const auto rule = parse_rule(text);
  if (!rule) return std::nullopt;
  std::vector<ZoneChange> changes = {rule->change(INT64_MIN, false)};
  rule->add_changes(1970, last_year, changes);
  return changes;
}

std::optional<std::vector<ZoneChange>> read_zone_file(std::string_view bytes, int last_year) {
  auto block = ZoneBlock::read(bytes);
  if (!block || bytes.size() < block->size(4)) return std::nullopt;
  std::size_t width = 4;
  if (bytes[4] >= '2') {
    bytes.remove_prefix(block->size(4));
    width = 8;
    block = ZoneBlock::read(bytes);
    if (!block || bytes.size() < block->size(8)) return std::nullopt;
  }
  if (block->types == 0) return std::nullopt;
  const std::string_view types = bytes.substr(44 + block->times * (width + 1), block->types * 6);
  const auto change = [&](std::int64_t start_s, std::size_t type) -> ZoneChange {
    const std::int64_t offset_s = big_endian(types.substr(type * 6, 4));
    return {start_s, static_cast<std::int32_t>(offset_s), types[type * 6 + 4] != 0};
  };
  std::vector<ZoneChange> changes = {change(INT64_MIN, 0)};
  for (std::size_t i = 0; i < block->times; ++i) {
    const std::int64_t start_s = big_endian(bytes.substr(44 + i * width, width));
    const auto type = static_cast<unsigned char>(bytes[44 + block->times * width + i]);
    if (type >= block->types) return std::nullopt;
    if (start_s > changes.back().start_s) changes.push_back(change(start_s, type));
  }
  std::string_view footer = bytes.substr(block->size(width));
  if (width == 8 && footer.size() > 2 && footer.front() == '\n') {
    footer = footer.substr(1, footer.find('\n', 1) - 1);
    // The rule governs all that comes after the last listed change.
    const std::int64_t days = std::max<std::int64_t>(changes.back().start_s, 0) / day_s;
    const auto rule = parse_rule(footer);
    if (rule) rule->add_changes(date_of_days(days).year, last_year, changes);
  }
  for (const ZoneChange& each : changes) {
    if (each.offset_s < -2 * day_s || each.offset_s > 2 * day_s) return std::nullopt;
  }
  return changes;
}

std::optional<std::string> system_zone_file(std::string_view region) {
  if (region.find("..") != std::string_view::npos) return std::nullopt;
  std::ifstream file("/usr/share/zoneinfo/" + std::string(region), std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad() || bytes.empty()) return std::nullopt;
  return bytes;
}

}  // namespace weir::text
