#include "processors/content/segment_content.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

TEST(SegmentContent, SegmentsShareTheBytes) {
  TestBench bench(segment_content(), {{"Segment Size", "4 B"}});
  bench.enqueue("0123456789");
  bench.run();
  const auto segments = bench.outputs("segments");
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[0].content + segments[1].content + segments[2].content, "0123456789");
  EXPECT_EQ(bench.content_bytes_stored(), 10u);
  EXPECT_EQ(bench.outputs("original")[0].attribute("fragment.count"), "3");
  EXPECT_EQ(bench.count_events("FORK"), 3u);
}

TEST(SegmentContent, NoSizeRollsBack) {
  TestBench bench(segment_content(), {{"Segment Size", "${n}"}});
  bench.enqueue("abc", {{"n", "0 B"}});
  bench.run();
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.queued(), 1u);
}

}  // namespace
}  // namespace weir::processors
