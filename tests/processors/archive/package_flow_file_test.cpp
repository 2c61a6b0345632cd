#include "processors/archive/package_flow_file.h"

#include <gtest/gtest.h>

#include "processors/archive/unpack_content.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

TEST(PackageFlowFile, WhatWasPackedComesOutOfUnpackContent) {
  TestBench packer(package_flow_file(), {{"max-batch-size", "10"}});
  packer.enqueue("one", {{"filename", "a"}, {"k", "v"}, {"mime.type", "text/plain"}});
  packer.enqueue("", {{"filename", "b"}, {"path", "p/"}});
  packer.run();
  ASSERT_EQ(packer.count("success"), 1u);
  EXPECT_EQ(packer.count("original"), 2u);
  const auto package = packer.outputs("success")[0];
  EXPECT_EQ(package.attribute("mime.type"), "application/flowfile-v3");

  TestBench unpacker(unpack_content());
  unpacker.enqueue(package.content, {{"mime.type", package.attribute("mime.type")}});
  unpacker.run();
  ASSERT_EQ(unpacker.count("success"), 2u);
  const auto outputs = unpacker.outputs("success");
  EXPECT_EQ(outputs[0].content, "one");
  EXPECT_EQ(outputs[0].attribute("k"), "v");
  EXPECT_EQ(outputs[0].attribute("mime.type"), "text/plain");
  EXPECT_EQ(outputs[1].attribute("filename"), "b");
  EXPECT_EQ(outputs[1].attribute("path"), "p/");
  // A FlowFile of its own has a uuid of its own.
  EXPECT_NE(outputs[0].attribute("uuid"), packer.outputs("original")[0].attribute("uuid"));
}

TEST(PackageFlowFile, BatchesEndAtTheirBounds) {
  TestBench bench(package_flow_file(),
                  {{"max-batch-size", "3"}, {"Maximum Batch Content Size", "10 B"}});
  for (const std::size_t size : {4, 4, 4, 20, 1, 1, 1, 1}) bench.enqueue(std::string(size, 'x'));
  bench.run(5);
  // Two that fit, then one that the large one stops, the large one alone, then three by number.
  EXPECT_EQ(bench.queued(), 0u);
  EXPECT_EQ(bench.count("success"), 5u);
  EXPECT_EQ(bench.count("original"), 8u);
}

TEST(PackageFlowFile, AnEmptyQueueGivesNothing) {
  TestBench bench(package_flow_file());
  bench.run();
  EXPECT_EQ(bench.count("success"), 0u);
}

}  // namespace
}  // namespace weir::processors
