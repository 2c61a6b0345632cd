#include "repositories/content/open_files.h"

#include <cerrno>

#include "repositories/content/layout.h"
#include "repositories/storage/error.h"

namespace weir::content {

bool OpenFile::reaches(std::uint64_t end) {
  if (end <= known_size_bytes.load(std::memory_order_relaxed)) return true;
  const std::uint64_t size = file->size();
  known_size_bytes.store(size, std::memory_order_relaxed);
  return end <= size;
}

std::shared_ptr<OpenFile> OpenFiles::get(const Container& container, std::uint32_t section,
                                         std::uint64_t identifier,
                                         const std::function<std::shared_ptr<OpenFile>()>& open) {
  const Key key{&container, section, identifier};
  std::uint64_t forgets_before = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = found_.find(key); found != found_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second);
      return found->second->second;
    }
    forgets_before = forgets_;
  }
  auto opened = open();
  if (!opened) return nullptr;
  const std::lock_guard lock(mutex_);
  // Somebody may have removed the file since it was opened: then nobody else may find it here.
  if (forgets_ != forgets_before || found_.contains(key)) return opened;
  recent_.emplace_front(key, opened);
  found_.emplace(key, recent_.begin());
  if (recent_.size() > capacity_) {
    found_.erase(recent_.back().first);
    recent_.pop_back();
  }
  return opened;
}

void OpenFiles::forget(const Container& container, std::uint32_t section,
                       std::uint64_t identifier) {
  std::shared_ptr<OpenFile> closed_outside_the_lock;
  const std::lock_guard lock(mutex_);
  ++forgets_;
  const auto found = found_.find({&container, section, identifier});
  if (found == found_.end()) return;
  closed_outside_the_lock = std::move(found->second->second);
  recent_.erase(found->second);
  found_.erase(found);
}

std::shared_ptr<OpenFile> open_content_file(storage::FileSystem& files,
                                            const storage::Path& container, std::uint32_t section,
                                            std::uint64_t identifier) {
  // In this order: a file moves into the archive, never out of it.
  for (const bool archived : {false, true}) {
    try {
      auto opened = std::make_shared<OpenFile>();
      opened->file = files.open_read(archived ? archive_path(container, section, identifier)
                                              : live_path(container, section, identifier));
      opened->archived = archived;
      return opened;
    } catch (const storage::IoError& error) {
      if (error.error_number() != ENOENT && error.error_number() != ENOTDIR) throw;
    }
  }
  return nullptr;
}

}  // namespace weir::content
