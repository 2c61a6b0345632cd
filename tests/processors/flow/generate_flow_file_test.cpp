#include "processors/flow/generate_flow_file.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

TEST(GenerateFlowFile, ABatchSharesOneContent) {
  TestBench bench(generate_flow_file(), {{"File Size", "1 KB"}, {"Batch Size", "10"}});
  bench.run();
  const auto outputs = bench.outputs("success");
  ASSERT_EQ(outputs.size(), 10u);
  for (const auto& output : outputs) {
    EXPECT_EQ(output.content.size(), 1024u);
    EXPECT_EQ(output.content, outputs[0].content);
    EXPECT_EQ(output.attribute("filename"), output.attribute("uuid"));
  }
  EXPECT_EQ(bench.content_bytes_stored(), 1024u);
  EXPECT_EQ(bench.count_events("CREATE"), 10u);
}

TEST(GenerateFlowFile, UniqueOnesDiffer) {
  TestBench bench(generate_flow_file(), {{"File Size", "100 B"},
                                         {"Batch Size", "5"},
                                         {"Unique FlowFiles", "true"},
                                         {"Data Format", "Binary"}});
  bench.run();
  std::set<std::string> contents;
  for (const auto& output : bench.outputs("success")) contents.insert(output.content);
  EXPECT_EQ(contents.size(), 5u);
}

TEST(GenerateFlowFile, LargeContentsAreMadeInPieces) {
  TestBench bench(generate_flow_file(), {{"File Size", "1000001 B"}});
  bench.run();
  EXPECT_EQ(bench.outputs("success")[0].content.size(), 1'000'001u);
}

TEST(GenerateFlowFile, CustomTextAndAttributes) {
  TestBench bench(generate_flow_file(), {{"Custom Text", "gr\xC3\xBC\xC3\x9F"},
                                         {"character-set", "ISO-8859-1"},
                                         {"mime-type", "text/plain"},
                                         {"env", "prod"}});
  bench.run(2);
  const auto outputs = bench.outputs("success");
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].content, "gr\xFC\xDF");
  EXPECT_EQ(outputs[0].attribute("mime.type"), "text/plain");
  EXPECT_EQ(outputs[1].attribute("env"), "prod");
}

TEST(GenerateFlowFile, ExpressionsAreEvaluatedOnceABatch) {
  TestBench bench(generate_flow_file(), {{"Custom Text", "v=${literal(7):plus(1)} ${UUID()}"},
                                         {"Batch Size", "3"},
                                         {"id", "${UUID()}"},
                                         {"mime.type", "by/name"},
                                         {"mime-type", "by/property"}});
  bench.run(2);
  const auto outputs = bench.outputs("success");
  ASSERT_EQ(outputs.size(), 6u);
  EXPECT_TRUE(outputs[0].content.starts_with("v=8 "));
  EXPECT_EQ(outputs[0].content, outputs[2].content);
  EXPECT_EQ(outputs[0].attribute("id"), outputs[2].attribute("id"));
  EXPECT_NE(outputs[0].content, outputs[3].content);
  EXPECT_NE(outputs[0].attribute("id"), outputs[3].attribute("id"));
  EXPECT_EQ(outputs[0].attribute("mime.type"), "by/property");
}

TEST(GenerateFlowFile, CustomTextNeedsSharedText) {
  EXPECT_FALSE(TestBench(generate_flow_file(), {{"Custom Text", "x"}, {"Unique FlowFiles", "true"}})
                   .validate()
                   .empty());
  EXPECT_FALSE(TestBench(generate_flow_file(), {{"Custom Text", "x"}, {"Data Format", "Binary"}})
                   .validate()
                   .empty());
  EXPECT_FALSE(TestBench(generate_flow_file(), {{"Batch Size", "0"}}).validate().empty());
  EXPECT_FALSE(TestBench(generate_flow_file(), {{"Custom Text", ""}}).validate().empty());
}

}  // namespace
}  // namespace weir::processors
