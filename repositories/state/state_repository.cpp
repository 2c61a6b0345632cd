#include "repositories/state/memory_states.h"

namespace weir::state {

namespace {

constexpr const char* kFileName = "state";
constexpr const char* kPartialName = "state.partial";
constexpr const char* kDamagedName = "state.damaged";
constexpr const char* kLockName = "state.lock";
// A log is rewritten past this many records if at most a quarter of them are the newest ones.
constexpr std::uint64_t kLeastRecords = 256;
constexpr std::uint64_t kOutdatedFactor = 4;

class VolatileStates : public MemoryStates {
 public:
  VolatileStates() = default;

 private:
  void store(const std::string&, const StateMap&) override {}
};

class ReadOnlyStates : public MemoryStates {
 public:
  explicit ReadOnlyStates(States states) : MemoryStates(std::move(states)) {}

 private:
  void store(const std::string&, const StateMap&) override {
    throw storage::RefusedError("the component state is open for reading only");
  }
};

// The log is written anew at the first change after a start, after a failed write, and when most
// of it is outdated: so there is always a file that begins with everything known.
class LoggedStates : public MemoryStates {
 public:
  LoggedStates(storage::FileSystem& files, storage::Path directory,
               std::unique_ptr<storage::FileLock> lock, std::uint64_t random_seed,
               LoadedStates loaded)
      : MemoryStates(std::move(loaded.states)),
        files_(files),
        directory_(std::move(directory)),
        lock_(std::move(lock)),
        next_salt_(random_seed) {}

 private:
  void store(const std::string& component, const StateMap& state) override {
    const std::uint64_t useful = states().size() + 1;
    const bool outdated = records_ >= kLeastRecords && records_ > useful * kOutdatedFactor;
    if (!log_ || outdated) return rewrite(component, state);
    const auto payload = encode_state(component, state);
    try {
      log_->append(records_ + 1, payload);
      log_->sync();
    } catch (const storage::IoError&) {
      // What reached the disk is unknown: the next change starts a fresh file. Until then a
      // crash may bring up this state, which is the one the caller asked for.
      log_.reset();
      throw;
    }
    ++records_;
  }

  void rewrite(const std::string& component, const StateMap& state) {
    log_.reset();
    const auto partial = directory_ / kPartialName;
    if (files_.status(partial)) files_.remove(partial);
    auto log = std::make_unique<storage::RecordLogWriter>(
        files_, partial, storage::RecordLogHeader{kFormat, kVersion, next_salt_});
    next_salt_ = next_salt_ * 6364136223846793005u + 1442695040888963407u;
    std::uint64_t records = 0;
    for (const auto& [name, other] : states()) {
      if (name != component) log->append(++records, encode_state(name, other));
    }
    log->append(++records, encode_state(component, state));
    log->sync();
    files_.rename(partial, directory_ / kFileName);
    files_.sync_directory(directory_);
    log_ = std::move(log);
    records_ = records;
  }

  storage::FileSystem& files_;
  const storage::Path directory_;
  const std::unique_ptr<storage::FileLock> lock_;
  std::uint64_t next_salt_;
  // Guarded by the lock under which `store` is called.
  std::unique_ptr<storage::RecordLogWriter> log_;
  std::uint64_t records_ = 0;
};

}  // namespace

std::unique_ptr<StateRepository> open_state_repository(storage::FileSystem& files,
                                                       const storage::Path& directory,
                                                       std::uint64_t random_seed,
                                                       storage::FindingReporter& reporter) {
  files.create_directories(directory);
  auto lock = files.lock(directory / kLockName);
  auto loaded = load_states(files, directory / kFileName);
  if (!loaded.findings.empty()) {
    files.replace_small(directory / kDamagedName,
                        files.read_small(directory / kFileName).value_or(""));
  }
  for (const auto& finding : loaded.findings) reporter.report(finding);
  return std::make_unique<LoggedStates>(files, directory, std::move(lock), random_seed,
                                        std::move(loaded));
}

std::unique_ptr<StateRepository> open_state_read_only(storage::FileSystem& files,
                                                      const storage::Path& directory) {
  return std::make_unique<ReadOnlyStates>(load_states(files, directory / kFileName).states);
}

std::unique_ptr<StateRepository> open_volatile_state_repository() {
  return std::make_unique<VolatileStates>();
}

}  // namespace weir::state
