#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace weir::processors {

// A file that is read again when it changed, asked for at most once an interval. Not thread safe.
class WatchedFile {
 public:
  WatchedFile(std::filesystem::path path, std::chrono::nanoseconds interval)
      : path_(std::move(path)), interval_(interval) {}

  const std::filesystem::path& path() const { return path_; }
  // Whether the file should be read now. Throws IoError where it cannot be asked for.
  bool is_due(std::int64_t now_ms);
  // Reads it whole. Throws IoError; then it stays due.
  std::string read();

 private:
  std::filesystem::path path_;
  std::chrono::nanoseconds interval_;
  bool was_asked_ = false;
  bool was_read_ = false;
  std::int64_t asked_ms_ = 0;
  std::filesystem::file_time_type seen_ = {};
  std::filesystem::file_time_type read_ = {};
};

}  // namespace weir::processors
