#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "repositories/storage/file_system.h"

namespace weir::storage::posix {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }

 private:
  int number_;
};

// Runs a system call until no signal interrupts it.
template <typename Call>
auto uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

// open(2) with O_CLOEXEC; throws IoError.
Descriptor open_descriptor(const Path& path, int flags);

std::unique_ptr<ReadableFile> readable_file(const Path& path);
std::unique_ptr<WritableFile> writable_file(const Path& path, FileSystem::Create create);

// The lock of `FileSystem::lock`.
std::unique_ptr<FileLock> file_lock(const Path& path);

}  // namespace weir::storage::posix
