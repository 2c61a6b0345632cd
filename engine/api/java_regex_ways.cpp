#include "engine/api/java_regex_ways.h"

namespace weir::java_regex {
namespace {

constexpr std::size_t max_ways = 256;

}  // namespace

std::string join(const Ways& ways) {
  std::string out;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (i > 0) out += '|';
    out += ways[i];
  }
  return out;
}

std::optional<Ways> append(Ways ways, const Ways& next) {
  if (ways.size() * next.size() > max_ways) return std::nullopt;
  if (next.size() == 1) {
    for (std::string& way : ways) way += next[0];
    return ways;
  }
  Ways longer;
  for (const std::string& way : ways) {
    for (const std::string& piece : next) longer.push_back(way + piece);
  }
  return longer;
}

std::optional<Ways> repeat(const Ways& ways, std::size_t least, std::size_t most) {
  Ways all;
  std::optional<Ways> repeated = Ways{""};
  for (std::size_t count = 0; count <= most; ++count) {
    if (count >= least) all.insert(all.end(), repeated->begin(), repeated->end());
    if (all.size() > max_ways) return std::nullopt;
    if (count == most) break;
    repeated = append(*std::move(repeated), ways);
    if (!repeated) return std::nullopt;
  }
  return all;
}

}  // namespace weir::java_regex
