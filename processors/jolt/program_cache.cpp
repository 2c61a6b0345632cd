#include "processors/jolt/program_cache.h"

namespace weir::jolt {

std::shared_ptr<const Program> ProgramCache::find(const std::string& text) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(text);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->program;
}

void ProgramCache::put(const std::string& text, std::shared_ptr<const Program> program) {
  const std::lock_guard lock(mutex_);
  if (index_.contains(text)) return;  // another thread was faster
  entries_.push_front({text, std::move(program)});
  index_.emplace(entries_.front().text, entries_.begin());
  if (entries_.size() <= capacity_) return;
  index_.erase(entries_.back().text);
  entries_.pop_back();
}

}  // namespace weir::jolt
