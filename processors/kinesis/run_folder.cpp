#include "processors/kinesis/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <string>
#include <string_view>
#include <system_error>

namespace weir::processors::kinesis {
namespace {

constexpr std::string_view kPrefix = "weir-kinesis-";
constexpr const char* kLock = "lock";
// A folder without a lock file is one whose owner is about to make it, or died there.
constexpr std::time_t kBeginningSeconds = 60;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

bool is_own_folder(const std::filesystem::path& path, struct stat& found) {
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid();
}

// Nobody but its owner can put anything into such a folder, so its content is to be trusted.
void remove_leftover(const std::filesystem::path& path) {
  struct stat folder = {};
  if (!is_own_folder(path, folder) || (folder.st_mode & (S_IRWXG | S_IRWXO)) != 0) return;
  std::error_code ignored;
  const int lock = ::open((path / kLock).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (lock < 0) {
    if (errno == ENOENT && folder.st_mtime < std::time(nullptr) - kBeginningSeconds) {
      std::filesystem::remove_all(path, ignored);
    }
    return;
  }
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove_all(path, ignored);
  ::close(lock);
}

void remove_leftovers(const std::filesystem::path& below) {
  std::error_code error;
  for (std::filesystem::directory_iterator each(below, error), end; !error && each != end;
       each.increment(error)) {
    if (each->path().filename().string().starts_with(kPrefix)) remove_leftover(each->path());
  }
}

}  // namespace

RunFolder::RunFolder(const std::filesystem::path& below) : below_(below) {
  remove_leftovers(below_);
  while (!make()) {
  }
}

// False where another one's cleaning came between the folder and its lock.
bool RunFolder::make() {
  std::string name = (below_ / fmt::format("{}XXXXXX", kPrefix)).string();
  if (::mkdtemp(name.data()) == nullptr) fail("cannot make a folder below " + below_.string());
  path_ = name;
  const std::string lock_name = (path_ / kLock).string();
  lock_ = ::open(lock_name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock_ < 0 && errno == ENOENT) return false;
  if (lock_ < 0) {
    const int error = errno;
    ::rmdir(name.c_str());
    errno = error;
    fail("cannot make " + lock_name);
  }
  struct stat held = {}, named = {};
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0 && ::fstat(lock_, &held) == 0 &&
      ::lstat(lock_name.c_str(), &named) == 0 && held.st_ino == named.st_ino) {
    return true;
  }
  ::close(lock_);
  return false;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace weir::processors::kinesis
