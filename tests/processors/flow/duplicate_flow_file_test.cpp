#include "processors/flow/duplicate_flow_file.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

TEST(DuplicateFlowFile, CopiesShareTheContent) {
  TestBench bench(duplicate_flow_file(), {{"Number of Copies", "3"}});
  bench.enqueue("0123456789");
  bench.run();
  const auto outputs = bench.outputs("success");
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_EQ(outputs[3].attribute("copy.index"), "0");
  for (const auto& output : outputs) EXPECT_EQ(output.content, "0123456789");
  EXPECT_EQ(bench.content_bytes_stored(), 10u);
  EXPECT_EQ(bench.count_events("CLONE"), 3u);
}

TEST(DuplicateFlowFile, TheCountMayComeFromAttributes) {
  TestBench bench(duplicate_flow_file(), {{"Number of Copies", "${n:plus(1)}"}});
  bench.enqueue("x", {{"n", "1"}, {"copy.index", "9"}});
  bench.enqueue("x", {{"n", "-5"}});
  bench.run(2);
  const auto outputs = bench.outputs("success");
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_EQ(outputs[1].attribute("copy.index"), "2");
  EXPECT_EQ(outputs[3].attribute("copy.index"), "0");  // less than none is none
}

TEST(DuplicateFlowFile, ABadCountLeavesTheFlowFileInItsQueue) {
  TestBench bench(duplicate_flow_file(), {{"Number of Copies", "${n}"}});
  bench.enqueue("x", {{"n", "abc"}});
  bench.enqueue("x", {{"n", "3000000000"}});
  bench.enqueue("x", {{"n", ""}});
  bench.enqueue("x", {{"n", " 2 "}});
  for (int i = 0; i < 3; ++i) {
    bench.run();
    EXPECT_TRUE(bench.last_error());
  }
  EXPECT_EQ(bench.queued(), 4u);
  bench.run();
  EXPECT_EQ(bench.count("success"), 3u);
}

}  // namespace
}  // namespace weir::processors
