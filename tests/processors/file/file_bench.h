#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {

// A fresh folder for one test.
class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string name = testing::TempDir() + "weir-file-XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~FileTest() override { std::filesystem::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).native(); }
  void write(const std::string& name, const std::string& content,
             std::int64_t modified_s = 1'700'000'000) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << content;
    const struct timespec times[2] = {{modified_s, 0}, {modified_s, 0}};
    utimensat(AT_FDCWD, path(name).c_str(), times, 0);
  }
  std::string read(const std::string& name) const {
    std::ifstream in(root_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(root_ / name));
  }
  std::size_t count_files(const std::string& name = ".") const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_ / name)) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }

  std::filesystem::path root_;
};

}  // namespace weir::processors
