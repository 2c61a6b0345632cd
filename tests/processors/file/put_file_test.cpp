#include "processors/file/put_file.h"

#include "tests/processors/file/file_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;
using PutFileTest = FileTest;

TEST_F(PutFileTest, WritesAndReports) {
  TestBench bench(put_file(), {{"Directory", path("out/new")}});
  bench.enqueue("hello", {{"filename", "a b"}});
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(read("out/new/a b"), "hello");
  EXPECT_EQ(bench.transit_uris().at(0), "file:" + path("out/new/a%20b"));
  EXPECT_EQ(count_files("out"), 1u);
}

// R072: a filename with parent-folder parts wrote outside of the folder.
TEST_F(PutFileTest, NothingLandsOutsideTheDirectory) {
  std::filesystem::create_directories(root_ / "out/a");
  TestBench bench(put_file(), {{"Directory", path("out")}});
  for (const std::string name : {"../x", "../../x", "/etc/x", "a/../../x", "a/x", "..", ".", ""}) {
    bench.enqueue("bad", {{"filename", name}});
  }
  bench.run(8);
  EXPECT_EQ(bench.count("failure"), 8u);
  EXPECT_EQ(count_files(), 0u);
  for (const auto& output : bench.outputs("failure")) EXPECT_TRUE(output.penalized);
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 8u);
}

TEST_F(PutFileTest, AttributesCannotLeadOutOfTheFixedPart) {
  std::filesystem::create_directories(root_ / "out");
  std::filesystem::create_directories(root_ / "other");
  std::filesystem::create_directory_symlink(root_ / "other", root_ / "out/link");
  TestBench bench(put_file(), {{"Directory", path("out/${dept}")}});
  for (const std::string dept : {"..", "../other", "link", "a/../../other", "link/sub"}) {
    bench.enqueue("bad", {{"dept", dept}});
  }
  bench.enqueue("good", {{"dept", "in/side"}, {"filename", "g"}});
  bench.run(6);
  EXPECT_EQ(bench.count("failure"), 5u);
  EXPECT_EQ(read("out/in/side/g"), "good");
  EXPECT_EQ(count_files(), 1u);
}

TEST_F(PutFileTest, ALinkInPlaceOfTheFileIsReplacedNotFollowed) {
  write("secret", "s");
  std::filesystem::create_directories(root_ / "out");
  std::filesystem::create_symlink(root_ / "secret", root_ / "out/a");
  TestBench bench(put_file(),
                  {{"Directory", path("out")}, {"Conflict Resolution Strategy", "replace"}});
  bench.enqueue("new", {{"filename", "a"}});
  bench.run();
  EXPECT_EQ(read("secret"), "s");
  EXPECT_EQ(read("out/a"), "new");
}

TEST_F(PutFileTest, ConflictsByStrategy) {
  for (const auto& [strategy, relationship, content] :
       {std::tuple("replace", "success", "new"), std::tuple("ignore", "success", "old"),
        std::tuple("fail", "failure", "old")}) {
    write("out/a", "old");
    TestBench bench(put_file(),
                    {{"Directory", path("out")}, {"Conflict Resolution Strategy", strategy}});
    bench.enqueue("new", {{"filename", "a"}});
    bench.run();
    EXPECT_EQ(bench.count(relationship), 1u) << strategy;
    EXPECT_EQ(read("out/a"), content) << strategy;
    EXPECT_EQ(count_files("out"), 1u) << strategy;
  }
}

TEST_F(PutFileTest, SetsTimeAndPermissions) {
  TestBench bench(
      put_file(),
      {{"Directory", path("out")}, {"Permissions", "rw-r-----"}, {"Last Modified Time", "${t}"}});
  bench.enqueue("x", {{"filename", "a"}, {"t", "2023-11-14T22:13:20+0000"}});
  bench.enqueue("x", {{"filename", "b"}, {"t", "nonsense"}});
  bench.run(2);
  EXPECT_EQ(bench.count("success"), 2u);
  struct stat status {};
  ASSERT_EQ(stat(path("out/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mtime, 1'700'000'000);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(bench.messages(LogLevel::warn).size(), 1u);
}

TEST_F(PutFileTest, UnknownOwnerIsToldAndTheFileWritten) {
  TestBench bench(
      put_file(),
      {{"Directory", path("out")}, {"Owner", "no-such-user"}, {"Group", "no-such-group"}});
  bench.enqueue("x");
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.messages(LogLevel::warn).size(), 2u);
}

TEST_F(PutFileTest, ManyFilesAreRefused) {
  write("out/a", "x");
  TestBench bench(put_file(), {{"Directory", path("out")}, {"Maximum File Count", "2"}});
  bench.enqueue("b", {{"filename", "b"}});
  bench.enqueue("c", {{"filename", "c"}});
  bench.run(2);
  EXPECT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.count("failure"), 1u);
}

TEST_F(PutFileTest, BadPermissionsAreFoundEarly) {
  EXPECT_FALSE(
      TestBench(put_file(), {{"Directory", "x"}, {"Permissions", "rwz------"}}).validate().empty());
}

}  // namespace
}  // namespace weir::processors
