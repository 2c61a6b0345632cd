#include "processors/file/directory_walk.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <vector>

namespace weir::processors {
namespace {

using FolderId = std::pair<std::uint64_t, std::uint64_t>;

class Walker {
 public:
  Walker(const DirectoryWalk& walk, const std::filesystem::path& root) : walk_(walk), root_(root) {}

  bool run() {
    pending_.push_back("");
    bool is_root = true;
    while (!pending_.empty() && !ended_) {
      const std::string folder = std::move(pending_.back());
      pending_.pop_back();
      const bool read = visit_folder(folder);
      if (is_root && !read) return false;
      is_root = false;
    }
    return true;
  }

 private:
  bool visit_folder(const std::string& folder) {
    const std::filesystem::path path = folder.empty() ? root_ : root_ / folder;
    int error = 0;
    const auto facts = file_facts(path, &error);
    if (!facts || !facts->is_directory) return tell(path, facts ? ENOTDIR : error);
    if (!visited_.insert({facts->device, facts->inode}).second) return true;
    DIR* directory = opendir(path.c_str());
    if (!directory) return tell(path, errno);
    std::vector<std::pair<std::string, unsigned char>> names;
    while (const dirent* entry = readdir(directory)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name, entry->d_type);
    }
    closedir(directory);
    std::ranges::sort(names);
    for (const auto& [name, type] : names) {
      if (ended_) break;
      visit_entry(folder, path, name, type);
    }
    return true;
  }

  void visit_entry(const std::string& folder, const std::filesystem::path& path,
                   const std::string& name, unsigned char type) {
    const std::string below = folder.empty() ? name : folder + "/" + name;
    if (type == DT_DIR) {
      if (walk_.recurse) pending_.push_back(below);
      return;
    }
    const bool may_be_folder = type == DT_LNK || type == DT_UNKNOWN;
    const bool takes = walk_.takes_name(folder, name);
    if (!takes && !(may_be_folder && walk_.recurse)) return;
    int error = 0;
    const auto facts = file_facts(path / name, &error);
    if (!facts) {
      // A link without target is as good as no file.
      if (type != DT_LNK) tell(path / name, error);
      return;
    }
    if (facts->is_directory) {
      if (walk_.recurse) pending_.push_back(below);
    } else if (facts->is_regular && takes) {
      ended_ = !walk_.visit({folder, name, *facts});
    }
  }

  bool tell(const std::filesystem::path& path, int error) {
    if (error != ENOENT || path == root_) walk_.problem(path, error);
    return false;
  }

  const DirectoryWalk& walk_;
  const std::filesystem::path& root_;
  std::vector<std::string> pending_;
  std::set<FolderId> visited_;
  bool ended_ = false;
};

}  // namespace

bool DirectoryWalk::run(const std::filesystem::path& root) const {
  return Walker(*this, root).run();
}

std::string path_attribute(const std::string& folder, std::string_view of_root) {
  return folder.empty() ? std::string(of_root) : folder + "/";
}

std::string absolute_path_attribute(const std::filesystem::path& root, const std::string& folder) {
  std::string path = std::filesystem::absolute(root).native();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path != "/") path += "/";
  return folder.empty() ? path : path + folder + "/";
}

}  // namespace weir::processors
