#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "repositories/content/file_system_content_repository.h"
#include "repositories/storage/checksum.h"
#include "tools/cmake/standard_test.pch.h"

namespace weir::content {

inline storage::Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline ContentClaim write_content(ContentWriter& writer, std::string_view text) {
  writer.begin();
  writer.append(bytes_of(text));
  return writer.finish();
}

// Writes one content in a session of its own, flushed.
inline ContentClaim write_one(ContentRepository& repository, std::string_view text) {
  const auto writer = repository.writer();
  ContentClaim claim = write_content(*writer, text);
  writer->flush();
  return claim;
}

inline std::string text_of(ContentReader& reader) {
  std::string text(reader.size(), '\0');
  text.resize(reader.read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

inline std::string read_text(ContentRepository& repository, const ContentClaim& claim) {
  return text_of(*repository.read(claim));
}

inline void checkpoint(ContentRepository& repository, const LiveRanges& live = {}) {
  repository.begin_checkpoint();
  repository.finish_checkpoint(live);
}

// Bytes that differ from place to place and from seed to seed.
inline std::string noise(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(size, '\0');
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(text.data() + at, &word, std::min(sizeof word, size - at));
  }
  return text;
}

inline std::uint64_t seed_of_run() {
  const char* given = std::getenv("WEIR_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("WEIR_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

inline std::uint64_t loops() {
  const char* given = std::getenv("WEIR_LOOPS");
  return given ? std::max(1ull, std::strtoull(given, nullptr, 10)) : 1;
}

struct Findings final : storage::FindingReporter {
  void report(const storage::Finding& finding) override {
    const std::lock_guard lock(mutex);
    all.push_back(finding);
  }
  std::mutex mutex;
  std::vector<storage::Finding> all;
};

// A folder of the machine's file system that goes with the object.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "weir-content-XXXXXX").native();
    if (!::mkdtemp(name.data())) std::abort();
    path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  storage::Path path;
};

// Live and archived files of all containers.
inline std::vector<ContentFile> content_files(storage::FileSystem& files,
                                              const ContentRepositoryConfig& config,
                                              bool archived) {
  std::vector<ContentFile> found;
  list_content_files(files, config.containers, [&](const ContentFile& file) {
    if (file.archived == archived) found.push_back(file);
  });
  return found;
}

// A repository in a temporary folder, with a clock that stands still unless a test moves it.
struct OnDisk : ::testing::Test {
  OnDisk() {
    config.containers["default"] = folder.path / "content";
    config.archive_max_usage = 1;  // however full the machine's disk is
  }

  void open() {
    repository.reset();
    repository = std::make_unique<FileSystemContentRepository>(
        files, config, [this] { return now_ms.load(); }, findings);
  }
  // As a start with nothing to recover.
  void open_fresh() {
    open();
    repository->recovered(false);
    repository->wait_for_scan();
  }
  std::vector<ContentFile> live() { return content_files(files, config, false); }
  std::vector<ContentFile> archived() { return content_files(files, config, true); }

  TemporaryFolder folder;
  storage::FileSystem& files = storage::real_file_system();
  Findings findings;
  std::atomic<std::int64_t> now_ms{1'700'000'000'000};
  ContentRepositoryConfig config;
  std::unique_ptr<FileSystemContentRepository> repository;
};

}  // namespace weir::content
