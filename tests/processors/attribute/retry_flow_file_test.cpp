#include "processors/attribute/retry_flow_file.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

constexpr const char* other_processor = "33333333-3333-3333-3333-333333333333";

TEST(RetryFlowFile, CountsUntilTheLimit) {
  TestBench bench(retry_flow_file(),
                  {{"maximum-retries", "2"}, {"gave.up", "after ${flowfile.retries}"}});
  bench.enqueue("x");
  bench.enqueue("x", {{"flowfile.retries", " 1 "}});
  bench.enqueue("x", {{"flowfile.retries", "2"}});
  bench.run();
  const auto again = bench.outputs("retry");
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].attribute("flowfile.retries"), "1");
  EXPECT_EQ(again[0].attribute("flowfile.retries.uuid"), bench.component_id());
  EXPECT_TRUE(again[0].penalized);
  EXPECT_EQ(again[1].attribute("flowfile.retries"), "2");
  const auto exceeded = bench.outputs("retries_exceeded");
  ASSERT_EQ(exceeded.size(), 1u);
  EXPECT_FALSE(exceeded[0].penalized);
  EXPECT_FALSE(exceeded[0].attributes.contains("flowfile.retries"));
  EXPECT_FALSE(exceeded[0].attributes.contains("flowfile.retries.uuid"));
  EXPECT_EQ(exceeded[0].attribute("gave.up"), "after 2");
}

TEST(RetryFlowFile, ACounterThatIsNoNumberIsResetOrFails) {
  TestBench resets(retry_flow_file(), {{"penalize-retries", "false"}});
  resets.enqueue("x", {{"flowfile.retries", "many"}});
  resets.run();
  ASSERT_EQ(resets.count("retry"), 1u);
  EXPECT_EQ(resets.outputs("retry")[0].attribute("flowfile.retries"), "1");
  EXPECT_FALSE(resets.outputs("retry")[0].penalized);
  TestBench fails(retry_flow_file(), {{"Fail on Non-numerical Overwrite", "true"}});
  fails.enqueue("x", {{"flowfile.retries", "many"}});
  fails.run();
  EXPECT_EQ(fails.count("failure"), 1u);
  EXPECT_EQ(fails.messages(LogLevel::error).size(), 1u);
}

TEST(RetryFlowFile, AnotherProcessorsCounter) {
  const Values counted = {{"flowfile.retries", "9"}, {"flowfile.retries.uuid", other_processor}};
  TestBench fails(retry_flow_file());
  fails.enqueue("x", counted);
  fails.run();
  EXPECT_EQ(fails.count("failure"), 1u);
  TestBench warns(retry_flow_file(), {{"reuse-mode", "warn"}});
  warns.enqueue("x", counted);
  warns.run();
  EXPECT_EQ(warns.outputs("retry")[0].attribute("flowfile.retries"), "1");
  EXPECT_EQ(warns.messages(LogLevel::warn).size(), 1u);
  TestBench resets(retry_flow_file(), {{"reuse-mode", "reset"}});
  resets.enqueue("x", counted);
  resets.run();
  EXPECT_EQ(resets.count("retry"), 1u);
  EXPECT_TRUE(resets.messages(LogLevel::warn).empty());
}

TEST(RetryFlowFile, ALimitThatIsNoNumberFails) {
  TestBench bench(retry_flow_file(), {{"maximum-retries", "${max}"}});
  bench.enqueue("x", {{"max", "lots"}});
  bench.enqueue("x");
  bench.enqueue("x", {{"max", "1"}});
  bench.run();
  EXPECT_EQ(bench.count("failure"), 2u);
  EXPECT_EQ(bench.count("retry"), 1u);
}

TEST(RetryFlowFile, AFullCounterIsPastEveryLimit) {
  TestBench bench(retry_flow_file(), {{"maximum-retries", "2147483647"}});
  bench.enqueue("x", {{"flowfile.retries", "2147483647"}});
  bench.run();
  EXPECT_EQ(bench.count("retries_exceeded"), 1u);
}

TEST(RetryFlowFile, Validation) {
  EXPECT_FALSE(TestBench(retry_flow_file(), {{"maximum-retries", "0"}}).validate().empty());
  EXPECT_FALSE(TestBench(retry_flow_file(), {{"a", ""}}).validate().empty());
}

}  // namespace
}  // namespace weir::processors
