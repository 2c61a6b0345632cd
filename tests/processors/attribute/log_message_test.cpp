#include "processors/attribute/log_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;
using testing::ElementsAre;

std::vector<std::string> messages(Values properties, LogLevel level = LogLevel::info) {
  TestBench bench(log_message(), std::move(properties));
  bench.enqueue("x", {{"p", "pre "}, {"lv", "WARN"}, {"blank", "  "}});
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u);
  return bench.messages(level);
}

TEST(LogMessage, JoinsPrefixAndMessageWithoutSpace) {
  EXPECT_THAT(messages({{"log-message", "m"}, {"log-prefix", "PFX"}}), ElementsAre("PFXm"));
  EXPECT_THAT(messages({{"log-message", "${p}m"}, {"log-prefix", "${blank}"}}),
              ElementsAre("pre m"));
  EXPECT_THAT(messages({}), ElementsAre("null"));
  EXPECT_THAT(messages({{"log-prefix", "PFX"}}), ElementsAre("PFXnull"));
}

TEST(LogMessage, TheLevelMayComeFromAttributes) {
  EXPECT_THAT(messages({{"log-message", "m"}, {"log-level", "${lv}"}}, LogLevel::warn),
              ElementsAre("m"));
}

TEST(LogMessage, AnUnknownLevelRollsBack) {
  for (const char* level : {"fatal", "${none}"}) {
    TestBench bench(log_message(), {{"log-level", level}});
    bench.enqueue("x");
    bench.run();
    EXPECT_TRUE(bench.last_error());
    EXPECT_EQ(bench.queued(), 1u);
  }
}

}  // namespace
}  // namespace weir::processors
