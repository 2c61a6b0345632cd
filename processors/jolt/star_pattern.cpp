#include "processors/jolt/star_pattern.h"

#include <algorithm>

namespace weir::jolt {

std::size_t count_stars(std::string_view key) {
  return static_cast<std::size_t>(std::ranges::count(key, '*'));
}

StarPattern::StarPattern(std::string_view key) {
  const std::size_t first = key.find('*');
  prefix_ = key.substr(0, first);
  for (std::size_t from = first + 1;;) {
    const std::size_t next = key.find('*', from);
    if (next == std::string_view::npos) {
      suffix_ = key.substr(from);
      return;
    }
    middles_.emplace_back(key.substr(from, next - from));
    from = next + 1;
  }
}

namespace {

// Past the character that begins at `at`.
std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

}  // namespace

// The leftmost place of each middle leaves the most room for what follows, so that nothing needs
// to be tried twice.
bool StarPattern::run(std::string_view text, std::vector<std::string_view>* stars) const {
  if (text.size() <= prefix_.size() + suffix_.size()) return false;
  if (!text.starts_with(prefix_) || !text.ends_with(suffix_)) return false;
  const std::string_view body =
      text.substr(prefix_.size(), text.size() - prefix_.size() - suffix_.size());
  std::size_t from = 0;
  for (const std::string& middle : middles_) {
    if (from >= body.size()) return false;
    const std::size_t at = body.find(middle, next_character(body, from));
    if (at == std::string_view::npos) return false;
    if (stars) stars->push_back(body.substr(from, at - from));
    from = at + middle.size();
  }
  if (from >= body.size()) return false;
  if (stars) stars->push_back(body.substr(from));
  return true;
}

}  // namespace weir::jolt
