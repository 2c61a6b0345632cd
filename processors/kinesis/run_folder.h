#pragma once

#include <filesystem>

namespace weir::processors::kinesis {

// The folder of one run of a consumer, below the system's folder for temporary files: nobody
// else's user can look into it (mode 0700), and it goes with the object.
//
// What a process that was killed left there is removed when the next folder is made. A folder is
// in use as long as somebody holds the lock of its file `lock`, and locks end with their process.
class RunFolder {
 public:
  // Throws std::system_error where it cannot be made.
  explicit RunFolder(const std::filesystem::path& below);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  bool make();

  const std::filesystem::path below_;
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace weir::processors::kinesis
