#include "processors/file/fetch_file.h"

#include "tests/processors/file/file_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using FetchFileTest = FileTest;

TEST_F(FetchFileTest, TheDefaultTakesWhatListFileNames) {
  write("in/a", "A");
  TestBench bench(fetch_file());
  bench.enqueue("", {{"absolute.path", path("in")}, {"filename", "a"}});
  bench.run();
  EXPECT_EQ(bench.outputs("success").at(0).content, "A");
  EXPECT_EQ(bench.count_events("FETCH"), 1u);
  EXPECT_TRUE(exists("in/a"));
}

TEST_F(FetchFileTest, MissingFilesAreRoutedAtTheLevelAsked) {
  TestBench bench(fetch_file(),
                  {{"File to Fetch", path("nope")}, {"Log level when file not found", "DEBUG"}});
  bench.enqueue("old");
  bench.run();
  EXPECT_EQ(bench.outputs("not.found").at(0).content, "old");
  EXPECT_TRUE(bench.outputs("not.found")[0].penalized);
  EXPECT_EQ(bench.messages(LogLevel::debug).size(), 1u);
  EXPECT_TRUE(bench.messages(LogLevel::error).empty());
}

TEST_F(FetchFileTest, UnreadableFilesAreRouted) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  write("in/a", "A");
  chmod(path("in/a").c_str(), 0);
  TestBench bench(fetch_file(), {{"File to Fetch", path("in/a")}});
  bench.enqueue("old");
  bench.run();
  EXPECT_EQ(bench.count("permission.denied"), 1u);
}

TEST_F(FetchFileTest, MovesByStrategy) {
  for (const std::string strategy : {"Rename", "Replace File", "Keep Existing", "Fail"}) {
    write("in/a.txt", "A");
    std::filesystem::remove_all(root_ / "done");
    write("done/a.txt", "B");
    TestBench bench(fetch_file(), {{"File to Fetch", path("in/a.txt")},
                                   {"Completion Strategy", "Move File"},
                                   {"Move Destination Directory", path("done")},
                                   {"Move Conflict Strategy", strategy}});
    bench.enqueue("");
    bench.run();
    const bool fails = strategy == "Fail";
    EXPECT_EQ(bench.count(fails ? "failure" : "success"), 1u) << strategy;
    EXPECT_EQ(exists("in/a.txt"), fails) << strategy;
    EXPECT_EQ(read("done/a.txt"), strategy == "Replace File" ? "A" : "B") << strategy;
    EXPECT_EQ(count_files("done"), strategy == "Rename" ? 2u : 1u) << strategy;
  }
}

}  // namespace
}  // namespace weir::processors
