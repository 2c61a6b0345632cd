#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "engine/flow/write.h"
#include "tests/engine/flow/test_flow.h"

namespace weir::flow {
namespace {

// Damages a sample as a person or a disk might: a byte, a piece gone, a piece moved, a word
// swapped for another one of the format.
std::string mutate(std::string text, std::mt19937_64& random) {
  static const std::vector<std::string> words = {"null",
                                                 "true",
                                                 "-1",
                                                 "1e9",
                                                 "\"\"",
                                                 "[]",
                                                 "{}",
                                                 "{",
                                                 "]",
                                                 ",",
                                                 "\"x\"",
                                                 "[\"\"]",
                                                 "\"#{p}\"",
                                                 "\xff",
                                                 "99999999999999999999",
                                                 "\"type\"",
                                                 "{\"service\": \"x\"}",
                                                 "//",
                                                 "\\u0000"};
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  const std::size_t changes = 1 + below(4);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    const std::size_t size = std::min<std::size_t>(1 + below(40), text.size() - at);
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, size));
        break;
      case 3:
        text.insert(at, words[below(words.size())]);
        break;
      default: {  // a whole value
        const std::size_t colon = text.find(':', at);
        const std::size_t end = text.find_first_of(",}]", std::min(colon, text.size()));
        if (end == std::string::npos) break;
        text.replace(colon + 1, end - colon - 1, words[below(words.size())]);
      }
    }
  }
  return text;
}

void expect_places(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) {
    EXPECT_EQ(problem.file, "flow.json");
    EXPECT_FALSE(problem.message.empty());
    EXPECT_GE(problem.place.line, 1u) << problem.to_string();
    EXPECT_GE(problem.place.column, 1u) << problem.to_string();
  }
}

TEST(FlowFuzz, DamagedFlowsNeverCrashAndEveryProblemHasAPlace) {
  const char* const given = std::getenv("WEIR_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "WEIR_SEED=" << seed << '\n';
  const char* const loops = std::getenv("WEIR_LOOPS");
  const std::uint64_t rounds = 60 * (loops ? std::strtoull(loops, nullptr, 10) : 1);
  std::mt19937_64 random(seed);
  std::size_t read_count = 0;
  for (const std::string& name : test::flow_samples()) {
    const std::string text = test::sample(name);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const auto result = read_flow(mutate(text, random), "flow.json");
      if (!result) {
        EXPECT_FALSE(result.error().empty());
        expect_places(result.error());
        continue;
      }
      ++read_count;
      expect_places(result->problems);
      expect_places(check_flow(result->flow, test::test_registry()).problems);
      // What was read can be written, and what was written is a flow again.
      EXPECT_TRUE(read_flow(write_nifi_flow(result->flow), "flow.json").has_value());
      EXPECT_TRUE(read_flow(write_short_flow(result->flow), "flow.json").has_value());
    }
  }
  EXPECT_GT(read_count, 0u);
}

TEST(FlowFuzz, EveryTruncationIsRefused) {
  const std::string text = test::sample("short.json");
  const std::size_t end = text.find_last_of('}');
  for (std::size_t size = 0; size <= end; size += 7) {
    const auto result = read_flow(text.substr(0, size), "flow.json");
    ASSERT_FALSE(result.has_value()) << size;
    expect_places(result.error());
  }
}

}  // namespace
}  // namespace weir::flow
