#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "repositories/storage/error.h"
#include "repositories/storage/file_system.h"

namespace weir::state {

// What one component remembers. `version` rises with each change; -1: nothing was ever stored.
struct StateMap {
  std::int64_t version = -1;
  std::map<std::string, std::string> values;
};

// Keeps a small map a component across restarts (a listing's position, an offset). Every `set`
// is durable when it returns. Thread safe. Throws IoError.
class StateRepository {
 public:
  virtual ~StateRepository() = default;
  virtual StateMap get(const std::string& component) = 0;
  virtual void set(const std::string& component, std::map<std::string, std::string> values) = 0;
  // Sets only where the stored version still is `expected_version`; false: nothing changed.
  virtual bool replace(const std::string& component, std::int64_t expected_version,
                       std::map<std::string, std::string> values) = 0;
  virtual void clear(const std::string& component) = 0;
  // Those that have values.
  virtual std::vector<std::string> components() = 0;
};

// One record log below `directory`, rewritten when most of it is outdated. A log that cannot be
// read as a whole never stops a start: what is readable counts, the rest is reported, and the
// file as it was is kept beside it as `state.damaged`. Throws RefusedError where another process
// has the directory or the log is of another version. `files` outlives the repository.
std::unique_ptr<StateRepository> open_state_repository(storage::FileSystem& files,
                                                       const storage::Path& directory,
                                                       std::uint64_t random_seed,
                                                       storage::FindingReporter& reporter);
// Takes no lock and changes nothing: `set`, `replace` and `clear` throw RefusedError.
std::unique_ptr<StateRepository> open_state_read_only(storage::FileSystem& files,
                                                      const storage::Path& directory);
std::unique_ptr<StateRepository> open_volatile_state_repository();

}  // namespace weir::state
