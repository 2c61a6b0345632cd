#include "processors/text/watched_file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "repositories/storage/error.h"

namespace weir::processors {

bool WatchedFile::is_due(std::int64_t now_ms) {
  const bool is_early = was_asked_ && std::chrono::milliseconds(now_ms - asked_ms_) < interval_;
  if (is_early && was_read_) return false;
  was_asked_ = true;
  asked_ms_ = now_ms;
  std::error_code error;
  seen_ = std::filesystem::last_write_time(path_, error);
  if (error) throw storage::IoError("read", path_, error.value());
  return !was_read_ || seen_ != read_;
}

std::string WatchedFile::read() {
  std::ifstream file(path_, std::ios::binary);
  if (!file || std::filesystem::is_directory(path_)) {
    throw storage::IoError("open", path_, file ? EISDIR : errno);
  }
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) throw storage::IoError("read", path_, EIO);
  read_ = seen_;
  was_read_ = true;
  return bytes;
}

}  // namespace weir::processors
