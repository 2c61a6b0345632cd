#include "engine/expression/pattern_cache.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

namespace weir::expression {
namespace {

// A handful of entries, the oldest one replaced.
template <typename Compiled>
class Recent {
 public:
  template <typename Make>
  const Compiled& find(std::string_view text, Make make) {
    for (const Entry& entry : entries_) {
      if (entry.compiled && entry.text == text) return *entry.compiled;
    }
    Compiled compiled = make(text);
    Entry& entry = entries_[next_];
    next_ = (next_ + 1) % entries_.size();
    entry.text = text;
    entry.compiled = std::move(compiled);
    return *entry.compiled;
  }

 private:
  struct Entry {
    std::string text;
    std::optional<Compiled> compiled;
  };
  std::array<Entry, 16> entries_;
  std::size_t next_ = 0;
};

}  // namespace

const Pattern& cached_pattern(std::string_view expression) {
  thread_local Recent<Pattern> recent;
  return recent.find(expression, [](std::string_view text) {
    auto compiled = Pattern::compile(text);
    if (!compiled) {
      throw ProcessException(fmt::format("'{}': {}", text, compiled.error()));
    }
    return *std::move(compiled);
  });
}

const text::DatePattern& cached_date_pattern(std::string_view pattern) {
  thread_local Recent<text::DatePattern> recent;
  return recent.find(pattern, [](std::string_view text) {
    auto compiled = text::DatePattern::compile(text);
    if (!compiled) {
      throw ProcessException(
          fmt::format("'{}' is no date pattern: {}", text, compiled.error().message));
    }
    return *std::move(compiled);
  });
}

text::Zone zone_of(std::string_view id) {
  auto zone = text::Zone::find(id);
  if (!zone) {
    throw ProcessException(fmt::format("'{}' is no time zone: {}", id, zone.error().message));
  }
  return *std::move(zone);
}

}  // namespace weir::expression
