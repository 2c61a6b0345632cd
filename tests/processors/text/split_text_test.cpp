#include "processors/text/split_text.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

std::vector<std::string> split(bench::Values properties, std::string text) {
  TestBench bench(split_text(), std::move(properties));
  bench.enqueue(std::move(text));
  bench.run();
  EXPECT_FALSE(bench.last_error());
  std::vector<std::string> contents;
  for (const auto& output : bench.outputs("splits")) {
    EXPECT_EQ(output.attribute("fragment.size"), std::to_string(output.content.size()));
    EXPECT_EQ(output.attribute("fragment.count"), std::to_string(bench.count("splits")));
    contents.push_back(output.content);
  }
  return contents;
}

using Strings = std::vector<std::string>;

// R091: one rule of what a line is.
TEST(SplitText, ALineEndsWithLfCrlfOrLoneCr) {
  EXPECT_EQ(
      split({{"Line Split Count", "1"}, {"Remove Trailing Newlines", "false"}}, "a\rb\nc\r\nd"),
      (Strings{"a\r", "b\n", "c\r\n", "d"}));
  EXPECT_EQ(split({{"Line Split Count", "1"}}, "x"), Strings{"x"});
  EXPECT_EQ(split({{"Line Split Count", "1"}}, ""), Strings{});
  EXPECT_EQ(split({{"Line Split Count", "1"}}, "\r\r"), Strings{});
  EXPECT_EQ(split({{"Line Split Count", "1"}}, "\xEF\xBB\xBFz\n"), Strings{"\xEF\xBB\xBFz"});
}

TEST(SplitText, CrlfAcrossTheBuffersBorder) {
  for (const std::size_t size : {131'070, 131'071, 131'072, 131'073}) {
    const std::string line(size, 'a');
    EXPECT_EQ(split({{"Line Split Count", "1"}}, line + "\r\nb"), (Strings{line, "b"})) << size;
  }
}

// R050: trimming and the size limit gave wrong output together.
TEST(SplitText, FragmentsAreTheInputWithoutTheDocumentedTrims) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = "a" + end + end + "bb" + end + end + end + "ccc";
    for (const char* header : {"0", "1"}) {
      for (const char* size : {"4 B", "6 B", "100 B"}) {
        const Strings whole = split({{"Line Split Count", "0"},
                                     {"Maximum Fragment Size", size},
                                     {"Header Line Count", header},
                                     {"Remove Trailing Newlines", "false"}},
                                    text);
        const std::string head = *header == '1' ? "a" + end : "";
        std::string joined = head;
        for (const std::string& fragment : whole) {
          EXPECT_TRUE(fragment.starts_with(head));
          joined += fragment.substr(head.size());
        }
        EXPECT_EQ(joined, text);
        const Strings trimmed = split({{"Line Split Count", "0"},
                                       {"Maximum Fragment Size", size},
                                       {"Header Line Count", header}},
                                      text);
        for (const std::string& fragment : trimmed) {
          // Of blank lines alone only the header is left, trimmed as well.
          if (fragment.size() < head.size()) {
            EXPECT_EQ(fragment, "a");
            continue;
          }
          EXPECT_NE(text.find(fragment.substr(head.size())), std::string::npos);
        }
        EXPECT_LE(trimmed.size(), whole.size());
      }
    }
  }
}

TEST(SplitText, NothingIsCopiedWithoutHeader) {
  TestBench bench(split_text(), {{"Line Split Count", "1"}});
  bench.enqueue("one\ntwo\nthree\n");
  bench.run();
  EXPECT_EQ(bench.content_bytes_stored(), 14u);
  EXPECT_EQ(bench.count_events("FORK"), 3u);
}

// NiFi loses "b" here.
TEST(SplitText, AMarkerThatMatchesNothingLosesNothing) {
  EXPECT_EQ(split({{"Line Split Count", "2"}, {"Header Line Marker Characters", "#"}},
                  "a\n# no header\nb\n"),
            (Strings{"a\n# no header", "b"}));
}

TEST(SplitText, OnlyAHeader) {
  EXPECT_EQ(split({{"Line Split Count", "1"}, {"Header Line Count", "1"}}, "head\n"),
            Strings{"head"});
}

TEST(SplitText, FailuresStayAsTheyWere) {
  TestBench bench(split_text(), {{"Line Split Count", "1"}, {"Header Line Count", "3"}});
  bench.enqueue("a\nb\n");
  bench.run();
  EXPECT_EQ(bench.outputs("failure").at(0).content, "a\nb\n");
}

TEST(SplitText, ZeroLinesNeedASize) {
  EXPECT_FALSE(TestBench(split_text(), {{"Line Split Count", "0"}}).validate().empty());
}

// More fragments than one commit holds: the original goes back with its progress.
TEST(SplitText, ManyFragmentsTakeSeveralCommits) {
  constexpr int lines = 45'000;
  std::string text;
  for (int i = 0; i < lines; ++i) text += std::to_string(i) + "\n";
  TestBench bench(split_text(), {{"Line Split Count", "1"}});
  bench.enqueue(text);
  bench.run();
  EXPECT_EQ(bench.count("splits"), 20'000u);
  EXPECT_EQ(bench.count("original"), 0u);
  bench.stop();  // as a restart would
  bench.run(2);
  ASSERT_EQ(bench.count("splits"), std::size_t{lines});
  ASSERT_EQ(bench.count("original"), 1u);
  const auto outputs = bench.outputs("splits");
  const std::string identifier = outputs[0].attribute("fragment.identifier");
  for (int i = 0; i < lines; ++i) {
    const auto& output = outputs[static_cast<std::size_t>(i)];
    ASSERT_EQ(output.content, std::to_string(i));
    ASSERT_EQ(output.attribute("fragment.index"), std::to_string(i + 1));
    ASSERT_EQ(output.attribute("fragment.count"), std::to_string(lines));
    ASSERT_EQ(output.attribute("fragment.identifier"), identifier);
    ASSERT_FALSE(output.attributes.contains("weir.split.offset"));
  }
  EXPECT_FALSE(bench.outputs("original")[0].attributes.contains("weir.split.offset"));
  EXPECT_EQ(bench.outputs("original")[0].attribute("fragment.count"), std::to_string(lines));
}

}  // namespace
}  // namespace weir::processors
