#include "processors/file/list_file.h"

#include "tests/processors/file/file_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using ListFileTest = FileTest;
using namespace std::chrono_literals;

constexpr std::int64_t bench_now_s = 1'700'000'000 + 3600;

TEST_F(ListFileTest, EachFileOnce) {
  write("in/a", "A");
  write("in/b", "B", 1'700'000'005);
  TestBench bench(list_file(), {{"Input Directory", path("in")}});
  bench.run();
  EXPECT_EQ(bench.count("success"), 2u);
  bench.run();
  EXPECT_EQ(bench.count("success"), 2u);
  EXPECT_TRUE(bench.yielded());
  write("in/c", "C", 1'700'000'005);  // as old as the newest one listed
  write("in/d", "D", 1'700'000'009);
  bench.run();
  EXPECT_EQ(bench.count("success"), 4u);
}

// R066: at a restart everything was listed again.
TEST_F(ListFileTest, ARestartListsNothingAgainAndAnotherFolderListsAll) {
  write("in/a", "A");
  write("other/b", "B");
  for (const char* strategy : {"timestamps", "entities"}) {
    TestBench bench(list_file(), {{"Input Directory", path("in")}, {"listing-strategy", strategy}});
    bench.run();
    bench.stop();
    bench.run();
    EXPECT_EQ(bench.count("success"), 1u) << strategy;
    bench.stop();
    bench.set("Include File Attributes", "false");
    bench.run();
    EXPECT_EQ(bench.count("success"), 1u) << strategy;
    bench.stop();
    bench.set("Input Directory", path("other"));
    bench.run();
    EXPECT_EQ(bench.count("success"), 2u) << strategy;
  }
}

// R063: files that are written while the folder is read were missed.
TEST_F(ListFileTest, AFileOfTheMomentWaitsForTheNextListing) {
  write("in/a", "A", bench_now_s);
  write("in/future", "F", bench_now_s + 86'400);
  TestBench bench(list_file(), {{"Input Directory", path("in")}});
  bench.run();
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.outputs("success")[0].attribute("filename"), "future");
  write("in/late", "L", bench_now_s);
  bench.advance(2s);
  bench.run();
  EXPECT_EQ(bench.count("success"), 3u);
  bench.run();
  EXPECT_EQ(bench.count("success"), 3u);
}

// R063: a file moved in with an old time was never listed.
TEST_F(ListFileTest, EntitiesFindFilesWithOldTimes) {
  write("in/a", "A", bench_now_s - 60);
  TestBench bench(list_file(), {{"Input Directory", path("in")}, {"listing-strategy", "entities"}});
  bench.run();
  write("in/old", "O", 1'000'000);
  bench.run();
  EXPECT_EQ(bench.count("success"), 2u);
  write("in/a", "A+", bench_now_s - 60);  // another size at the same time
  bench.run(2);
  EXPECT_EQ(bench.count("success"), 3u);
}

TEST_F(ListFileTest, TheStateMovesOnOnlyWithTheCommit) {
  write("in/a", "A");
  TestBench bench(list_file(), {{"Input Directory", path("in")}});
  EXPECT_TRUE(bench.state().empty());
  bench.run();
  EXPECT_FALSE(bench.state().empty());
}

TEST_F(ListFileTest, ARecordWriterComesLater) {
  std::filesystem::create_directories(root_ / "in");
  TestBench bench(list_file(), {{"Input Directory", path("in")}, {"record-writer", "some"}});
  EXPECT_FALSE(bench.validate().empty());
}

}  // namespace
}  // namespace weir::processors
