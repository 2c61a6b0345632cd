#include "processors/kafka/records/kept_offsets.h"

#include <charconv>

namespace weir::processors::kafka {
namespace {

constexpr const char* kGroup = "group";
constexpr std::string_view kPrefix = "offset ";  // then "TOPIC PARTITION": neither has a space

}  // namespace

KeptOffsets::KeptOffsets(StateManager& state, std::string group)
    : state_(state), group_(std::move(group)) {
  const auto values = state_.get().values;
  const auto of = values.find(kGroup);
  if (of == values.end() || of->second != group_) return;
  for (const auto& [name, value] : values) {
    if (!name.starts_with(kPrefix)) continue;
    const std::size_t space = name.rfind(' ');
    std::int32_t partition = 0;
    std::int64_t offset = 0;
    std::from_chars(name.data() + space + 1, name.data() + name.size(), partition);
    std::from_chars(value.data(), value.data() + value.size(), offset);
    offsets_[{name.substr(kPrefix.size(), space - kPrefix.size()), partition}] = offset;
  }
}

Offsets KeptOffsets::get() const {
  const std::lock_guard lock(mutex_);
  return offsets_;
}

void KeptOffsets::put(const Offsets& offsets) {
  const std::lock_guard lock(mutex_);
  bool changed = false;
  for (const auto& [key, next] : offsets) {
    auto& place = offsets_[key];
    changed |= place != next;
    place = next;
  }
  if (!changed) return;
  std::map<std::string, std::string> values = {{kGroup, group_}};
  for (const auto& [key, next] : offsets_) {
    values[std::string(kPrefix) + key.first + " " + std::to_string(key.second)] =
        std::to_string(next);
  }
  state_.set(std::move(values));
}

}  // namespace weir::processors::kafka
