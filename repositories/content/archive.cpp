#include "repositories/content/archive.h"

#include <cerrno>
#include <limits>

#include "repositories/content/identifiers.h"
#include "repositories/storage/error.h"

namespace weir::content {
namespace {

// A checkpoint must not take minutes because a million files came of age at once.
constexpr std::size_t kRemovalsACheckpoint = 20000;
// So many are removed before the disk is asked again how full it is.
constexpr std::size_t kRemovalsAStep = 64;

constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Archive::Archive(storage::FileSystem& files, std::vector<std::unique_ptr<Container>>& containers,
                 Limits limits, Remove remove)
    : files_(files), containers_(containers), limits_(limits), remove_(std::move(remove)) {}

void Archive::remember(Known& known, std::uint64_t identifier, Entry entry) {
  if (identifier >= known.bound) return;
  known.oldest.insert_or_assign(identifier, entry);
  if (known.oldest.size() <= limits_.remembered_files) return;
  const auto newest = std::prev(known.oldest.end());
  known.bound = newest->first;
  known.oldest.erase(newest);
}

void Archive::added(Container& container, std::uint32_t section, std::uint64_t identifier,
                    std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  container.archived_bytes += bytes;
  remember(known_[&container], identifier, {section, bytes});
}

void Archive::scan(const std::atomic<bool>& stop) {
  {
    const std::lock_guard lock(mutex_);
    scanning_ = true;
    if (!counted_) {
      for (const auto& container : containers_) container->archived_bytes = 0;
    }
    for (const auto& container : containers_) {
      Known& known = known_[container.get()];
      known.oldest.clear();
      known.bound = kEverything;  // what is archived from now on is remembered as it comes
    }
  }
  for (const auto& container : containers_) {
    scan_container(*container, stop);
  }
  const std::lock_guard lock(mutex_);
  scanning_ = false;
  counted_ = true;
}

void Archive::scan_container(Container& container, const std::atomic<bool>& stop) {
  for (std::uint32_t section = 0; section < kSections && !stop; ++section) {
    const storage::Path folder = archive_directory(container.directory, section);
    if (!files_.status(folder)) continue;
    container.archive_exists[section] = true;
    for (const auto& entry : files_.list(folder)) {
      if (stop) return;
      const auto identifier = parse_identifier(entry.name);
      if (!identifier || entry.type != storage::FileStatus::Type::regular) continue;
      const auto status = files_.status(archive_path(container.directory, section, *identifier));
      if (!status) continue;
      const std::lock_guard lock(mutex_);
      Known& known = known_[&container];
      const bool new_to_us = !known.oldest.contains(*identifier);
      if (!counted_ && new_to_us) container.archived_bytes += status->size_bytes;
      remember(known, *identifier, {section, status->size_bytes});
    }
  }
}

bool Archive::scan_needed() const {
  const std::lock_guard lock(mutex_);
  if (scanning_ || !counted_) return false;  // the first one belongs to the start
  return std::ranges::any_of(known_, [](const auto& item) {
    return item.second.oldest.empty() && item.second.bound != kEverything;
  });
}

void Archive::expire(std::int64_t now_ms) {
  {
    const std::lock_guard lock(mutex_);
    if (scanning_) return;
  }
  const auto too_old = [&](std::uint64_t identifier) {
    return created_ms(identifier) + limits_.max_age_ms <= now_ms;
  };
  const auto any = [](std::uint64_t) { return true; };
  for (const auto& container : containers_) {
    std::size_t removed = remove_oldest(*container, kRemovalsACheckpoint, too_old);
    while (removed < kRemovalsACheckpoint && too_full(*container)) {
      const std::size_t step = remove_oldest(*container, kRemovalsAStep, any);
      if (step == 0) break;
      removed += step;
    }
  }
}

std::size_t Archive::remove_oldest(Container& container, std::size_t count,
                                   const std::function<bool(std::uint64_t)>& old_enough) {
  std::vector<std::pair<std::uint64_t, Entry>> chosen;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [identifier, entry] : known_[&container].oldest) {
      if (chosen.size() == count || !old_enough(identifier)) break;
      chosen.emplace_back(identifier, entry);
    }
  }
  std::size_t removed = 0;
  for (const auto& [identifier, entry] : chosen) {
    if (!remove_(container, entry.section, identifier)) continue;
    const std::lock_guard lock(mutex_);
    known_[&container].oldest.erase(identifier);
    container.archived_bytes -= std::min(entry.bytes, container.archived_bytes.load());
    ++removed;
  }
  return removed;
}

bool Archive::too_full(const Container& container) const {
  const auto space = files_.space(container.directory);
  if (space.capacity_bytes == 0) return false;
  const auto used = static_cast<double>(space.capacity_bytes - space.available_bytes);
  return used > limits_.max_usage * static_cast<double>(space.capacity_bytes);
}

}  // namespace weir::content
