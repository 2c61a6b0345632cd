#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "processors/file/file_attributes.h"

namespace weir::processors {

struct WalkedFile {
  std::string folder;  // below the root, without a slash at its end; "" is the root itself
  std::string name;    // bytes as the kernel gives them
  FileFacts facts;
};

// Visits the regular files below `root`, symlinks followed, each folder once whatever leads to it.
struct DirectoryWalk {
  bool recurse = true;
  // Asked before a file is looked at.
  std::function<bool(const std::string& folder, const std::string& name)> takes_name;
  // False ends the walk.
  std::function<bool(WalkedFile&&)> visit;
  // A folder or file that cannot be looked at; it is skipped. Vanished ones are not told.
  std::function<void(const std::filesystem::path& path, int error_number)> problem;

  // False: the root itself cannot be read (told to `problem`).
  bool run(const std::filesystem::path& root) const;
};

// "./" for the root in ListFile, "/" in GetFile; "sub/deep/" below it.
std::string path_attribute(const std::string& folder, std::string_view of_root);
// The folder with a slash at its end.
std::string absolute_path_attribute(const std::filesystem::path& root, const std::string& folder);

}  // namespace weir::processors
