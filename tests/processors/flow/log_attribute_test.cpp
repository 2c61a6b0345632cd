#include "processors/flow/log_attribute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using testing::HasSubstr;
using testing::Not;

std::string message(bench::Values properties, std::string content = "x",
                    LogLevel level = LogLevel::info) {
  TestBench bench(log_attribute(), std::move(properties));
  bench.enqueue(std::move(content), {{"a", "1"}, {"b", "2"}});
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.messages(level).size(), 1u);
  return bench.messages(level).empty() ? "" : bench.messages(level)[0];
}

TEST(LogAttribute, LogsPropertiesAndAttributes) {
  const std::string text = message({});
  EXPECT_THAT(text, HasSubstr("FlowFile Properties\nKey: 'entryDate'\n\tValue: '"));
  EXPECT_THAT(text, HasSubstr("Key: 'fileSize'\n\tValue: '1'"));
  EXPECT_THAT(text, HasSubstr("FlowFile Attribute Map Content\nKey: 'a'\n\tValue: '1'"));
  EXPECT_THAT(text, HasSubstr("Key: 'uuid'"));
}

TEST(LogAttribute, PrefixAndLevel) {
  const std::string text =
      message({{"Log prefix", "here"}, {"Log Level", "warn"}}, "x", LogLevel::warn);
  EXPECT_THAT(text, HasSubstr("\n-----------------------here-----------------------\n"));
}

TEST(LogAttribute, IgnoresWhatIsToBeIgnored) {
  const std::string text = message({{"Attributes to Ignore", "a, uuid"},
                                    {"attributes-to-ignore-regex", "file.*"},
                                    {"Output Format", "Single Line"},
                                    {"Log FlowFile Properties", "false"}});
  EXPECT_THAT(text, HasSubstr("FlowFile Properties: {b=2, path=./}"));
}

TEST(LogAttribute, AnUnknownCharacterSetFromAttributesRollsBack) {
  TestBench bench(log_attribute(), {{"Log Payload", "true"}, {"character-set", "${set}"}});
  bench.enqueue("x", {{"set", "klingon"}});
  bench.run();
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.queued(), 1u);
}

TEST(LogAttribute, PayloadOnlyWhereSmall) {
  EXPECT_THAT(message({{"Log Payload", "true"}}, "p\xFFq"), HasSubstr("\np\xEF\xBF\xBDq"));
  EXPECT_THAT(message({{"Log Payload", "true"}}, std::string(1 << 20, 'z')),
              HasSubstr("Not including payload since it is larger than one mb."));
  EXPECT_THAT(message({}, "secret"), Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace weir::processors
