#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "repositories/storage/file_system.h"

namespace weir::content {

struct Container;

// An open content file and its size when it was opened. The size only grows.
struct OpenFile {
  std::unique_ptr<storage::ReadableFile> file;
  std::atomic<std::uint64_t> known_size_bytes{0};
  bool archived = false;

  // Whether the file reaches to `end`. Asks the disk only where the known size does not.
  bool reaches(std::uint64_t end);
};

// Keeps the files read last open: many small contents lie in one file. Thread safe.
class OpenFiles {
 public:
  explicit OpenFiles(std::size_t capacity) : capacity_(capacity) {}

  // `open` returns null where there is no such file; that is not remembered.
  std::shared_ptr<OpenFile> get(const Container& container, std::uint32_t section,
                                std::uint64_t identifier,
                                const std::function<std::shared_ptr<OpenFile>()>& open);
  void forget(const Container& container, std::uint32_t section, std::uint64_t identifier);

 private:
  struct Key {
    const Container* container;
    std::uint32_t section;
    std::uint64_t identifier;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.identifier * 0x9E3779B97F4A7C15u) ^
             reinterpret_cast<std::uintptr_t>(key.container) ^ key.section;
    }
  };
  using Recent = std::list<std::pair<Key, std::shared_ptr<OpenFile>>>;

  const std::size_t capacity_;
  std::mutex mutex_;
  Recent recent_;  // newest first
  std::unordered_map<Key, Recent::iterator, Hash> found_;
  std::uint64_t forgets_ = 0;
};

// Opens the live file, or else the archived one; null where both are gone.
std::shared_ptr<OpenFile> open_content_file(storage::FileSystem& files,
                                            const storage::Path& container, std::uint32_t section,
                                            std::uint64_t identifier);

}  // namespace weir::content
