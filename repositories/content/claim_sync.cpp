// How contents survive the loss of power: the part of FileSystemContentRepository that syncs.

#include <cerrno>
#include <exception>
#include <set>

#include "repositories/content/file_system_content_repository.h"

namespace weir::content {
namespace {

// Few at a time: a file that waits for its sync may be taken away by a checkpoint, one whose
// sync is at work may not, and a removed file needs none.
constexpr std::size_t kSyncStep = 32;

}  // namespace

void FileSystemContentRepository::sync_all() {
  const std::lock_guard one_at_a_time(sync_mutex_);
  std::uint64_t round = 0;
  {
    const std::lock_guard lock(claims_mutex_);
    round = sync_round_++;
  }
  std::exception_ptr first_failure;
  for (;;) {
    const std::vector<FileClaim*> batch = next_to_sync(round);
    if (batch.empty()) break;
    const auto finished = [&] {
      const std::lock_guard lock(claims_mutex_);
      for (FileClaim* claim : batch) {
        claim->syncing = false;
        if (claim->dirty()) list_dirty(*claim);
      }
    };
    try {
      sync_claims(batch);
    } catch (const storage::IoError&) {
      if (!first_failure) first_failure = std::current_exception();
    } catch (...) {
      finished();
      throw;
    }
    finished();
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

void FileSystemContentRepository::list_dirty(FileClaim& claim) {
  if (std::exchange(claim.dirty_listed, true)) return;
  claim.dirty_round = sync_round_;
  dirty_.push_back(&claim);
}

std::vector<FileClaim*> FileSystemContentRepository::next_to_sync(std::uint64_t round) {
  std::vector<FileClaim*> batch;
  const std::lock_guard lock(claims_mutex_);
  while (!dirty_.empty() && dirty_.front()->dirty_round <= round && batch.size() < kSyncStep) {
    FileClaim* claim = dirty_.front();
    dirty_.pop_front();
    claim->dirty_listed = false;
    if (!claim->dirty()) continue;  // its writer has synced it
    claim->syncing = true;
    batch.push_back(claim);
  }
  return batch;
}

void FileSystemContentRepository::sync_claims(const std::vector<FileClaim*>& claims) {
  // One bad file does not keep the others from becoming durable.
  std::exception_ptr first_failure;
  std::vector<FileClaim*> synced;
  std::vector<std::uint64_t> appends;  // of each of them that are durable
  for (FileClaim* claim : claims) {
    try {
      appends.push_back(sync_file(*claim));
      synced.push_back(claim);
    } catch (const storage::IoError&) {
      if (!first_failure) first_failure = std::current_exception();
    }
  }
  sync_names(synced);
  {
    // Only now: until the way to the bytes is durable as well, nobody else may take them for it.
    const std::lock_guard lock(claims_mutex_);
    for (std::size_t i = 0; i < synced.size(); ++i) {
      synced[i]->synced_appends = std::max(synced[i]->synced_appends, appends[i]);
    }
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

std::uint64_t FileSystemContentRepository::sync_file(FileClaim& claim) {
  std::uint64_t appends = 0;
  {
    const std::lock_guard lock(claims_mutex_);
    if (claim.sync_failed) throw storage::IoError("sync again", claim.path(), EIO);
    appends = claim.appends;
  }
  // A file of its own: the claim's one belongs to the writer that has it in use.
  const auto file = files_.open_append(claim.path(), storage::FileSystem::Create::keep);
  try {
    file->sync();
  } catch (...) {
    const std::lock_guard lock(claims_mutex_);
    claim.sync_failed = true;
    claim.closed = true;
    std::erase(writable_, &claim);
    throw;
  }
  return appends;
}

void FileSystemContentRepository::sync_names(const std::vector<FileClaim*>& claims) {
  std::set<std::pair<Container*, std::uint32_t>> folders;
  std::vector<FileClaim*> unnamed;
  {
    const std::lock_guard lock(claims_mutex_);
    for (FileClaim* claim : claims) {
      if (claim->name_durable) continue;
      unnamed.push_back(claim);
      folders.emplace(claim->place, claim->section);
    }
  }
  std::set<Container*> parents;
  for (const auto& [container, section] : folders) {
    files_.sync_directory(section_path(container->directory, section));
    if (!container->section_durable[section]) parents.insert(container);
  }
  for (Container* container : parents) files_.sync_directory(container->directory);
  for (const auto& [container, section] : folders) container->section_durable[section] = true;
  const std::lock_guard lock(claims_mutex_);
  for (FileClaim* claim : unnamed) claim->name_durable = true;
}

}  // namespace weir::content
