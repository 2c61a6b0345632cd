#pragma once

#include <mutex>

#include "repositories/state/state_codec.h"

namespace weir::state {

// The map that all variants answer from. `store` makes a new state of a component last before
// anybody can see it; when it throws, nothing has changed.
class MemoryStates : public StateRepository {
 public:
  StateMap get(const std::string& component) override;
  void set(const std::string& component, std::map<std::string, std::string> values) override;
  bool replace(const std::string& component, std::int64_t expected_version,
               std::map<std::string, std::string> values) override;
  void clear(const std::string& component) override;
  std::vector<std::string> components() override;

 protected:
  explicit MemoryStates(States states = {}) : states_(std::move(states)) {}

  // Called under the lock.
  virtual void store(const std::string& component, const StateMap& state) = 0;
  const States& states() const { return states_; }

 private:
  void change(const std::string& component, std::map<std::string, std::string> values);
  std::int64_t version(const std::string& component) const;

  std::mutex mutex_;
  States states_;
};

}  // namespace weir::state
