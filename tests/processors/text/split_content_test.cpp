#include "processors/text/split_content.h"

#include <gtest/gtest.h>

#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

Strings split(const std::string& sequence, const std::string& keep, std::string content) {
  TestBench bench(split_content(), {{"Byte Sequence Format", "Text"},
                                    {"Byte Sequence", sequence},
                                    {"Keep Byte Sequence", keep.empty() ? "false" : "true"},
                                    {"Byte Sequence Location", keep.empty() ? "Trailing" : keep}});
  bench.enqueue(std::move(content));
  bench.run();
  EXPECT_FALSE(bench.last_error());
  EXPECT_EQ(bench.count("original"), 1u);
  int index = 0;
  for (const auto& output : bench.outputs("splits")) {
    EXPECT_EQ(output.attribute("fragment.index"), std::to_string(++index));
    EXPECT_EQ(output.attribute("fragment.count"), std::to_string(bench.count("splits")));
    EXPECT_EQ(output.attribute("segment.original.filename"), "in-1");
  }
  EXPECT_EQ(bench.outputs("original").at(0).attribute("fragment.count"), std::to_string(index));
  return contents(bench, "splits");
}

TEST(SplitContent, WithoutTheSequence) {
  EXPECT_EQ(split("--", "", "--one----two--"), (Strings{"one", "two"}));
  EXPECT_EQ(split("aab", "", "xaaabyaab"), (Strings{"xa", "y"}));
  EXPECT_EQ(split("zz", "", "nothing"), Strings{"nothing"});
  EXPECT_EQ(split("zz", "", ""), Strings{""});
  EXPECT_EQ(split("zz", "", "zz"), Strings{});
}

TEST(SplitContent, WithTheSequence) {
  EXPECT_EQ(split("--", "Trailing", "--one----two--"), (Strings{"--", "one--", "--", "two--"}));
  EXPECT_EQ(split("--", "Trailing", "one--two"), (Strings{"one--", "two"}));
  EXPECT_EQ(split("--", "Leading", "--one--two"), (Strings{"--one", "--two"}));
  EXPECT_EQ(split("--", "Leading", "one--two--"), (Strings{"one", "--two", "--"}));
}

TEST(SplitContent, ASequenceAcrossTheBuffersBorder) {
  for (const std::size_t size : {131'068, 131'069, 131'070, 131'071, 131'072, 131'073}) {
    const std::string first(size, 'a');
    EXPECT_EQ(split("<->", "", first + "<->b"), (Strings{first, "b"})) << size;
  }
  const std::string long_sequence = repeated(200'000, 'x') + "y";
  EXPECT_EQ(split(long_sequence, "", "a" + long_sequence + "b"), (Strings{"a", "b"}));
}

TEST(SplitContent, NothingIsCopied) {
  TestBench bench(split_content(), {{"Byte Sequence", "2C"}});
  bench.enqueue("a,b,c");
  bench.run();
  EXPECT_EQ(bench.content_bytes_stored(), 5u);
  EXPECT_EQ(contents(bench, "splits"), (Strings{"a", "b", "c"}));
}

TEST(SplitContent, HexadecimalMustBePairsOfDigits) {
  for (const char* bad : {"0", "GG", "0x0A"}) {
    EXPECT_FALSE(TestBench(split_content(), {{"Byte Sequence", bad}}).validate().empty()) << bad;
  }
}

// More fragments than one commit holds: the original goes back with its progress.
TEST(SplitContent, ManyFragmentsTakeSeveralCommits) {
  for (const char* keep : {"", "Trailing", "Leading"}) {
    TestBench bench(split_content(), {{"Byte Sequence", "0a"},
                                      {"Keep Byte Sequence", *keep ? "true" : "false"},
                                      {"Byte Sequence Location", *keep ? keep : "Trailing"}});
    bench.enqueue(many_lines(40'000));
    bench.run();
    EXPECT_EQ(bench.count("splits"), 20'000u);
    EXPECT_EQ(bench.count("original"), 0u);
    bench.stop();  // as a restart would
    bench.run(2);
    ASSERT_EQ(bench.count("original"), 1u);
    std::string joined;
    std::size_t index = 0;
    for (const auto& output : bench.outputs("splits")) {
      ASSERT_EQ(output.attribute("fragment.index"), std::to_string(++index));
      ASSERT_FALSE(output.attributes.contains("weir.split.offset"));
      joined += output.content;
      if (!*keep) joined += '\n';
    }
    EXPECT_TRUE(joined == many_lines(40'000)) << keep;
    EXPECT_EQ(bench.outputs("original")[0].attribute("fragment.count"), std::to_string(index));
  }
}

}  // namespace
}  // namespace weir::processors
