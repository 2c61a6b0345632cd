#include "processors/content/modify_bytes.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

std::string left(Values properties) {
  TestBench bench(modify_bytes(), std::move(properties));
  bench.enqueue("abcdef", {{"n", "1 B"}});
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.count_events("CONTENT_MODIFIED"), 1u);
  EXPECT_EQ(bench.content_bytes_stored(), 6u);  // nothing is copied
  return bench.outputs("success").at(0).content;
}

TEST(ModifyBytes, TakesBytesOffBothEnds) {
  EXPECT_EQ(left({}), "abcdef");
  EXPECT_EQ(left({{"Start Offset", "2 B"}}), "cdef");
  EXPECT_EQ(left({{"End Offset", "2 B"}}), "abcd");
  EXPECT_EQ(left({{"Start Offset", "${n}"}, {"End Offset", "${n}"}}), "bcde");
}

TEST(ModifyBytes, MoreThanThereIsLeavesNothing) {
  EXPECT_EQ(left({{"Start Offset", "3 B"}, {"End Offset", "3 B"}}), "");
  EXPECT_EQ(left({{"Start Offset", "10 B"}}), "");
  EXPECT_EQ(left({{"Start Offset", "4 B"}, {"End Offset", "9 TB"}}), "");
  EXPECT_EQ(left({{"Remove All Content", "true"}}), "");
}

TEST(ModifyBytes, ABadOffsetRollsBackThatFlowFileAlone) {
  TestBench bench(modify_bytes(), {{"Start Offset", "${n}"}, {"Remove All Content", "true"}});
  bench.enqueue("abc", {{"n", "1 B"}});
  bench.enqueue("abc", {{"n", "some"}});
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u);
  bench.run();
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.queued(), 1u);
}

TEST(ModifyBytes, Validation) {
  EXPECT_FALSE(TestBench(modify_bytes(), {{"Start Offset", "-1 B"}}).validate().empty());
  EXPECT_FALSE(TestBench(modify_bytes(), {{"Start Offset", "1"}}).validate().empty());
}

}  // namespace
}  // namespace weir::processors
