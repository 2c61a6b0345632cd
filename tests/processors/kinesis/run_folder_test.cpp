#include "processors/kinesis/run_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "tests/tools/program.h"

namespace weir::processors::kinesis::test {
namespace {

using tools::testing::Folder;

bool there(const std::filesystem::path& path) {
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

void make_private(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
}

TEST(RunFolder, IsTheUsersAloneAndGoesWithTheObject) {
  Folder below;
  std::filesystem::path path;
  {
    const RunFolder folder(below.path());
    path = folder.path();
    struct stat found = {};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0700u);
    EXPECT_TRUE(path.filename().string().starts_with("weir-kinesis-"));
    std::filesystem::create_directories(path / "a" / "b");
  }
  EXPECT_FALSE(there(path));
}

TEST(RunFolder, WhatADeadProcessLeftGoes) {
  Folder below;
  const std::filesystem::path dead = below / "weir-kinesis-dead01";
  make_private(dead);
  below.write("weir-kinesis-dead01/lock", "");
  below.write("weir-kinesis-dead01/kcl.properties", "x");
  below.write("weir-other/lock", "");
  const RunFolder folder(below.path());
  EXPECT_FALSE(there(dead));
  EXPECT_TRUE(there(below / "weir-other"));
}

TEST(RunFolder, WhatIsInUseStays) {
  Folder below;
  const RunFolder used(below.path());
  const RunFolder other(below.path());
  EXPECT_TRUE(there(used.path() / "lock"));
  EXPECT_NE(used.path(), other.path());
}

TEST(RunFolder, AFolderThatIsJustMadeStays) {
  Folder below;
  const std::filesystem::path young = below / "weir-kinesis-young1",
                              old = below / "weir-kinesis-old001";
  make_private(young);
  make_private(old);
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
  const RunFolder folder(below.path());
  EXPECT_TRUE(there(young));
  EXPECT_FALSE(there(old));
}

TEST(RunFolder, LinksAreNotFollowed) {
  Folder below, elsewhere;
  elsewhere.write("target/lock", "");
  elsewhere.write("target/precious", "x");
  make_private(elsewhere / "target");
  std::filesystem::create_directory_symlink(elsewhere / "target", below / "weir-kinesis-link01");
  const std::filesystem::path dead = below / "weir-kinesis-dead02";
  make_private(dead);
  below.write("weir-kinesis-dead02/lock", "");
  std::filesystem::create_directory_symlink(elsewhere / "target", dead / "inner");
  { const RunFolder folder(below.path()); }
  EXPECT_TRUE(there(below / "weir-kinesis-link01"));
  EXPECT_FALSE(there(dead));
  EXPECT_TRUE(there(elsewhere / "target" / "precious"));
}

TEST(RunFolder, AFolderThatOthersCanWriteToIsNotTrusted) {
  Folder below;
  const std::filesystem::path open = below / "weir-kinesis-open01";
  below.write("weir-kinesis-open01/lock", "");
  std::filesystem::permissions(open, std::filesystem::perms::all);
  const RunFolder folder(below.path());
  EXPECT_TRUE(there(open));
}

TEST(RunFolder, WhereItCannotBeMadeItSaysSo) {
  EXPECT_THROW(RunFolder("/nonexistent"), std::system_error);
}

}  // namespace
}  // namespace weir::processors::kinesis::test
