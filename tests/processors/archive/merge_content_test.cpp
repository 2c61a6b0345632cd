#include "processors/archive/merge_content.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using namespace std::chrono_literals;

// R047: with all bins in use, the oldest was not put out to make room for a new key.
TEST(MergeContent, ANewKeyPutsOutTheOldestBin) {
  TestBench bench(merge_content(), {{"Minimum Number of Entries", "10"},
                                    {"Maximum number of Bins", "5"},
                                    {"Correlation Attribute Name", "key"}});
  for (int key = 1; key <= 5; ++key) bench.enqueue("x", {{"key", std::to_string(key)}});
  bench.run(3);
  EXPECT_EQ(bench.count("merged"), 0u);
  bench.enqueue("y", {{"key", "6"}});
  bench.run(2);
  ASSERT_EQ(bench.count("merged"), 1u);
  EXPECT_EQ(bench.outputs("merged")[0].attribute("key"), "1");
  EXPECT_EQ(bench.outputs("merged")[0].attribute("merge.reason"), "BIN_MANAGER_FULL");
  EXPECT_EQ(bench.queued(), 5u);
}

TEST(MergeContent, AnEvictedIncompleteSplitFails) {
  TestBench bench(merge_content(),
                  {{"Merge Strategy", "Defragment"}, {"Maximum number of Bins", "1"}});
  for (const char* key : {"A", "B"}) {
    bench.enqueue("x",
                  {{"fragment.identifier", key}, {"fragment.index", "1"}, {"fragment.count", "2"}});
  }
  bench.run(3);
  EXPECT_EQ(bench.count("failure"), 1u);
  EXPECT_EQ(bench.queued(), 1u);
}

TEST(MergeContent, AnOldBinGoes) {
  TestBench bench(merge_content(), {{"Minimum Number of Entries", "10"}, {"Max Bin Age", "5 sec"}});
  bench.enqueue("a");
  bench.run(2);
  EXPECT_EQ(bench.count("merged"), 0u);
  bench.advance(5s);
  bench.run();
  ASSERT_EQ(bench.count("merged"), 1u);
  EXPECT_EQ(bench.outputs("merged")[0].attribute("merge.reason"), "TIMEOUT");
  EXPECT_EQ(bench.outputs("merged")[0].attribute("merge.bin.age"), "5000");
}

TEST(MergeContent, AnOldIncompleteSplitFails) {
  TestBench bench(merge_content(), {{"Merge Strategy", "Defragment"}, {"Max Bin Age", "1 sec"}});
  bench.enqueue("a",
                {{"fragment.identifier", "F"}, {"fragment.index", "1"}, {"fragment.count", "2"}});
  bench.run();
  bench.advance(2s);
  bench.run();
  EXPECT_EQ(bench.count("failure"), 1u);
}

TEST(MergeContent, AStopGivesBackWhatIsInBins) {
  TestBench bench(merge_content(), {{"Minimum Number of Entries", "10"}});
  bench.enqueue("a");
  bench.enqueue("b");
  bench.run(2);
  bench.stop();
  EXPECT_EQ(bench.queued(), 2u);
  EXPECT_TRUE(bench.events().empty());
}

TEST(MergeContent, KeepsAllUniqueAttributes) {
  TestBench bench(merge_content(), {{"Minimum Number of Entries", "2"},
                                    {"Attribute Strategy", "Keep All Unique Attributes"}});
  bench.enqueue("a", {{"x", "1"}, {"only", "a"}});
  bench.enqueue("b", {{"x", "2"}});
  bench.run(2);
  const auto merged = bench.outputs("merged").at(0);
  EXPECT_EQ(merged.attribute("only"), "a");
  EXPECT_FALSE(merged.attributes.contains("x"));
}

TEST(MergeContent, KeepsACommonMimeType) {
  TestBench bench(merge_content(), {{"Minimum Number of Entries", "2"}});
  bench.enqueue("a", {{"mime.type", "text/plain"}});
  bench.enqueue("b", {{"mime.type", "text/plain"}});
  bench.run(2);
  EXPECT_EQ(bench.outputs("merged").at(0).attribute("mime.type"), "text/plain");
}

TEST(MergeContent, TerminationSignal) {
  TestBench bench(merge_content(),
                  {{"Minimum Number of Entries", "10"}, {"Bin Termination Check", "${end}"}});
  bench.enqueue("a");
  bench.enqueue("b", {{"end", "true"}});
  bench.enqueue("c");
  bench.run(3);
  ASSERT_EQ(bench.count("merged"), 1u);
  EXPECT_EQ(bench.outputs("merged")[0].content, "ab");
  EXPECT_EQ(bench.outputs("merged")[0].attribute("merge.reason"), "BIN_TERMINATION_SIGNAL");
  EXPECT_EQ(bench.queued(), 1u);
}

}  // namespace
}  // namespace weir::processors
