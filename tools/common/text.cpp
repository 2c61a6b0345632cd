#include "tools/common/text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <ctime>

#include "engine/api/units.h"

namespace weir::tools {
namespace {

// Length of the UTF-8 character at the start; 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned char least = 0x80, most = 0xBF;  // of the second byte: no overlong forms, surrogates
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) least = 0xA0;
    if (first == 0xED) most = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) least = 0x90;
    if (first == 0xF4) most = 0x8F;
  }
  if (length == 0 || length > text.size() || byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;  // C1
}

bool take_number(std::string_view& text, std::size_t digits, int& out) {
  if (text.size() < digits) return false;
  const char* const end = text.data() + digits;
  const auto [stop, failure] = std::from_chars(text.data(), end, out);
  if (failure != std::errc() || stop != end || out < 0) return false;
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Digits behind a point, as milliseconds.
bool take_fraction(std::string_view& text, int& milliseconds) {
  int factor = 100;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    milliseconds += (text[digits++] - '0') * factor;
    factor /= 10;
  }
  text.remove_prefix(digits);
  return digits > 0;
}

std::optional<std::int64_t> parse_calendar(std::string_view text) {
  std::tm time{};
  int milliseconds = 0;
  if (!take_number(text, 4, time.tm_year) || !take(text, "-") ||
      !take_number(text, 2, time.tm_mon) || !take(text, "-") ||
      !take_number(text, 2, time.tm_mday)) {
    return std::nullopt;
  }
  if (take(text, "T ")) {
    if (!take_number(text, 2, time.tm_hour) || !take(text, ":") ||
        !take_number(text, 2, time.tm_min)) {
      return std::nullopt;
    }
    if (take(text, ":") && !take_number(text, 2, time.tm_sec)) return std::nullopt;
    if (take(text, ".,") && !take_fraction(text, milliseconds)) return std::nullopt;
  }
  const bool utc = take(text, "Zz");
  if (!text.empty() || time.tm_mon < 1 || time.tm_mon > 12 || time.tm_mday < 1 ||
      time.tm_mday > 31 || time.tm_hour > 23 || time.tm_min > 59 || time.tm_sec > 60) {
    return std::nullopt;
  }
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  time.tm_isdst = -1;
  const std::time_t seconds = utc ? ::timegm(&time) : std::mktime(&time);
  return static_cast<std::int64_t>(seconds) * 1000 + milliseconds;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length != 0 && !is_control(character)) {
      out += character;
    } else if (character == "\n") {
      out += "\\n";
    } else if (character == "\t") {
      out += "\\t";
    } else {
      for (const char c : character) {
        out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

std::string with_thousands(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string format_time(std::int64_t time_ms) {
  std::int64_t seconds = time_ms / 1000, rest = time_ms % 1000;
  if (rest < 0) {
    rest += 1000;
    --seconds;
  }
  const std::time_t time = seconds;
  std::tm local{};
  ::localtime_r(&time, &local);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03}", local, rest);
}

std::string format_age(std::int64_t time_ms, std::int64_t now_ms) {
  const double seconds = static_cast<double>(std::max<std::int64_t>(now_ms - time_ms, 0)) / 1000;
  if (seconds < 60) return fmt::format("{:.1f} sec", seconds);
  if (seconds < 3600) return fmt::format("{:.1f} min", seconds / 60);
  if (seconds < 86400) return fmt::format("{:.1f} hours", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86400);
}

std::expected<std::int64_t, std::string> parse_time(std::string_view text, std::int64_t now_ms) {
  if (const auto time = parse_calendar(text)) return *time;
  if (const auto number = parse_integer(text)) return *number;
  if (const auto period = parse_duration(text)) {
    return now_ms - std::chrono::duration_cast<std::chrono::milliseconds>(*period).count();
  }
  return std::unexpected(fmt::format(
      "'{}' is no time: give '2026-03-01 10:20:30', milliseconds since the epoch, or a period "
      "like '10 mins' for so long ago",
      text));
}

}  // namespace weir::tools
