#include "processors/support/java_text.h"

#include <fmt/format.h>

#include <ctime>

#include "engine/api/error.h"

namespace weir::processors {
namespace {

std::string format_local(std::int64_t ms, const char* format) {
  // Rounds towards the past, so that times before 1970 stay right.
  const std::time_t seconds = static_cast<std::time_t>(ms >= 0 ? ms / 1000 : (ms - 999) / 1000);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof(text), format, &parts)};
}

bool is_blank(char c) {
  return static_cast<unsigned char>(c) <= ' ';
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trim(text.substr(0, comma));
    if (!part.empty()) parts.emplace_back(part);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return parts;
}

std::string java_date(std::int64_t ms) {
  return format_local(ms, "%a %b %d %H:%M:%S %Z %Y");
}

std::string file_time(std::int64_t ms) {
  return format_local(ms, "%Y-%m-%dT%H:%M:%S%z");
}

std::int64_t parse_file_time(std::string_view text) {
  std::string value(text);
  if (value.ends_with('Z')) value.replace(value.size() - 1, 1, "+0000");
  std::tm parts{};
  const char* end = strptime(value.c_str(), "%Y-%m-%dT%H:%M:%S%z", &parts);
  if (!end || *end != '\0') {
    throw ProcessException(fmt::format("\"{}\" is not a time like 2023-11-14T22:13:20+0000", text));
  }
  const long zone_seconds = parts.tm_gmtoff;
  return (static_cast<std::int64_t>(timegm(&parts)) - zone_seconds) * 1000;
}

std::string dashed_line(std::string_view prefix) {
  constexpr std::size_t middle = 40;
  if (trim(prefix).empty()) return std::string(50, '-');
  std::string text(prefix.substr(0, prefix.size() > middle ? middle - 3 : middle));
  if (prefix.size() > middle) text.append(3, '.');
  const std::size_t left = (middle - text.size()) / 2;
  std::string line(5 + left, '-');
  line.append(text).append(5 + middle - text.size() - left, '-');
  return line;
}

}  // namespace weir::processors
