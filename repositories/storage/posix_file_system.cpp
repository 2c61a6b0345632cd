#include <dirent.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "repositories/storage/error.h"
#include "repositories/storage/posix_files.h"

namespace weir::storage {
namespace {

using posix::Descriptor;
using posix::open_descriptor;
using posix::uninterrupted;

FileStatus::Type type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileStatus::Type::regular;
  if (S_ISDIR(mode)) return FileStatus::Type::directory;
  if (S_ISLNK(mode)) return FileStatus::Type::symlink;
  return FileStatus::Type::other;
}

// The type of a listed name. Some file systems do not tell it in the listing itself.
FileStatus::Type type_of(DIR* directory, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return type_of(DTTOIF(entry.d_type));
  struct stat status {};
  if (::fstatat(::dirfd(directory), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return FileStatus::Type::other;
  }
  return type_of(status.st_mode);
}

bool folder_exists(const Path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

Path parent_of(const Path& path) {
  return path.has_parent_path() ? path.parent_path() : Path(".");
}

class PosixFileSystem : public FileSystem {
 public:
  std::unique_ptr<ReadableFile> open_read(const Path& path) override {
    return posix::readable_file(path);
  }

  std::unique_ptr<WritableFile> open_append(const Path& path, Create create) override {
    return posix::writable_file(path, create);
  }

  std::optional<FileStatus> status(const Path& path) override {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
      throw IoError("stat", path, errno);
    }
    constexpr std::uint64_t kStatBlockBytes = 512;
    return FileStatus{
        .type = type_of(found.st_mode),
        .size_bytes = static_cast<std::uint64_t>(found.st_size),
        .allocated_bytes = static_cast<std::uint64_t>(found.st_blocks) * kStatBlockBytes,
        .modified_ns = found.st_mtim.tv_sec * std::int64_t{1'000'000'000} + found.st_mtim.tv_nsec};
  }

  std::vector<DirectoryEntry> list(const Path& directory) override {
    const std::unique_ptr<DIR, int (*)(DIR*)> handle(::opendir(directory.c_str()), ::closedir);
    if (!handle) throw IoError("list", directory, errno);
    std::vector<DirectoryEntry> entries;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(handle.get());
      if (entry == nullptr) break;
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
      entries.push_back({entry->d_name, type_of(handle.get(), *entry)});
    }
    if (errno != 0) throw IoError("list", directory, errno);
    std::ranges::sort(entries, {}, &DirectoryEntry::name);
    return entries;
  }

  void create_directories(const Path& path) override {
    if (folder_exists(path)) return;
    Path so_far;
    for (const Path& component : path) {
      if (component.empty()) continue;
      so_far /= component;
      if (folder_exists(so_far)) continue;
      if (::mkdir(so_far.c_str(), 0777) == 0) {
        sync_directory(parent_of(so_far));
      } else if (const int error_number = errno; !folder_exists(so_far)) {
        throw IoError("create folder", so_far, error_number);
      }
    }
  }

  void rename(const Path& from, const Path& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) throw IoError("rename", from, errno);
  }

  void remove(const Path& path) override {
    if (std::remove(path.c_str()) != 0) throw IoError("remove", path, errno);
  }

  void sync_directory(const Path& directory) override {
    // The folder above a relative path of one part has no name.
    const Path named = directory.empty() ? Path(".") : directory;
    const Descriptor descriptor = open_descriptor(named, O_RDONLY | O_DIRECTORY);
    if (uninterrupted([&] { return ::fsync(descriptor.get()); }) != 0) {
      throw IoError("sync folder", directory, errno);
    }
  }

  bool punch_hole(const Path& path, std::uint64_t offset, std::uint64_t length) override {
    const Descriptor descriptor = open_descriptor(path, O_WRONLY);
    if (length == 0) return true;
    const int result = uninterrupted([&] {
      return ::fallocate(descriptor.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                         static_cast<off_t>(offset), static_cast<off_t>(length));
    });
    if (result == 0) return true;
    if (errno == EOPNOTSUPP || errno == ENOSYS) return false;
    throw IoError("punch a hole into", path, errno);
  }

  bool has_hole(const Path& path, std::uint64_t offset, std::uint64_t length) override {
    const Descriptor descriptor = open_descriptor(path, O_RDONLY);
    if (length == 0) return false;
    struct stat found {};
    if (::fstat(descriptor.get(), &found) != 0) throw IoError("stat", path, errno);
    const off_t hole = ::lseek(descriptor.get(), static_cast<off_t>(offset), SEEK_HOLE);
    if (hole < 0) {
      if (errno == ENXIO) return false;  // the range starts behind the end of the file
      throw IoError("look for holes in", path, errno);
    }
    // Every file has a hole of the kernel's invention at its end.
    return hole < found.st_size && static_cast<std::uint64_t>(hole) - offset < length;
  }

  Space space(const Path& directory) override {
    struct statvfs found {};
    if (uninterrupted([&] { return ::statvfs(directory.c_str(), &found); }) != 0) {
      throw IoError("ask for the space of", directory, errno);
    }
    return {.capacity_bytes = std::uint64_t{found.f_blocks} * found.f_frsize,
            .available_bytes = std::uint64_t{found.f_bavail} * found.f_frsize};
  }

  std::unique_ptr<FileLock> lock(const Path& path) override { return posix::file_lock(path); }

  std::string boot_id() override {
    const auto file = open_read("/proc/sys/kernel/random/boot_id");
    std::string id(64, '\0');
    id.resize(file->read_at(0, std::as_writable_bytes(std::span(id))));
    while (!id.empty() && id.back() == '\n') id.pop_back();
    return id;
  }
};

}  // namespace

FileSystem& real_file_system() {
  static PosixFileSystem files;
  return files;
}

}  // namespace weir::storage
