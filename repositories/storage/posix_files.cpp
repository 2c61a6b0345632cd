#include "repositories/storage/posix_files.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "repositories/storage/error.h"

namespace weir::storage::posix {
namespace {

constexpr std::size_t kCopyPieceBytes = 256 * 1024;

std::uint64_t size_of(const Descriptor& descriptor, const Path& path) {
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) throw IoError("fstat", path, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

class PosixReadableFile : public ReadableFile {
 public:
  explicit PosixReadableFile(const Path& path)
      : path_(path), descriptor_(open_descriptor(path, O_RDONLY)) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = uninterrupted([&] {
        return ::pread(descriptor_.get(), out.data() + done, out.size() - done,
                       static_cast<off_t>(offset + done));
      });
      if (got < 0) throw IoError("read", path_, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  std::uint64_t size() const override { return size_of(descriptor_, path_); }
  int descriptor() const override { return descriptor_.get(); }

 private:
  Path path_;
  Descriptor descriptor_;
};

// Writes by position, not with O_APPEND: what a failed append left behind is overwritten by the
// next one, and copy_file_range refuses a target opened with O_APPEND.
class PosixWritableFile : public WritableFile {
 public:
  PosixWritableFile(const Path& path, int flags)
      : path_(path),
        descriptor_(open_descriptor(path, O_WRONLY | O_CREAT | flags)),
        size_(size_of(descriptor_, path)) {}

  void append(Bytes data) override {
    refuse_after_failed_sync("append");
    write_at(size_, data);
    size_ += data.size();
  }

  void append_from(const ReadableFile& source, std::uint64_t offset,
                   std::uint64_t length) override {
    refuse_after_failed_sync("append");
    std::uint64_t done = 0;
    if (source.descriptor() >= 0) done = kernel_copy(source.descriptor(), offset, length);
    if (done < length) buffered_copy(source, offset + done, size_ + done, length - done);
    size_ += length;
  }

  void sync() override {
    refuse_after_failed_sync("sync");
    if (uninterrupted([&] { return ::fdatasync(descriptor_.get()); }) == 0) return;
    sync_error_ = errno;
    throw IoError("sync", path_, sync_error_);
  }

  void truncate(std::uint64_t size) override {
    const auto call = [&] { return ::ftruncate(descriptor_.get(), static_cast<off_t>(size)); };
    if (uninterrupted(call) != 0) throw IoError("truncate", path_, errno);
    size_ = size;
  }

  std::uint64_t size() const override { return size_; }
  int descriptor() const override { return descriptor_.get(); }

 private:
  void refuse_after_failed_sync(const char* operation) const {
    if (sync_error_ != 0) {
      throw IoError(std::string(operation) + " after a failed sync of", path_, sync_error_);
    }
  }

  void write_at(std::uint64_t offset, Bytes data) {
    while (!data.empty()) {
      const ssize_t put = uninterrupted([&] {
        return ::pwrite(descriptor_.get(), data.data(), data.size(), static_cast<off_t>(offset));
      });
      if (put <= 0) throw IoError("append", path_, put < 0 ? errno : EIO);
      data = data.subspan(static_cast<std::size_t>(put));
      offset += static_cast<std::uint64_t>(put);
    }
  }

  // Returns how many bytes the kernel copied; fewer than asked where it cannot (other file
  // system, special file), which the caller then copies itself.
  std::uint64_t kernel_copy(int source, std::uint64_t offset, std::uint64_t length) {
    auto from = static_cast<off_t>(offset);
    auto to = static_cast<off_t>(size_);
    std::uint64_t done = 0;
    while (done < length) {
      const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(length - done, 1 << 30));
      const ssize_t put = uninterrupted(
          [&] { return ::copy_file_range(source, &from, descriptor_.get(), &to, piece, 0); });
      if (put == 0) break;
      if (put < 0) {
        if (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) break;
        throw IoError("append", path_, errno);
      }
      done += static_cast<std::uint64_t>(put);
    }
    return done;
  }

  void buffered_copy(const ReadableFile& source, std::uint64_t offset, std::uint64_t to,
                     std::uint64_t length) {
    std::vector<std::byte> buffer(std::min<std::uint64_t>(length, kCopyPieceBytes));
    while (length > 0) {
      const auto piece = std::span(buffer).first(std::min<std::uint64_t>(length, buffer.size()));
      const std::size_t got = source.read_at(offset, piece);
      if (got == 0) throw IoError("append from a source that ends early to", path_, ENODATA);
      write_at(to, piece.first(got));
      offset += got;
      to += got;
      length -= got;
    }
  }

  Path path_;
  Descriptor descriptor_;
  std::uint64_t size_;
  int sync_error_ = 0;
};

class PosixFileLock : public FileLock {
 public:
  explicit PosixFileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {
    const std::string holder = std::to_string(::getpid()) + "\n";
    const bool written = ::ftruncate(descriptor_.get(), 0) == 0 &&
                         ::pwrite(descriptor_.get(), holder.data(), holder.size(), 0) ==
                             static_cast<ssize_t>(holder.size());
    // On a full disk the lock holds all the same; only the holder's name is missing.
    static_cast<void>(written);
  }

 private:
  Descriptor descriptor_;
};

std::optional<int> holder_of(const Descriptor& descriptor) {
  char text[16];
  const ssize_t got = ::pread(descriptor.get(), text, sizeof text, 0);
  int process = 0;
  if (got <= 0 || std::from_chars(text, text + got, process).ec != std::errc()) {
    return std::nullopt;
  }
  return process;
}

// False where somebody removed the file between our opening and locking it: the lock would then
// be on a file that nobody else can find.
bool still_at(const Path& path, const Descriptor& descriptor) {
  struct stat by_name {};
  struct stat by_descriptor {};
  return ::stat(path.c_str(), &by_name) == 0 && ::fstat(descriptor.get(), &by_descriptor) == 0 &&
         by_name.st_ino == by_descriptor.st_ino && by_name.st_dev == by_descriptor.st_dev;
}

}  // namespace

Descriptor open_descriptor(const Path& path, int flags) {
  const int number = uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
  if (number < 0) throw IoError("open", path, errno);
  return Descriptor(number);
}

std::unique_ptr<ReadableFile> readable_file(const Path& path) {
  return std::make_unique<PosixReadableFile>(path);
}

std::unique_ptr<WritableFile> writable_file(const Path& path, FileSystem::Create create) {
  int flags = 0;
  if (create == FileSystem::Create::must_not_exist) flags = O_EXCL;
  if (create == FileSystem::Create::truncate) flags = O_TRUNC;
  return std::make_unique<PosixWritableFile>(path, flags);
}

std::unique_ptr<FileLock> file_lock(const Path& path) {
  for (;;) {
    Descriptor descriptor = open_descriptor(path, O_RDWR | O_CREAT);
    const auto call = [&] { return ::flock(descriptor.get(), LOCK_EX | LOCK_NB); };
    if (uninterrupted(call) != 0) {
      if (errno != EWOULDBLOCK) throw IoError("lock", path, errno);
      const auto holder = holder_of(descriptor);
      throw RefusedError(path.string() + " is in use by " +
                         (holder ? "process " + std::to_string(*holder) : "another process"));
    }
    if (still_at(path, descriptor)) return std::make_unique<PosixFileLock>(std::move(descriptor));
  }
}

}  // namespace weir::storage::posix
