#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace weir::processors {

// A small file that a processor reads, each write with a later time than the one before.
class DictionaryFile {
 public:
  explicit DictionaryFile(const std::string& bytes)
      : path_(
            std::filesystem::path(testing::TempDir()) /
            (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".txt")) {
    write(bytes);
  }
  ~DictionaryFile() { remove(); }
  DictionaryFile(const DictionaryFile&) = delete;
  DictionaryFile& operator=(const DictionaryFile&) = delete;

  void write(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    time_ += std::chrono::seconds(10);
    std::filesystem::last_write_time(path_, time_);
  }
  void remove() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
  std::filesystem::file_time_type time_ = std::filesystem::file_time_type::clock::now();
};

}  // namespace weir::processors
