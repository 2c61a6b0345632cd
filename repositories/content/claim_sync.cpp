// How contents survive the loss of power: the part of FileSystemContentRepository that syncs.

#include <cerrno>
#include <exception>
#include <set>

#include "repositories/content/file_system_content_repository.h"

namespace weir::content {

void FileSystemContentRepository::sync_all() {
  const std::lock_guard one_at_a_time(sync_mutex_);
  std::vector<FileClaim*> batch;
  {
    const std::lock_guard lock(claims_mutex_);
    for (FileClaim* claim : std::exchange(dirty_, {})) {
      claim->dirty_listed = false;
      if (!claim->dirty) continue;  // its writer has synced it
      claim->syncing = true;
      batch.push_back(claim);
    }
  }
  const auto finished = [&] {
    const std::lock_guard lock(claims_mutex_);
    for (FileClaim* claim : batch) {
      claim->syncing = false;
      if (claim->dirty && !std::exchange(claim->dirty_listed, true)) dirty_.push_back(claim);
    }
  };
  try {
    sync_claims(batch);
  } catch (...) {
    finished();
    throw;
  }
  finished();
}

void FileSystemContentRepository::sync_claims(const std::vector<FileClaim*>& claims) {
  // One bad file does not keep the others from becoming durable.
  std::exception_ptr first_failure;
  std::vector<FileClaim*> synced;
  for (FileClaim* claim : claims) {
    try {
      sync_file(*claim);
      synced.push_back(claim);
    } catch (const storage::IoError&) {
      if (!first_failure) first_failure = std::current_exception();
    }
  }
  try {
    sync_names(synced);
  } catch (...) {
    // The bytes are safe and the way to them is not: all of it counts as not synced.
    const std::lock_guard lock(claims_mutex_);
    for (FileClaim* claim : synced) {
      claim->dirty = true;
      if (!std::exchange(claim->dirty_listed, true)) dirty_.push_back(claim);
    }
    throw;
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

void FileSystemContentRepository::sync_file(FileClaim& claim) {
  {
    const std::lock_guard lock(claims_mutex_);
    if (claim.sync_failed) throw storage::IoError("sync again", claim.path(), EIO);
    // Before the sync: what is appended while it runs makes the claim dirty again.
    claim.dirty = false;
  }
  const auto still_dirty = [&](bool failed) {
    const std::lock_guard lock(claims_mutex_);
    claim.dirty = true;
    if (!failed) return;
    claim.sync_failed = true;
    claim.closed = true;
    std::erase(writable_, &claim);
  };
  // A file of its own: the claim's one belongs to the writer that has it in use.
  std::unique_ptr<storage::WritableFile> file;
  try {
    file = files_.open_append(claim.path(), storage::FileSystem::Create::keep);
  } catch (...) {
    still_dirty(false);
    throw;
  }
  try {
    file->sync();
  } catch (...) {
    still_dirty(true);
    throw;
  }
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
