#include "processors/text/scan_content.h"

#include <gtest/gtest.h>

#include "processors/text/term_search.h"
#include "tests/processors/text/dictionary_file.h"
#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

// The term that is found; "" where none is.
std::string scan(TestBench& bench, std::string content) {
  bench.forget_outputs();
  bench.enqueue(std::move(content));
  bench.run();
  EXPECT_FALSE(bench.last_error()) << *bench.last_error();
  if (bench.count("unmatched") == 1) return "";
  return bench.outputs("matched").at(0).attribute("matching.term");
}

TEST(ScanContent, FindsTheFirstTerm) {
  const DictionaryFile file("alpha\nbeta\r\ngamma\neta\nhers\nhe\n\nnever\n");
  TestBench bench(scan_content(), {{"Dictionary File", file.path()}});
  EXPECT_EQ(scan(bench, "a gamma and alpha"), "gamma");
  EXPECT_EQ(scan(bench, "xbetax"), "beta");
  EXPECT_EQ(scan(bench, "alphbeteta"), "eta");
  EXPECT_EQ(scan(bench, "hers"), "he");
  EXPECT_EQ(scan(bench, "ALPHA"), "");
  EXPECT_EQ(scan(bench, "never"), "");
  EXPECT_EQ(scan(bench, ""), "");
  for (const std::size_t size : {65'533, 65'534, 65'535, 65'536}) {
    EXPECT_EQ(scan(bench, repeated(size, 'a') + "lpha"), "alpha");
  }
}

TEST(ScanContent, BinaryTerms) {
  const DictionaryFile file(std::string("\0\0\0\2\xFF\0\0\0\0\1x", 11));
  TestBench bench(scan_content(),
                  {{"Dictionary File", file.path()}, {"Dictionary Encoding", "binary"}});
  EXPECT_EQ(scan(bench, std::string("a\xFF\0b", 4)), std::string("\uFFFD\0", 4));
  EXPECT_EQ(scan(bench, "ax"), "x");
}

TEST(ScanContent, FindsWhatALookAtEachPlaceFinds) {
  std::uint64_t seed = 7;
  const auto next = [&] {
    return (seed = seed * 6364136223846793005ull + 1442695040888963407ull) >> 33;
  };
  const auto random_text = [&](std::size_t length) {
    std::string text;
    while (text.size() < length) text += static_cast<char>('a' + next() % 3);
    return text;
  };
  for (int round = 0; round < 300; ++round) {
    Strings terms;
    while (terms.size() < 6) terms.push_back(random_text(2 + next() % 5));
    const std::string text = random_text(40);
    std::string wanted;
    for (std::size_t end = 1; end <= text.size() && wanted.empty(); ++end) {
      for (const std::string& term : terms) {
        if (text.substr(0, end).ends_with(term) && term.size() > wanted.size()) wanted = term;
      }
    }
    const TermSearch search(terms);
    TermSearch::Run run(search);
    const bool found = run.add(text.substr(0, 20)) || run.add(text.substr(20));
    ASSERT_EQ(found ? run.found() : "", wanted);
  }
}

TEST(ScanContent, ReadsTheDictionaryAgainWhenItChanged) {
  DictionaryFile file("one\n");
  TestBench bench(scan_content(), {{"Dictionary File", file.path()}});
  EXPECT_EQ(scan(bench, "one two"), "one");
  file.write("two\n");
  EXPECT_EQ(scan(bench, "one two"), "one");
  bench.advance(std::chrono::seconds(61));
  EXPECT_EQ(scan(bench, "one two"), "two");
  file.remove();
  bench.advance(std::chrono::seconds(61));
  EXPECT_EQ(scan(bench, "one two"), "two");
}

TEST(ScanContent, ADictionaryThatCannotBeReadRollsBack) {
  for (const std::string& bytes :
       {std::string(""), std::string("\0\0\0\5ab", 6), std::string("\0\0\0\0", 4)}) {
    const DictionaryFile file(bytes);
    TestBench bench(scan_content(),
                    {{"Dictionary File", file.path()}, {"Dictionary Encoding", "binary"}});
    bench.enqueue("a");
    bench.run();
    EXPECT_TRUE(bench.last_error());
    EXPECT_EQ(bench.queued(), 1u);
  }
  EXPECT_FALSE(TestBench(scan_content(), {{"Dictionary File", "/no/such"}}).validate().empty());
}

}  // namespace
}  // namespace weir::processors
