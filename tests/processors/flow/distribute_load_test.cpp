#include "processors/flow/distribute_load.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

void enqueue(TestBench& bench, int count) {
  for (int i = 0; i < count; ++i) bench.enqueue("x");
}

TEST(DistributeLoad, RoundRobinByWeight) {
  TestBench bench(distribute_load(), {{"Number of Relationships", "2"}, {"2", "3"}});
  enqueue(bench, 8);
  bench.run(8);
  EXPECT_EQ(bench.count("1"), 2u);
  EXPECT_EQ(bench.count("2"), 6u);
  EXPECT_EQ(bench.outputs("2")[0].attribute("distribute.load.relationship"), "2");
  EXPECT_EQ(bench.count_events("ROUTE:2"), 6u);
}

TEST(DistributeLoad, RoundRobinWaitsForAll) {
  TestBench bench(distribute_load(), {{"Number of Relationships", "2"}});
  bench.make_unavailable("2");
  enqueue(bench, 1);
  bench.run();
  EXPECT_TRUE(bench.yielded());
  EXPECT_EQ(bench.queued(), 1u);
}

TEST(DistributeLoad, NextAvailableSkipsFullOnes) {
  TestBench bench(distribute_load(),
                  {{"Number of Relationships", "3"}, {"Distribution Strategy", "next available"}});
  bench.make_unavailable("2");
  enqueue(bench, 6);
  bench.run(6);
  EXPECT_EQ(bench.count("1") + bench.count("3"), 6u);
  EXPECT_EQ(bench.count("2"), 0u);
}

TEST(DistributeLoad, OverflowTakesTheFirstWithRoom) {
  TestBench bench(distribute_load(),
                  {{"Number of Relationships", "3"}, {"Distribution Strategy", "overflow"}});
  bench.make_unavailable("1");
  enqueue(bench, 4);
  bench.run(4);
  EXPECT_EQ(bench.count("2"), 4u);
}

TEST(DistributeLoad, AllFullYields) {
  TestBench bench(distribute_load(), {{"Distribution Strategy", "overflow"}});
  bench.make_unavailable("1");
  enqueue(bench, 1);
  bench.run();
  EXPECT_TRUE(bench.yielded());
  EXPECT_EQ(bench.queued(), 1u);
}

TEST(DistributeLoad, WeightsNameRelationships) {
  EXPECT_FALSE(TestBench(distribute_load(), {{"2", "1"}}).validate().empty());
  EXPECT_FALSE(TestBench(distribute_load(), {{"1", "0"}}).validate().empty());
  EXPECT_FALSE(TestBench(distribute_load(), {{"x", "1"}}).validate().empty());
  EXPECT_FALSE(TestBench(distribute_load(), {{"Number of Relationships", "0"}}).validate().empty());
  EXPECT_TRUE(TestBench(distribute_load(), {{"1", "4"}}).validate().empty());
}

TEST(DistributeLoad, AWeightsNameIsANumberHoweverItIsWritten) {
  TestBench bench(distribute_load(), {{"Number of Relationships", "2"}, {"02", "3"}});
  enqueue(bench, 4);
  bench.run(4);
  EXPECT_EQ(bench.count("2"), 3u);
}

}  // namespace
}  // namespace weir::processors
