#include <algorithm>

#include "repositories/provenance/store.h"

namespace weir::provenance {

namespace {

constexpr const char* kLockName = "provenance.lock";

std::vector<storage::Path> folders_of(const ProvenanceRepositoryConfig& config) {
  std::vector<storage::Path> folders;
  for (const auto& [name, directory] : config.directories) {
    folders.push_back(directory / kEventsFolder);
  }
  return folders;
}

}  // namespace

Store::Store(storage::FileSystem& files, ProvenanceRepositoryConfig config,
             std::function<std::int64_t()> now_ms, storage::FindingReporter& reporter)
    : files_(files),
      config_(std::move(config)),
      now_ms_(std::move(now_ms)),
      reporter_(reporter),
      folders_(folders_of(config_)),
      damage_(&reporter),
      builder_(config_.indexed_attributes) {
  if (folders_.empty()) {
    throw storage::RefusedError("the provenance repository has no directory configured");
  }
  for (const auto& [name, directory] : config_.directories) {
    files_.create_directories(directory / kEventsFolder);
    locks_.push_back(files_.lock(directory / kLockName));
  }
  recover();
  if (config_.own_thread) thread_ = std::thread([this] { run(); });
}

Store::~Store() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  room_.notify_all();
  thread_.join();
}

// The end of the newest file that has any readable block tells what is stored. All files before
// the newest were synced when it was begun.
void Store::recover() {
  event_files_ = list_event_files(files_, config_.directories);
  while (!event_files_.empty()) {
    const auto newest = std::prev(event_files_.end());
    if (recover_newest(newest->first, newest->second)) break;
    event_files_.erase(newest);
  }
}

// False where the file holds nothing readable and does not count.
bool Store::recover_newest(const EventFileName& name, const EventFile& file) {
  TailScan tail;
  try {
    tail = scan_tail(files_, file.path, name);
  } catch (const storage::IoError& error) {
    reporter_.report({file.path, 0, file.size_bytes, error.what()});
    return false;
  }
  for (const auto& bad : tail.bad) {
    damage_.report(file.path, bad.offset, bad.bytes, "events of a provenance file cannot be read");
  }
  if (tail.unreadable) {
    damage_.report(file.path, tail.cut_at, file.size_bytes - tail.cut_at,
                   "the end of a provenance file cannot be read; what was not known to be durable "
                   "comes from the journal");
  }
  if (tail.blocks.empty()) {
    // Its only block never became durable: it comes from the journal again.
    try {
      files_.remove(file.path);
    } catch (const storage::IoError& error) {
      reporter_.report({file.path, 0, file.size_bytes, error.what()});
    }
    return false;
  }
  auto writable = files_.open_append(file.path, storage::FileSystem::Create::keep);
  if (writable->size() > tail.cut_at) writable->truncate(tail.cut_at);
  // After the death of a process only: the bytes may be in the kernel alone.
  writable->sync();
  files_.sync_directory(file.path.parent_path());
  event_files_.at(name).size_bytes = tail.cut_at;

  const auto& last = tail.blocks.back().summary;
  durable_sequence_ = taken_sequence_ = last.last_sequence;
  next_event_id_ = last.last_event_id() + 1;
  return true;
}

std::unique_ptr<ProvenanceRepository> open_provenance_repository(
    storage::FileSystem& files, ProvenanceRepositoryConfig config,
    std::function<std::int64_t()> now_ms, storage::FindingReporter& reporter) {
  return std::make_unique<Store>(files, std::move(config), std::move(now_ms), reporter);
}

}  // namespace weir::provenance
