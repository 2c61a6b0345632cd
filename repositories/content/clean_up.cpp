// What checkpoints do: the part of FileSystemContentRepository that takes files away.

#include <fmt/format.h>

#include <cerrno>

#include "repositories/content/file_system_content_repository.h"

namespace weir::content {
namespace {

// Smaller files are not worth the FlowFile repository's collecting of ranges.
constexpr std::uint64_t kSparseFileBytes = 1u << 20;
// A hole costs the file system an extent of its own: only gaps that give back much more.
constexpr std::uint64_t kSmallestGapBytes = 64u << 10;
constexpr std::uint64_t kBlockBytes = 4096;
// A file is looked at again once an eighth of its handles is gone: each look costs a pass over
// all its FlowFiles, so their sum stays linear in the number of FlowFiles.
constexpr std::uint32_t kVisitDivisor = 8;
// So many files are removed between two looks at the claims.
constexpr std::size_t kDisposeStep = 64;

std::uint64_t end_of(std::uint64_t offset, std::uint64_t length) {
  return length > UINT64_MAX - offset ? UINT64_MAX : offset + length;
}

}  // namespace

void FileSystemContentRepository::unreferenced(ResourceClaim& claim) noexcept {
  auto& file_claim = static_cast<FileClaim&>(claim);
  file_claim.remembered = false;
  list_zero(file_claim);
}

void FileSystemContentRepository::list_zero(FileClaim& claim) {
  if (!std::exchange(claim.zero_listed, true)) zero_.push_back(&claim);
}

void FileSystemContentRepository::list_large(FileClaim& claim) {
  if (claim.size_bytes < kSparseFileBytes || std::exchange(claim.large_listed, true)) return;
  large_.push_back(&claim);
}

void FileSystemContentRepository::begin_checkpoint() {
  const std::lock_guard one_at_a_time(checkpoint_mutex_);
  move_identifier_mark_if_near();
  choose_removable();
  choose_sparse();
}

void FileSystemContentRepository::move_identifier_mark_if_near() {
  const std::lock_guard lock(claims_mutex_);
  constexpr std::int64_t kNearMs = 30'000;
  if (identifiers_.last_ms() + kNearMs < identifier_mark_ms_) return;
  try {
    move_identifier_mark(identifiers_.last_ms() + 2 * kNearMs);
  } catch (const storage::IoError& error) {
    if (!error.disk_full()) throw;  // full: `acquire` tries again when it must
  }
}

void FileSystemContentRepository::choose_removable() {
  std::vector<std::unique_ptr<storage::WritableFile>> closed_outside_the_lock;
  const std::lock_guard lock(claims_mutex_);
  // Of a checkpoint that began and did not finish.
  for (FileClaim* claim : std::exchange(remembered_, {})) {
    if (std::exchange(claim->remembered, false)) list_zero(*claim);
  }
  bool pool_changed = false;
  for (FileClaim* claim : std::exchange(zero_, {})) {
    claim->zero_listed = false;
    if (claim->handles() > 0) continue;
    if (claim->open_writers > 0) {
      list_zero(*claim);
      continue;
    }
    // No writer may take it up again: a FlowFile made and dropped before `finish_checkpoint`
    // could come back by the loss of power.
    claim->closed = true;
    pool_changed = true;
    if (claim->file) closed_outside_the_lock.push_back(std::move(claim->file));
    claim->remembered = true;
    remembered_.push_back(claim);
  }
  if (pool_changed) std::erase_if(writable_, [](const FileClaim* claim) { return claim->closed; });
}

void FileSystemContentRepository::choose_sparse() {
  const auto released_outside_the_lock = std::exchange(sparse_, {});
  if (!holes_supported_) return;
  const std::lock_guard lock(claims_mutex_);
  for (FileClaim* claim : large_) {
    const std::uint32_t handles = claim->handles();
    const std::uint32_t visited = claim->handles_at_visit;
    if (handles == 0 || claim->open_writers > 0 || claim->never_sparse) continue;
    if (claim->identifier < keep_before_) continue;
    if (visited > 0 && handles > visited - std::max(1u, visited / kVisitDivisor)) continue;
    sparse_.emplace_back(claim, handles);
  }
}

std::vector<ResourceClaimPtr> FileSystemContentRepository::sparse_candidates() {
  const std::lock_guard one_at_a_time(checkpoint_mutex_);
  std::vector<ResourceClaimPtr> candidates;
  for (const auto& [claim, handles] : sparse_) candidates.push_back(claim);
  return candidates;
}

void FileSystemContentRepository::finish_checkpoint(const LiveRanges& live) {
  const std::lock_guard one_at_a_time(checkpoint_mutex_);
  punch_dead_ranges(live);
  remove_remembered();
  if (!config_.archive_enabled) return;
  archive_.expire(now_ms_());
  if (archive_.scan_needed()) start_scan(false);
}

void FileSystemContentRepository::remove_remembered() {
  for (;;) {
    const std::vector<FileClaim*> doomed = next_doomed();
    if (doomed.empty()) return;
    std::size_t disposed = 0;
    const auto forget = [&] {
      const std::lock_guard lock(claims_mutex_);
      const auto is_doomed = [](const FileClaim* claim) { return claim->doomed; };
      for (std::size_t i = disposed; i < doomed.size(); ++i) {
        doomed[i]->doomed = false;
        list_zero(*doomed[i]);
      }
      std::erase_if(dirty_, is_doomed);
      std::erase_if(large_, is_doomed);
      for (std::size_t i = 0; i < disposed; ++i) table_.erase(*doomed[i]);
      disposed_.notify_all();
    };
    try {
      for (FileClaim* claim : doomed) {
        dispose_of(*claim);
        ++disposed;
      }
    } catch (...) {
      forget();
      throw;
    }
    forget();
  }
}

std::vector<FileClaim*> FileSystemContentRepository::next_doomed() {
  std::vector<FileClaim*> doomed;
  const std::lock_guard lock(claims_mutex_);
  while (!remembered_.empty() && doomed.size() < kDisposeStep) {
    FileClaim& claim = *remembered_.back();
    remembered_.pop_back();
    // Somebody had a handle since: when it is given back, the claim is listed anew.
    if (!std::exchange(claim.remembered, false) || claim.handles() > 0) continue;
    if (claim.syncing) {
      list_zero(claim);
      continue;
    }
    claim.doomed = true;
    doomed.push_back(&claim);
  }
  return doomed;
}

void FileSystemContentRepository::dispose_of(FileClaim& claim) {
  if (!claim.place || !claim.has_file || claim.identifier < keep_before_) return;
  try {
    archive_or_remove(*claim.place, claim.section, claim.identifier);
  } catch (const storage::IoError& error) {
    // It stays where it is, and the next start takes it away.
    reporter_.report({claim.path(), 0, claim.size_bytes,
                      fmt::format("a content file that nobody needs stays: {}", error.what())});
  }
}

bool FileSystemContentRepository::archive_or_remove(Container& container, std::uint32_t section,
                                                    std::uint64_t identifier) {
  const storage::Path path = live_path(container.directory, section, identifier);
  try {
    if (!config_.archive_enabled) {
      files_.remove(path);
      open_files_.forget(container, section, identifier);
      return true;
    }
    if (!container.archive_exists[section]) {
      files_.create_directories(archive_directory(container.directory, section));
      container.archive_exists[section] = true;
    }
    const auto status = files_.status(path);
    if (!status) return false;
    files_.rename(path, archive_path(container.directory, section, identifier));
    archive_.added(container, section, identifier, status->size_bytes);
    return true;
  } catch (const storage::IoError& error) {
    if (error.error_number() == ENOENT) return false;
    throw;
  }
}

bool FileSystemContentRepository::remove_archived(Container& container, std::uint32_t section,
                                                  std::uint64_t identifier) {
  // Under the lock, so that no `resolve` (a replay) comes between the look and the removal.
  const std::lock_guard lock(claims_mutex_);
  if (table_.find(&container, container.name, section, identifier)) return false;
  try {
    files_.remove(archive_path(container.directory, section, identifier));
  } catch (const storage::IoError& error) {
    if (error.error_number() != ENOENT) {
      reporter_.report({error.path(), 0, 0, error.what()});
      return false;
    }
  }
  open_files_.forget(container, section, identifier);
  return true;
}

void FileSystemContentRepository::punch_dead_ranges(const LiveRanges& live) {
  const auto chosen = std::exchange(sparse_, {});
  for (const auto& [claim, handles] : chosen) {
    const auto ranges = live.find(claim.get());
    if (ranges == live.end() || ranges->second.empty()) continue;
    auto& file_claim = static_cast<FileClaim&>(*claim);
    {
      const std::lock_guard lock(claims_mutex_);
      if (file_claim.never_sparse || file_claim.syncing) continue;
      file_claim.handles_at_visit = handles;
    }
    punch(file_claim, ranges->second);
  }
}

void FileSystemContentRepository::punch(FileClaim& claim,
                                        std::vector<std::pair<std::uint64_t, std::uint64_t>> live) {
  const std::lock_guard lock(punch_mutex_);
  if (claim.readers > 0) {
    const std::lock_guard claims_lock(claims_mutex_);
    claim.handles_at_visit = 0;  // next time
    return;
  }
  std::ranges::sort(live);
  live.emplace_back(claim.size_bytes, 0);
  std::uint64_t gap_begin = 0;
  try {
    for (const auto& [offset, length] : live) {
      const std::uint64_t to = offset / kBlockBytes * kBlockBytes;
      if (gap_begin >= to) {
        gap_begin = std::max(gap_begin, end_of(offset, length));
        continue;
      }
      const std::uint64_t from = (gap_begin + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
      if (to > from && to - from >= kSmallestGapBytes) {
        holes_supported_ = files_.punch_hole(claim.path(), from, to - from);
        if (!holes_supported_) return;
      }
      gap_begin = std::max(gap_begin, end_of(offset, length));
    }
  } catch (const storage::IoError& error) {
    reporter_.report({claim.path(), 0, claim.size_bytes,
                      fmt::format("dead space in it is not given back: {}", error.what())});
  }
}

bool FileSystemContentRepository::given_back(const Container& container,
                                             const ClaimLocation& location) {
  const std::lock_guard lock(punch_mutex_);
  for (const bool archived : {false, true}) {
    const auto path = archived
                          ? archive_path(container.directory, location.section, location.identifier)
                          : live_path(container.directory, location.section, location.identifier);
    try {
      return files_.has_hole(path, location.offset, location.length);
    } catch (const storage::IoError& error) {
      if (error.error_number() != ENOENT) throw;
    }
  }
  return true;
}

}  // namespace weir::content
