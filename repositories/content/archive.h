#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "repositories/content/file_claim.h"

namespace weir::content {

// Knows the oldest archived files and removes them by age and by how full the disk is. Memory is
// bounded: of millions of files only the oldest are remembered; when those are gone, the folders
// are looked through again. Thread safe.
class Archive {
 public:
  struct Limits {
    std::int64_t max_age_ms = 0;
    double max_usage = 1;
    std::size_t remembered_files = 32768;  // a container
  };
  // Removes one file unless something reads or refers to it; false where it was left.
  using Remove = std::function<bool(Container&, std::uint32_t section, std::uint64_t identifier)>;

  Archive(storage::FileSystem& files, std::vector<std::unique_ptr<Container>>& containers,
          Limits limits, Remove remove);

  void added(Container& container, std::uint32_t section, std::uint64_t identifier,
             std::uint64_t bytes);

  // Looks through all archive folders; takes as long as it takes. Ends early once `stop` is set.
  void scan(const std::atomic<bool>& stop);
  // Whether `expire` may miss old files because the last scan is used up.
  bool scan_needed() const;

  // Called at checkpoints.
  void expire(std::int64_t now_ms);

 private:
  struct Entry {
    std::uint32_t section = 0;
    std::uint64_t bytes = 0;
  };
  struct Known {
    std::map<std::uint64_t, Entry> oldest;  // by identifier, that is by age
    std::uint64_t bound = 0;                // every archived file below it is in `oldest`
  };

  void remember(Known& known, std::uint64_t identifier, Entry entry);
  void scan_container(Container& container, const std::atomic<bool>& stop);
  // Removes up to `count` of the files that `old_enough` accepts, oldest first.
  std::size_t remove_oldest(Container& container, std::size_t count,
                            const std::function<bool(std::uint64_t)>& old_enough);
  bool too_full(const Container& container) const;

  storage::FileSystem& files_;
  std::vector<std::unique_ptr<Container>>& containers_;
  const Limits limits_;
  const Remove remove_;

  mutable std::mutex mutex_;
  std::map<const Container*, Known> known_;
  bool scanning_ = false;
  bool counted_ = false;  // the first scan has summed up the archived bytes
};

}  // namespace weir::content
