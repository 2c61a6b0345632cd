#include "repositories/state/memory_states.h"

namespace weir::state {

StateMap MemoryStates::get(const std::string& component) {
  const std::lock_guard lock(mutex_);
  const auto found = states_.find(component);
  return found == states_.end() ? StateMap{} : found->second;
}

void MemoryStates::set(const std::string& component, std::map<std::string, std::string> values) {
  const std::lock_guard lock(mutex_);
  change(component, std::move(values));
}

bool MemoryStates::replace(const std::string& component, std::int64_t expected_version,
                           std::map<std::string, std::string> values) {
  const std::lock_guard lock(mutex_);
  if (version(component) != expected_version) return false;
  change(component, std::move(values));
  return true;
}

// An empty map with a version stays, so that versions never repeat.
void MemoryStates::clear(const std::string& component) {
  const std::lock_guard lock(mutex_);
  const auto found = states_.find(component);
  if (found != states_.end() && !found->second.values.empty()) change(component, {});
}

std::vector<std::string> MemoryStates::components() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, state] : states_) {
    if (!state.values.empty()) names.push_back(name);
  }
  return names;
}

void MemoryStates::change(const std::string& component, std::map<std::string, std::string> values) {
  StateMap state{version(component) + 1, std::move(values)};
  store(component, state);
  states_.insert_or_assign(component, std::move(state));
}

std::int64_t MemoryStates::version(const std::string& component) const {
  const auto found = states_.find(component);
  return found == states_.end() ? -1 : found->second.version;
}

}  // namespace weir::state
