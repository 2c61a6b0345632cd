#include "repositories/storage/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "repositories/storage/error.h"
#include "repositories/storage/fault_file_system.h"
#include "tests/repositories/storage/test_support.h"

namespace weir::storage {
namespace {

using Create = FileSystem::Create;
using test::bytes_of;
using test::read_all;

int error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.error_number();
  }
  return 0;
}

// What the real and the fault-injecting file system have in common.
class FileSystemTest : public testing::TestWithParam<bool> {
 protected:
  FileSystemTest() {
    if (real()) {
      folder_.emplace();
      root_ = folder_->path();
    }
    files().create_directories(root_);
  }
  bool real() const { return GetParam(); }
  FileSystem& files() { return real() ? real_file_system() : fault_; }

  void write(const Path& path, std::string_view content) {
    const auto file = files().open_append(path, Create::truncate);
    file->append(bytes_of(content));
    file->sync();
  }
  std::vector<std::string> names(const Path& folder) {
    std::vector<std::string> found;
    for (const DirectoryEntry& entry : files().list(folder)) found.push_back(entry.name);
    return found;
  }

  FaultFileSystem fault_;
  std::optional<test::TemporaryFolder> folder_;
  Path root_ = "/data";
};

INSTANTIATE_TEST_SUITE_P(, FileSystemTest, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "real" : "fault"; });

TEST_P(FileSystemTest, AppendsAndReadsByPosition) {
  const auto file = files().open_append(root_ / "a", Create::must_not_exist);
  file->append(bytes_of("hello "));
  file->append(bytes_of("world"));
  file->append({});
  EXPECT_EQ(file->size(), 11U);
  const auto reader = files().open_read(root_ / "a");
  EXPECT_EQ(reader->size(), 11U);
  std::array<std::byte, 8> out{};
  EXPECT_EQ(reader->read_at(6, out), 5U);
  EXPECT_EQ(test::text_of(std::span(out).first(5)), "world");
  EXPECT_EQ(reader->read_at(11, out), 0U);
  EXPECT_EQ(reader->read_at(1000, out), 0U);
  file->append(bytes_of("!"));
  EXPECT_EQ(reader->size(), 12U);
}

TEST_P(FileSystemTest, TheThreeWaysToCreate) {
  write(root_ / "a", "old");
  EXPECT_EQ(error_of([&] { files().open_append(root_ / "a", Create::must_not_exist); }), EEXIST);
  files().open_append(root_ / "a", Create::keep)->append(bytes_of("+new"));
  EXPECT_EQ(read_all(files(), root_ / "a"), "old+new");
  files().open_append(root_ / "a", Create::truncate)->append(bytes_of("x"));
  EXPECT_EQ(read_all(files(), root_ / "a"), "x");
  EXPECT_EQ(error_of([&] { files().open_append(root_ / "no" / "a", Create::keep); }), ENOENT);
  EXPECT_EQ(error_of([&] { files().open_append(root_, Create::keep); }), EISDIR);
}

TEST_P(FileSystemTest, ErrorsNameOperationPathAndReason) {
  try {
    files().open_read(root_ / "missing");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.error_number(), ENOENT);
    EXPECT_EQ(error.what(), "open " + (root_ / "missing").string() + ": No such file or directory");
    EXPECT_FALSE(error.disk_full());
  }
  EXPECT_TRUE(IoError("append", "a", ENOSPC).disk_full());
}

TEST_P(FileSystemTest, AppendsFromAnotherFile) {
  std::string content(700'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 >> 3);
  write(root_ / "source", content);
  const auto source = files().open_read(root_ / "source");
  const auto target = files().open_append(root_ / "target", Create::truncate);
  target->append(bytes_of("head"));
  target->append_from(*source, 1, content.size() - 2);
  target->append(bytes_of("tail"));
  EXPECT_EQ(target->size(), content.size() + 6);
  EXPECT_EQ(read_all(files(), root_ / "target"),
            "head" + content.substr(1, content.size() - 2) + "tail");
  EXPECT_EQ(error_of([&] { target->append_from(*source, content.size() - 1, 2); }), ENODATA);
  EXPECT_EQ(target->size(), content.size() + 6);
}

TEST_P(FileSystemTest, AppendsFromASourceWithoutDescriptor) {
  FaultFileSystem other;
  other.open_append("/s", Create::truncate)->append(bytes_of("0123456789"));
  const auto target = files().open_append(root_ / "target", Create::truncate);
  target->append_from(*other.open_read("/s"), 2, 5);
  EXPECT_EQ(read_all(files(), root_ / "target"), "23456");
}

TEST_P(FileSystemTest, TruncateMovesTheEnd) {
  const auto file = files().open_append(root_ / "a", Create::truncate);
  file->append(bytes_of("0123456789"));
  file->truncate(4);
  EXPECT_EQ(file->size(), 4U);
  file->append(bytes_of("ab"));
  EXPECT_EQ(read_all(files(), root_ / "a"), "0123ab");
}

TEST_P(FileSystemTest, AReaderOutlivesTheName) {
  write(root_ / "a", "content");
  const auto reader = files().open_read(root_ / "a");
  files().remove(root_ / "a");
  EXPECT_FALSE(files().status(root_ / "a"));
  std::array<std::byte, 7> out{};
  EXPECT_EQ(reader->read_at(0, out), 7U);
  EXPECT_EQ(test::text_of(out), "content");
}

TEST_P(FileSystemTest, ListsInOrder) {
  write(root_ / "b", "");
  write(root_ / "a", "");
  files().create_directories(root_ / "c" / "d");
  EXPECT_THAT(names(root_), testing::ElementsAre("a", "b", "c"));
  EXPECT_EQ(files().list(root_)[0].type, FileStatus::Type::regular);
  EXPECT_EQ(files().list(root_)[2].type, FileStatus::Type::directory);
  EXPECT_EQ(error_of([&] { files().list(root_ / "none"); }), ENOENT);
  EXPECT_EQ(error_of([&] { files().list(root_ / "a"); }), ENOTDIR);
}

TEST_P(FileSystemTest, CreatesFoldersOnceAndRefusesFilesInTheWay) {
  files().create_directories(root_ / "x" / "y" / "");
  files().create_directories(root_ / "x" / "y");
  EXPECT_EQ(files().status(root_ / "x" / "y")->type, FileStatus::Type::directory);
  write(root_ / "file", "");
  EXPECT_NE(error_of([&] { files().create_directories(root_ / "file"); }), 0);
  EXPECT_NE(error_of([&] { files().create_directories(root_ / "file" / "z"); }), 0);
}

TEST_P(FileSystemTest, RenameReplacesAndRemoveRefusesFullFolders) {
  write(root_ / "a", "new");
  write(root_ / "b", "old");
  files().rename(root_ / "a", root_ / "b");
  EXPECT_EQ(read_all(files(), root_ / "b"), "new");
  EXPECT_FALSE(files().status(root_ / "a"));
  EXPECT_EQ(error_of([&] { files().rename(root_ / "a", root_ / "c"); }), ENOENT);
  files().create_directories(root_ / "d");
  files().rename(root_ / "b", root_ / "d" / "b");
  EXPECT_EQ(error_of([&] { files().remove(root_ / "d"); }), ENOTEMPTY);
  EXPECT_EQ(error_of([&] { files().rename(root_ / "d", root_ / "d" / "e"); }), EINVAL);
  files().sync_directory(root_ / "d");
  files().remove(root_ / "d" / "b");
  files().remove(root_ / "d");
  EXPECT_TRUE(names(root_).empty());
}

TEST_P(FileSystemTest, StatusTellsSizes) {
  EXPECT_FALSE(files().status(root_ / "a"));
  write(root_ / "a", std::string(5000, 'x'));
  EXPECT_EQ(files().status(root_ / "a")->size_bytes, 5000U);
  EXPECT_EQ(files().status(root_ / "a")->allocated_bytes, 8192U);
  EXPECT_FALSE(files().status(root_ / "a" / "below"));
}

TEST_P(FileSystemTest, PunchedRangesAreZeroHolesAndGiveSpaceBack) {
  const Path path = root_ / "a";
  write(path, std::string(40'960, 'x'));
  EXPECT_FALSE(files().has_hole(path, 0, 40'960));
  EXPECT_FALSE(files().has_hole(path, 0, 1'000'000)) << "the end of a file is no hole";
  EXPECT_FALSE(files().has_hole(path, 50'000, 10));
  const std::uint64_t before = files().status(path)->allocated_bytes;
  if (!files().punch_hole(path, 4000, 12'500)) GTEST_SKIP() << "no holes on this file system";
  EXPECT_EQ(read_all(files(), path),
            std::string(4000, 'x') + std::string(12'500, '\0') + std::string(24'460, 'x'));
  EXPECT_TRUE(files().has_hole(path, 0, 40'960));
  EXPECT_TRUE(files().has_hole(path, 5000, 1));
  EXPECT_FALSE(files().has_hole(path, 0, 4000));
  EXPECT_FALSE(files().has_hole(path, 20'000, 20'000));
  EXPECT_EQ(files().status(path)->allocated_bytes, before - 12'288);
  EXPECT_TRUE(files().punch_hole(path, 100, 0));
}

TEST_P(FileSystemTest, ASecondLockIsRefusedUntilTheFirstGoes) {
  auto held = files().lock(root_ / "lock");
  try {
    files().lock(root_ / "lock");
    FAIL();
  } catch (const RefusedError& error) {
    EXPECT_EQ(error.what(),
              (root_ / "lock").string() + " is in use by process " + std::to_string(::getpid()));
  }
  held.reset();
  held = files().lock(root_ / "lock");
}

TEST_P(FileSystemTest, SmallFilesAreReplaced) {
  EXPECT_EQ(files().read_small(root_ / "small"), std::nullopt);
  files().replace_small(root_ / "small", "one");
  EXPECT_EQ(files().read_small(root_ / "small"), "one");
  files().replace_small(root_ / "small", "");
  EXPECT_EQ(files().read_small(root_ / "small"), "");
  EXPECT_THAT(names(root_), testing::ElementsAre("small"));
}

TEST_P(FileSystemTest, SpaceAndBootId) {
  const FileSystem::Space space = files().space(root_);
  EXPECT_GT(space.available_bytes, 0U);
  EXPECT_LE(space.available_bytes, space.capacity_bytes);
  EXPECT_FALSE(files().boot_id().empty());
  EXPECT_EQ(files().boot_id(), files().boot_id());
}

TEST(RealFileSystemTest, TheLockNamesTheOtherProcessAndGoesWithIt) {
  const test::TemporaryFolder folder;
  const Path path = folder.path() / "lock";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = real_file_system().lock(path);
    const char byte = '!';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(ready[1]);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  try {
    real_file_system().lock(path);
    ADD_FAILURE() << "two holders";
  } catch (const RefusedError& error) {
    EXPECT_EQ(error.what(), path.string() + " is in use by process " + std::to_string(child));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  real_file_system().lock(path);
}

TEST(RealFileSystemTest, CopiesItselfWhatTheKernelCannotCopy) {
  const test::TemporaryFolder folder;
  const auto source = real_file_system().open_read("/proc/sys/kernel/random/boot_id");
  const auto target = real_file_system().open_append(folder.path() / "a", Create::truncate);
  const std::string boot_id = real_file_system().boot_id();
  target->append_from(*source, 0, boot_id.size());
  EXPECT_EQ(read_all(real_file_system(), folder.path() / "a"), boot_id);
}

TEST(RealFileSystemTest, AFullDiskIsAnIoErrorAndTheSizeStays) {
  const auto file = real_file_system().open_append("/dev/full", Create::keep);
  EXPECT_EQ(error_of([&] { file->append(bytes_of("x")); }), ENOSPC);
  EXPECT_EQ(file->size(), 0U);
}

TEST(RealFileSystemTest, AFailedSyncIsNeverForgotten) {
  // The kernel refuses to sync this device.
  const auto file = real_file_system().open_append("/dev/null", Create::keep);
  EXPECT_EQ(error_of([&] { file->sync(); }), EINVAL);
  EXPECT_EQ(error_of([&] { file->sync(); }), EINVAL);
  EXPECT_EQ(error_of([&] { file->append(bytes_of("x")); }), EINVAL);
}

}  // namespace
}  // namespace weir::storage
