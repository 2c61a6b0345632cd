#include "tools/flow_test/json_content.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace weir::flow_test {
namespace {

using nlohmann::json;

constexpr int kMostLevels = 1000;

bool too_deep(std::string_view text) {
  int level = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++level > kMostLevels) return true;
    } else if (c == ']' || c == '}') {
      --level;
    }
  }
  return false;
}

std::string shown(const json& value) {
  constexpr std::size_t kShown = 200;
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

}  // namespace

std::expected<json, std::string> parse_json(std::string_view text) {
  if (too_deep(text)) return std::unexpected(fmt::format("nested over {} levels", kMostLevels));
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without its label.
    const std::string_view what = error.what();
    const auto end = what.find("] ");
    return std::unexpected(
        std::string(end == std::string_view::npos ? what : what.substr(end + 2)));
  }
}

std::string json_difference(const json& expected, const json& got) {
  if (expected == got) return {};
  const json changes = json::diff(expected, got);
  if (changes.empty()) return {};
  const json& first = changes.front();
  const std::string place = first.at("path").get<std::string>();
  const std::string& change = first.at("op").get_ref<const std::string&>();
  const std::string at = place.empty() ? "as a whole" : "at " + place;
  if (change == "add") return fmt::format("{}: not expected, got {}", at, shown(first.at("value")));
  const std::string wanted = shown(expected.at(json::json_pointer(place)));
  if (change == "remove") return fmt::format("{}: expected {}, got nothing", at, wanted);
  return fmt::format("{}: expected {}, got {}", at, wanted, shown(first.at("value")));
}

}  // namespace weir::flow_test
