#pragma once

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "repositories/storage/file_system.h"

namespace weir::storage::test {

// A folder of the real file system that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weir-storage-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const Path& path() const { return path_; }

 private:
  Path path_;
};

inline Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::string read_all(FileSystem& files, const Path& path) {
  return files.read_small(path).value_or("(missing)");
}

// From WEIR_SEED, or a new one; printed, so that a failure can be run again.
inline std::uint64_t seed_of_run() {
  const char* given = std::getenv("WEIR_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "WEIR_SEED=" << seed << '\n';
  return seed;
}

// How often a random test repeats: `least`, times WEIR_LOOPS.
inline std::uint64_t loops(std::uint64_t least) {
  const char* given = std::getenv("WEIR_LOOPS");
  return least * (given ? std::max(1ULL, std::strtoull(given, nullptr, 10)) : 1);
}

}  // namespace weir::storage::test
