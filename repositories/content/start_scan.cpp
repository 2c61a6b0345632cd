// The look through all folders after a recovery: the part of FileSystemContentRepository that
// runs on a thread of its own.

#include <fmt/format.h>

#include "repositories/content/file_system_content_repository.h"

namespace weir::content {

void FileSystemContentRepository::recovered(bool unreadable_records) {
  {
    const std::lock_guard lock(claims_mutex_);
    recovering_ = false;
    if (unreadable_records) keep_before_ = first_identifier_;
  }
  if (unreadable_records) {
    reporter_.report({containers_.front()->directory, 0, 0,
                      "no content written before this start is removed in this run, since a "
                      "record that could not be read may refer to it"});
  }
  start_scan(true);
}

void FileSystemContentRepository::start_scan(bool clean_up) {
  std::unique_lock lock(scan_mutex_);
  if (scan_running_) return;
  if (scan_thread_.joinable()) scan_thread_.join();
  scan_running_ = true;
  scan_thread_ = std::thread([this, clean_up] { scan(clean_up); });
}

void FileSystemContentRepository::wait_for_scan() {
  std::unique_lock lock(scan_mutex_);
  scan_done_.wait(lock, [&] { return !scan_running_; });
}

void FileSystemContentRepository::scan(bool clean_up) {
  try {
    for (const auto& container : containers_) {
      for (std::uint32_t section = 0; clean_up && section < kSections && !stop_; ++section) {
        scan_section(*container, section);
      }
    }
    if (config_.archive_enabled) archive_.scan(stop_);
  } catch (const std::exception& error) {
    reporter_.report(
        {containers_.front()->directory, 0, 0,
         fmt::format("the look for unreferenced content ended early: {}", error.what())});
  }
  const std::lock_guard lock(scan_mutex_);
  scan_running_ = false;
  scan_done_.notify_all();
}

void FileSystemContentRepository::scan_section(Container& container, std::uint32_t section) {
  const storage::Path folder = section_path(container.directory, section);
  if (!files_.status(folder)) return;
  for (const auto& entry : files_.list(folder)) {
    if (stop_) return;
    const auto identifier = parse_identifier(entry.name);
    if (!identifier || entry.type != storage::FileStatus::Type::regular) continue;
    if (*identifier < first_identifier_) scan_file(container, section, *identifier);
  }
}

// A file of an earlier run.
void FileSystemContentRepository::scan_file(Container& container, std::uint32_t section,
                                            std::uint64_t identifier) {
  const auto find = [&] { return table_.find(&container, container.name, section, identifier); };
  {
    const std::lock_guard lock(claims_mutex_);
    if (!find()) {
      // Under the lock, so that no `resolve` (a replay) comes between the look and the removal.
      if (identifier >= keep_before_) archive_or_remove(container, section, identifier);
      return;
    }
  }
  const auto status = files_.status(live_path(container.directory, section, identifier));
  const std::lock_guard lock(claims_mutex_);
  FileClaim* claim = find();
  if (!claim || claim->doomed || !status) return;
  claim->size_bytes = status->size_bytes;
  list_large(*claim);
}

}  // namespace weir::content
