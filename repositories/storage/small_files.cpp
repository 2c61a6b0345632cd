#include <cerrno>

#include "repositories/storage/error.h"
#include "repositories/storage/file_system.h"

namespace weir::storage {

std::optional<std::string> FileSystem::read_small(const Path& path) {
  std::unique_ptr<ReadableFile> file;
  try {
    file = open_read(path);
  } catch (const IoError& error) {
    if (error.error_number() == ENOENT) return std::nullopt;
    throw;
  }
  std::string content(file->size(), '\0');
  content.resize(file->read_at(0, std::as_writable_bytes(std::span(content))));
  return content;
}

void FileSystem::replace_small(const Path& path, std::string_view content) {
  Path temporary = path;
  temporary += ".tmp";
  {
    const auto file = open_append(temporary, Create::truncate);
    file->append(std::as_bytes(std::span(content.data(), content.size())));
    file->sync();
  }
  rename(temporary, path);
  sync_directory(path.has_parent_path() ? path.parent_path() : Path("."));
}

}  // namespace weir::storage
