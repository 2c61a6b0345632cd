#include "engine/runtime/flow_copy.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace weir::runtime {

namespace {

// 20261130T120501.250Z: sorts by time.
std::string stamp(std::int64_t time_ms) {
  const std::time_t seconds = time_ms / 1000;
  return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z", fmt::gmtime(seconds), time_ms % 1000);
}

}  // namespace

FlowCopy::FlowCopy(storage::FileSystem& files, Clock& clock, storage::Path file,
                   storage::Path archive_directory)
    : files_(files),
      clock_(clock),
      file_(std::move(file)),
      archive_directory_(std::move(archive_directory)) {}

void FlowCopy::archive(std::string_view former) {
  files_.create_directories(archive_directory_);
  const std::string suffix = "_" + file_.filename().string();
  std::int64_t time_ms = clock_.now_ms();
  while (files_.status(archive_directory_ / (stamp(time_ms) + suffix))) ++time_ms;
  files_.replace_small(archive_directory_ / (stamp(time_ms) + suffix), former);
  std::vector<std::string> names;
  for (const storage::DirectoryEntry& entry : files_.list(archive_directory_)) {
    if (entry.name.ends_with(suffix)) names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  for (std::size_t i = 0; i + kept < names.size(); ++i) {
    files_.remove(archive_directory_ / names[i]);
  }
}

void FlowCopy::save(std::string_view text) {
  if (file_.has_parent_path()) files_.create_directories(file_.parent_path());
  const auto former = files_.read_small(file_);
  if (former == text) return;
  if (former && !archive_directory_.empty()) archive(*former);
  files_.replace_small(file_, text);
}

}  // namespace weir::runtime
