#include "repositories/storage/fault_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <thread>

#include "repositories/storage/error.h"
#include "tests/repositories/storage/test_support.h"

namespace weir::storage {
namespace {

using Create = FileSystem::Create;
using Operation = FaultFileSystem::Operation;
using test::bytes_of;
using test::read_all;

class FaultFileSystemTest : public testing::Test {
 protected:
  FaultFileSystemTest() { files_.create_directories("/d"); }

  std::unique_ptr<WritableFile> durable(const Path& path, std::string_view content) {
    auto file = files_.open_append(path, Create::truncate);
    file->append(bytes_of(content));
    file->sync();
    files_.sync_directory(path.parent_path());
    return file;
  }

  FaultFileSystem files_{1};
};

TEST_F(FaultFileSystemTest, UnsyncedBytesMeetTheirFate) {
  durable("/d/a", "synced")->append(bytes_of("+loose"));
  files_.restart(UnsyncedFate::kept);
  EXPECT_EQ(read_all(files_, "/d/a"), "synced+loose");

  durable("/d/a", "synced")->append(bytes_of("+loose"));
  files_.restart(UnsyncedFate::lost);
  EXPECT_EQ(read_all(files_, "/d/a"), "synced");

  durable("/d/a", "synced")->append(bytes_of("+loose"));
  files_.restart(UnsyncedFate::garbage);
  EXPECT_THAT(read_all(files_, "/d/a"), testing::StartsWith("synced"));
  EXPECT_EQ(read_all(files_, "/d/a").size(), 12U);
  EXPECT_NE(read_all(files_, "/d/a"), "synced+loose");
}

TEST_F(FaultFileSystemTest, MixedFatesKeepSyncedBytesAndVary) {
  std::set<std::string> outcomes;
  for (int loop = 0; loop < 300; ++loop) {
    const auto file = durable("/d/a", "synced");
    file->append(bytes_of("+one"));
    file->append(bytes_of("+two"));
    files_.restart(UnsyncedFate::mixed);
    const std::string content = read_all(files_, "/d/a");
    ASSERT_THAT(content, testing::StartsWith("synced"));
    ASSERT_LE(content.size(), 14U);
    outcomes.insert(content);
  }
  for (const std::string& expected :
       {std::string("synced"), std::string("synced+one"), std::string("synced+one+two"),
        std::string("synced\0\0\0\0+two", 14)}) {
    EXPECT_TRUE(outcomes.contains(expected)) << expected;
  }
}

TEST_F(FaultFileSystemTest, NamesAreVolatileUntilTheirFolderIsSynced) {
  durable("/d/old", "old");
  {
    const auto file = files_.open_append("/d/new", Create::must_not_exist);
    file->append(bytes_of("new"));
    file->sync();
  }
  files_.remove("/d/old");
  files_.restart(UnsyncedFate::lost);
  EXPECT_EQ(files_.read_small("/d/new"), std::nullopt);
  EXPECT_EQ(read_all(files_, "/d/old"), "old");

  files_.remove("/d/old");
  files_.sync_directory("/d");
  files_.restart(UnsyncedFate::lost);
  EXPECT_TRUE(files_.list("/d").empty());
}

TEST_F(FaultFileSystemTest, AnUnsyncedRenameIsWholeOrNot) {
  std::set<std::string> outcomes;
  for (int loop = 0; loop < 100; ++loop) {
    durable("/d/a", "old");
    durable("/d/b", "new");
    files_.rename("/d/b", "/d/a");
    files_.restart(UnsyncedFate::mixed);
    outcomes.insert(read_all(files_, "/d/a") + " " + read_all(files_, "/d/b"));
  }
  EXPECT_THAT(outcomes, testing::ElementsAre("new (missing)", "old new"));
}

TEST_F(FaultFileSystemTest, ARenameAcrossFoldersIsDurableByEitherFolder) {
  files_.create_directories("/e");
  for (const char* synced : {"/d", "/e"}) {
    durable("/d/a", "a");
    files_.rename("/d/a", "/e/a");
    files_.sync_directory(synced);
    files_.restart(UnsyncedFate::lost);
    EXPECT_EQ(files_.read_small("/d/a"), std::nullopt);
    EXPECT_EQ(read_all(files_, "/e/a"), "a");
  }
}

TEST_F(FaultFileSystemTest, UnsyncedTruncateAndPunchAreUndone) {
  const std::string content(10'000, 'x');
  {
    const auto file = durable("/d/a", content);
    file->truncate(100);
    file->append(bytes_of("yy"));
    files_.punch_hole("/d/a", 0, 50);
  }
  EXPECT_NE(read_all(files_, "/d/a"), content);
  files_.restart(UnsyncedFate::lost);
  EXPECT_EQ(read_all(files_, "/d/a"), content);
  EXPECT_FALSE(files_.has_hole("/d/a", 0, content.size()));
}

TEST_F(FaultFileSystemTest, AfterTheCutEverythingThrowsAndOldFilesStayDead) {
  const auto file = durable("/d/a", "a");
  const auto reader = files_.open_read("/d/a");
  const auto lock = files_.lock("/d/lock");
  const std::string boot = files_.boot_id();
  const std::uint64_t before = files_.operations();
  files_.cut_power_at(2);
  file->append(bytes_of("b"));
  EXPECT_FALSE(files_.power_lost());
  EXPECT_THROW(file->sync(), PowerLost);
  EXPECT_TRUE(files_.power_lost());
  EXPECT_EQ(files_.operations(), before + 2);
  EXPECT_THROW(file->append(bytes_of("c")), PowerLost);
  EXPECT_THROW(files_.list("/d"), PowerLost);
  EXPECT_THROW(files_.rename("/d/a", "/d/b"), PowerLost);
  files_.restart(UnsyncedFate::lost);
  EXPECT_THROW(file->append(bytes_of("c")), PowerLost);
  EXPECT_THROW(reader->size(), PowerLost);
  EXPECT_NE(files_.boot_id(), boot);
  files_.lock("/d/lock");
}

TEST_F(FaultFileSystemTest, AKilledProcessLosesNoBytes) {
  const auto file = durable("/d/a", "a");
  file->append(bytes_of("b"));
  const auto lock = files_.lock("/d/lock");
  const std::string boot = files_.boot_id();
  files_.kill_process();
  EXPECT_EQ(read_all(files_, "/d/a"), "ab");
  EXPECT_EQ(files_.boot_id(), boot);
  EXPECT_THROW(file->append(bytes_of("c")), PowerLost);
  const auto again = files_.lock("/d/lock");
  // What was written before the kill is still not synced.
  files_.restart(UnsyncedFate::lost);
  EXPECT_EQ(read_all(files_, "/d/a"), "a");
}

TEST_F(FaultFileSystemTest, TheAppendAtTheCutMayBeAnyPrefix) {
  std::set<std::string> outcomes;
  for (int loop = 0; loop < 200; ++loop) {
    const auto file = durable("/d/a", "");
    files_.cut_power_at(1);
    EXPECT_THROW(file->append(bytes_of("abc")), PowerLost);
    files_.restart(UnsyncedFate::kept);
    outcomes.insert(read_all(files_, "/d/a"));
  }
  EXPECT_THAT(outcomes, testing::ElementsAre("", "a", "ab", "abc"));
}

TEST_F(FaultFileSystemTest, FailsOnDemand) {
  const auto file = durable("/d/a", "a");
  files_.fail(Operation::append, EIO, 2);
  EXPECT_THROW(file->append(bytes_of("xyz")), IoError);
  EXPECT_THROW(file->append(bytes_of("xyz")), IoError);
  EXPECT_EQ(file->size(), 1U);
  file->append(bytes_of("bcd"));
  EXPECT_EQ(read_all(files_, "/d/a"), "abcd");
  files_.fail(Operation::create, EMFILE);
  EXPECT_THROW(files_.open_append("/d/b", Create::keep), IoError);
  files_.fail(Operation::rename, EIO);
  EXPECT_THROW(files_.rename("/d/a", "/d/b"), IoError);
  files_.fail(Operation::remove, EIO);
  EXPECT_THROW(files_.remove("/d/a"), IoError);
  files_.fail(Operation::sync_directory, EIO);
  EXPECT_THROW(files_.sync_directory("/d"), IoError);
  files_.fail(Operation::read, EIO);
  EXPECT_THROW(read_all(files_, "/d/a"), IoError);
  files_.fail(Operation::read, EIO, 5);
  files_.fail(Operation::read, EIO, 0);
  EXPECT_EQ(read_all(files_, "/d/a"), "abcd");
}

TEST_F(FaultFileSystemTest, WhatAFailedSyncGaveUpNoLaterSyncSaves) {
  const auto file = durable("/d/a", "a");
  file->append(bytes_of("b"));
  files_.fail(Operation::sync, EIO);
  EXPECT_THROW(file->sync(), IoError);
  EXPECT_THROW(file->sync(), IoError);
  EXPECT_THROW(file->append(bytes_of("c")), IoError);
  const auto other = files_.open_append("/d/a", Create::keep);
  other->append(bytes_of("c"));
  other->sync();
  files_.restart(UnsyncedFate::lost);
  EXPECT_EQ(read_all(files_, "/d/a"), std::string("a\0c", 3));
}

TEST_F(FaultFileSystemTest, CapacityEndsAppendsAndPunchingGivesSpaceBack) {
  const auto file = durable("/d/a", std::string(8192, 'x'));
  files_.set_capacity(10'000);
  EXPECT_EQ(files_.space("/d").available_bytes, 1808U);
  try {
    file->append(bytes_of(std::string(5000, 'y')));
    FAIL();
  } catch (const IoError& error) {
    EXPECT_TRUE(error.disk_full());
  }
  EXPECT_EQ(file->size(), 8192U);
  file->truncate(8192);
  files_.punch_hole("/d/a", 0, 4096);
  file->append(bytes_of(std::string(5000, 'y')));
  EXPECT_EQ(file->size(), 13'192U);
}

TEST_F(FaultFileSystemTest, DamageNeedsNoSync) {
  durable("/d/a", "abc");
  files_.flip_bit("/d/a", 8 + 5);
  EXPECT_EQ(read_all(files_, "/d/a"), "aBc");
  files_.damage_truncate("/d/a", 1);
  files_.restart(UnsyncedFate::lost);
  EXPECT_EQ(read_all(files_, "/d/a"), "a");
}

TEST_F(FaultFileSystemTest, CreatedFoldersAreDurable) {
  files_.create_directories("/x/y");
  files_.restart(UnsyncedFate::lost);
  EXPECT_TRUE(files_.status("/x/y"));
}

TEST_F(FaultFileSystemTest, TheSameSeedGivesTheSameDisk) {
  const auto run = [](std::uint64_t seed) {
    FaultFileSystem files(seed);
    files.open_append("/a", Create::keep)->append(bytes_of(std::string(50'000, 'a')));
    files.sync_directory("/");
    files.restart(UnsyncedFate::mixed);
    return read_all(files, "/a");
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(6), run(7));
}

TEST_F(FaultFileSystemTest, ASmallFileIsOldOrNewAtEveryCut) {
  const std::uint64_t seed = test::seed_of_run();
  for (const UnsyncedFate fate :
       {UnsyncedFate::kept, UnsyncedFate::lost, UnsyncedFate::garbage, UnsyncedFate::mixed}) {
    for (std::uint64_t loop = 0; loop < test::loops(20); ++loop) {
      bool done = false;
      for (std::uint64_t cut = 1; !done; ++cut) {
        FaultFileSystem files(seed + loop);
        files.create_directories("/d");
        files.replace_small("/d/small", "the old one");
        files.cut_power_at(cut);
        try {
          files.replace_small("/d/small", "the new one, which is longer");
          done = true;
        } catch (const PowerLost&) {
        }
        files.restart(fate);
        const std::string content = read_all(files, "/d/small");
        const bool is_new = content == "the new one, which is longer";
        EXPECT_TRUE(is_new || (!done && content == "the old one")) << cut << ": " << content;
      }
    }
  }
}

TEST_F(FaultFileSystemTest, IsThreadSafe) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([this, number] {
      const Path path = "/d/" + std::to_string(number);
      for (int loop = 0; loop < 100; ++loop) {
        const auto file = files_.open_append(path, Create::keep);
        file->append(bytes_of("0123456789"));
        file->sync();
        files_.sync_directory("/d");
        read_all(files_, path);
        files_.list("/d");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  files_.restart(UnsyncedFate::lost);
  for (const DirectoryEntry& entry : files_.list("/d")) {
    EXPECT_EQ(files_.status("/d/" + entry.name)->size_bytes, 1000U);
  }
}

}  // namespace
}  // namespace weir::storage
