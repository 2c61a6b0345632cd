#include "processors/file/get_file.h"

#include "tests/processors/file/file_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using GetFileTest = FileTest;

constexpr std::int64_t bench_now_s = 1'700'000'000 + 3600;

TEST_F(GetFileTest, TheSourceGoesAfterTheCommit) {
  write("in/a", "A");
  TestBench bench(get_file(), {{"Input Directory", path("in")}});
  bench.run();
  EXPECT_EQ(bench.outputs("success").at(0).content, "A");
  EXPECT_FALSE(exists("in/a"));
  EXPECT_EQ(bench.transit_uris().at(0), "file:" + path("in/a"));
  bench.run();
  EXPECT_TRUE(bench.yielded());
  EXPECT_EQ(bench.count("success"), 1u);
}

TEST_F(GetFileTest, KeptSourcesAreTakenAgain) {
  write("in/a", "A");
  TestBench bench(get_file(), {{"Input Directory", path("in")}, {"Keep Source File", "true"}});
  bench.run(2);
  EXPECT_EQ(bench.count("success"), 2u);
  EXPECT_TRUE(exists("in/a"));
}

// R068: a file was taken while it was still being written.
TEST_F(GetFileTest, AYoungFileIsLeft) {
  write("in/old", "A", bench_now_s - 6);
  write("in/young", "B", bench_now_s - 1);
  TestBench bench(get_file(), {{"Input Directory", path("in")}, {"Minimum File Age", "5 sec"}});
  bench.run(2);
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_TRUE(exists("in/young"));
  bench.advance(std::chrono::seconds(5));
  bench.run();
  EXPECT_EQ(bench.count("success"), 2u);
}

TEST_F(GetFileTest, NamesStayByteForByte) {
  const std::string name = "caf\xE9-\x01";
  write("in/" + name, "A");
  TestBench bench(get_file(), {{"Input Directory", path("in")}});
  bench.run();
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.outputs("success")[0].attribute("filename"), name);
  EXPECT_FALSE(exists("in/" + name));
}

TEST_F(GetFileTest, ASymlinkLoopEnds) {
  write("in/sub/a", "A");
  std::filesystem::create_directory_symlink(root_ / "in", root_ / "in/sub/up");
  std::filesystem::create_symlink(root_ / "nowhere", root_ / "in/dangling");
  TestBench bench(get_file(), {{"Input Directory", path("in")}});
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u);
}

TEST_F(GetFileTest, AnEmptyFolderYields) {
  std::filesystem::create_directories(root_ / "in");
  TestBench bench(get_file(), {{"Input Directory", path("in")}});
  bench.run();
  EXPECT_TRUE(bench.yielded());
}

TEST_F(GetFileTest, ABatchIsBounded) {
  for (int i = 0; i < 7; ++i) write("in/" + std::to_string(i), "x");
  TestBench bench(get_file(), {{"Input Directory", path("in")}, {"Batch Size", "3"}});
  bench.run();
  EXPECT_EQ(bench.count("success"), 3u);
  bench.run(2);
  EXPECT_EQ(bench.count("success"), 7u);
}

TEST_F(GetFileTest, FiltersChoose) {
  write("in/a.txt", "12345");
  write("in/b.log", "12345");
  write("in/.hidden.txt", "12345");
  write("in/deep/c.txt", "1");
  write("in/deep/d.txt", "12345");
  TestBench bench(get_file(), {{"Input Directory", path("in")},
                               {"File Filter", ".*\\.txt"},
                               {"Path Filter", "dee."},
                               {"Minimum File Size", "2 B"}});
  bench.run();
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.outputs("success")[0].attribute("filename"), "d.txt");
  EXPECT_EQ(bench.outputs("success")[0].attribute("path"), "deep/");
  EXPECT_EQ(bench.outputs("success")[0].attribute("absolute.path"), path("in/deep/"));
}

}  // namespace
}  // namespace weir::processors
