// The power is cut at every file operation of a run: what was synced before is readable after
// the restart, whatever became of the rest.

#include "repositories/storage/fault_file_system.h"
#include "tests/repositories/content/content_fixture.h"

namespace weir::content {
namespace {

using storage::FaultFileSystem;
using storage::UnsyncedFate;

struct ContentCrashTest : ::testing::Test {
  ContentCrashTest() {
    config.containers = {{"a", "/data/a"}, {"b", "/data/b"}};
    config.max_appendable_bytes = 300;
    config.archive_max_usage = 1;
  }

  std::unique_ptr<FileSystemContentRepository> open(storage::FileSystem& files) {
    return std::make_unique<FileSystemContentRepository>(
        files, config, [] { return 1'700'000'000'000; }, findings);
  }

  Findings findings;
  ContentRepositoryConfig config;
};

// What the FlowFile repository would have on disk: only contents that were synced before.
struct Journal {
  std::map<int, std::pair<ClaimLocation, std::string>> committed;
};

// Sessions that write, sync and drop, with checkpoints between. A drop counts from the moment
// it is recorded; `journal` is what is durable at any time.
void run(FileSystemContentRepository& repository, Journal& journal) {
  std::map<int, ContentClaim> handles;
  const auto commit = [&](ContentWriter& writer, int first, int count) {
    std::map<int, std::pair<ContentClaim, std::string>> written;
    for (int n = first; n < first + count; ++n) {
      const std::string text = noise(50 + 40 * (n % 5), n);
      written.emplace(n, std::pair(write_content(writer, text), text));
    }
    writer.sync();
    for (auto& [n, content] : written) {
      journal.committed.emplace(n, std::pair(content.first.location(), content.second));
      handles.emplace(n, std::move(content.first));
    }
  };
  const auto drop = [&](int n) {
    journal.committed.erase(n);
    handles.erase(n);
  };
  for (int round = 0; round < 3; ++round) {
    const auto writer = repository.writer();
    commit(*writer, round * 20, 6);
    const auto other = repository.writer();
    commit(*other, round * 20 + 10, 4);
    write_content(*other, "never committed");
    other->flush();
    for (int n = 0; n < 5; ++n) drop(round * 20 + n);
    if (round > 0) drop((round - 1) * 20 + 5);
    repository.sync_all();
    repository.begin_checkpoint();
    drop(round * 20 + 10);
    repository.finish_checkpoint({});
  }
}

void expect_all_readable(FileSystemContentRepository& repository, const Journal& journal,
                         const std::string& what) {
  for (const auto& [n, content] : journal.committed) {
    const ContentClaim claim = repository.resolve(content.first);
    EXPECT_EQ(read_text(repository, claim), content.second) << what << ", content " << n;
  }
}

TEST_F(ContentCrashTest, WhatWasSyncedSurvivesTheLossOfPowerAtEveryOperation) {
  const std::uint64_t seed = seed_of_run();
  for (const bool archive : {true, false}) {
    config.archive_enabled = archive;
    for (const auto fate :
         {UnsyncedFate::kept, UnsyncedFate::lost, UnsyncedFate::garbage, UnsyncedFate::mixed}) {
      bool cut = true;
      std::uint64_t operation = 0;
      while (cut && !HasFailure()) {
        ++operation;
        const std::string what = "seed " + std::to_string(seed) + ", operation " +
                                 std::to_string(operation) + ", fate " +
                                 std::to_string(static_cast<int>(fate));
        FaultFileSystem files(seed);
        files.cut_power_at(operation);
        Journal journal;
        try {
          const auto repository = open(files);
          run(*repository, journal);
        } catch (const storage::PowerLost&) {
        }
        cut = files.power_lost();
        files.restart(fate);
        const auto repository = open(files);
        expect_all_readable(*repository, journal, what);
        std::vector<ContentClaim> held;
        for (const auto& [n, content] : journal.committed) {
          held.push_back(repository->resolve(content.first));
        }
        repository->recovered(false);
        repository->wait_for_scan();
        for (int i = 0; i < 2; ++i) checkpoint(*repository);
        expect_all_readable(*repository, journal, what + ", after the clean-up");
        const ContentClaim next = write_one(*repository, "goes on");
        EXPECT_EQ(read_text(*repository, next), "goes on") << what;
        for (const auto& finding : findings.all) {
          ADD_FAILURE() << what << ": " << finding.file << " " << finding.what;
        }
      }
      EXPECT_GT(operation, 60u);
    }
  }
}

TEST_F(ContentCrashTest, AKilledProcessLosesNothingThatWasFlushed) {
  FaultFileSystem files(1);
  ClaimLocation location;
  auto dead = open(files);
  location = write_one(*dead, "text").location();
  files.kill_process();
  const auto repository = open(files);
  const ContentClaim claim = repository->resolve(location);
  repository->recovered(false);
  repository->wait_for_scan();
  EXPECT_EQ(read_text(*repository, claim), "text");
}

TEST_F(ContentCrashTest, SyncAllMakesFlushedContentDurable) {
  FaultFileSystem files(2);
  std::vector<ClaimLocation> locations;
  {
    const auto repository = open(files);
    for (int i = 0; i < 10; ++i) {
      locations.push_back(write_one(*repository, noise(100, i)).location());
    }
    const auto open_session = repository->writer();
    locations.push_back(write_content(*open_session, noise(100, 10)).location());
    open_session->flush();
    repository->sync_all();
    files.cut_power_at(1);
    EXPECT_THROW(files.sync_directory("/data"), storage::PowerLost);
  }
  files.restart(UnsyncedFate::lost);
  const auto repository = open(files);
  for (int i = 0; i < 11; ++i) {
    EXPECT_EQ(read_text(*repository, repository->resolve(locations[i])), noise(100, i));
  }
}

TEST_F(ContentCrashTest, AFullDiskFailsTheSessionAndEverythingGoesOnWhenThereIsRoom) {
  config.containers.erase("b");
  config.max_appendable_bytes = 1'000'000;
  FaultFileSystem files(3);
  const auto repository = open(files);
  const ContentClaim before = write_one(*repository, "before");
  files.set_capacity(10'000);
  const std::string large = noise(50'000, 1);
  {
    const auto writer = repository->writer();
    const ContentClaim small = write_content(*writer, "small");
    write_content(*writer, large);
    EXPECT_THROW(writer->flush(), storage::IoError);
    EXPECT_THROW(writer->flush(), storage::StorageError);  // the session cannot commit any more
    EXPECT_THROW(writer->sync(), storage::StorageError);
    EXPECT_THROW(writer->begin(), storage::StorageError);
    writer->abandon();
  }
  EXPECT_EQ(read_text(*repository, before), "before");
  files.set_capacity(1'000'000);
  const ContentClaim after = write_one(*repository, large);
  EXPECT_NE(after.resource(), before.resource());
  EXPECT_EQ(read_text(*repository, after), large);
  EXPECT_EQ(read_text(*repository, before), "before");
}

TEST_F(ContentCrashTest, ALargeContentThatFailsLeavesTheSessionUsable) {
  config.containers.erase("b");
  FaultFileSystem files(4);
  const auto repository = open(files);
  const auto writer = repository->writer();
  const ContentClaim small = write_content(*writer, "small");
  writer->flush();
  writer->begin();
  files.fail(FaultFileSystem::Operation::append, EIO);
  EXPECT_THROW(writer->append(bytes_of(noise(kWriteBufferBytes + 1, 1))), storage::IoError);
  EXPECT_THROW(writer->append(bytes_of("more")), storage::StorageError);
  EXPECT_THROW(writer->finish(), storage::StorageError);
  writer->abandon();
  const ContentClaim next = write_content(*writer, "next");
  writer->flush();
  EXPECT_NE(next.resource(), small.resource());
  EXPECT_EQ(read_text(*repository, small), "small");
  EXPECT_EQ(read_text(*repository, next), "next");
}

TEST_F(ContentCrashTest, AContainerWithoutRoomIsPassedOver) {
  FaultFileSystem files(5);
  config.max_appendable_bytes = 1;
  const auto repository = open(files);
  files.fail(FaultFileSystem::Operation::create, ENOSPC);
  std::string failed;
  try {
    write_one(*repository, "text");
  } catch (const storage::IoError& error) {
    failed = error.path().native().substr(0, 7);
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_NE("/data/" + write_one(*repository, "text").resource()->container, failed);
  }
}

TEST_F(ContentCrashTest, AFailedSyncIsNeverRetriedAsIfNothingHadHappened) {
  FaultFileSystem files(6);
  const auto repository = open(files);
  ContentClaim claim = write_one(*repository, "text");
  files.fail(FaultFileSystem::Operation::sync, EIO);
  EXPECT_THROW(repository->sync_all(), storage::IoError);
  EXPECT_THROW(repository->sync_all(), storage::IoError);
  const ContentClaim next = write_one(*repository, "next");
  EXPECT_NE(next.resource(), claim.resource());
  claim = {};
  checkpoint(*repository);
  repository->sync_all();  // the file is gone, and with it the doubt
  EXPECT_EQ(read_text(*repository, next), "next");
}

TEST_F(ContentCrashTest, ARemovalThatFailsIsReportedAndGoesOn) {
  config.archive_enabled = false;
  config.max_appendable_bytes = 1;
  FaultFileSystem files(7);
  const auto repository = open(files);
  write_one(*repository, "one");
  write_one(*repository, "two");
  files.fail(FaultFileSystem::Operation::remove, EIO);
  checkpoint(*repository);
  EXPECT_EQ(findings.all.size(), 1u);
  EXPECT_EQ(content_files(files, config, false).size(), 1u);
}

TEST_F(ContentCrashTest, RoomIsShortBelowTheReserve) {
  FaultFileSystem files(8);
  std::int64_t now_ms = 1'700'000'000'000;
  const auto repository = std::make_unique<FileSystemContentRepository>(
      files, config, [&] { return now_ms; }, findings);
  files.set_capacity(100'000);
  EXPECT_TRUE(repository->has_room());
  const ContentClaim claim = write_one(*repository, noise(95'000, 1));
  EXPECT_TRUE(repository->has_room());  // asked again after a second
  now_ms += 1000;
  EXPECT_FALSE(repository->has_room());
}

}  // namespace
}  // namespace weir::content
