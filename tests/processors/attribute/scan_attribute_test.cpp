#include "processors/attribute/scan_attribute.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;

class ScanAttribute : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("weir-scan-") + test->name() + "-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "terms.txt";
    write("alpha\nbeta\r\n\n  \ngamma", 0);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Changes of the same second must show, so the time is given.
  void write(const std::string& text, int seconds) {
    std::ofstream(file_, std::ios::binary) << text;
    const std::filesystem::file_time_type start{};
    std::filesystem::last_write_time(file_, start + std::chrono::seconds(seconds));
  }
  bool matches(Values properties, Values attributes) {
    properties["Dictionary File"] = file_.native();
    TestBench bench(scan_attribute(), std::move(properties));
    bench.enqueue("x", std::move(attributes));
    bench.run();
    EXPECT_EQ(bench.count("matched") + bench.count("unmatched"), 1u);
    return bench.count("matched") == 1;
  }

  std::filesystem::path folder_;
  std::filesystem::path file_;
};

TEST_F(ScanAttribute, OneValueInTheDictionaryIsEnough) {
  EXPECT_TRUE(matches({}, {{"a", "beta"}, {"b", "nothing"}}));
  EXPECT_TRUE(matches({}, {{"a", "gamma"}}));
  EXPECT_FALSE(matches({}, {{"a", "Beta"}}));
  EXPECT_FALSE(matches({}, {{"a", "beta "}}));
  EXPECT_FALSE(matches({}, {{"a", ""}, {"b", "  "}}));
}

TEST_F(ScanAttribute, OnlyTheAttributesMeant) {
  EXPECT_TRUE(matches({{"Attribute Pattern", "k.*"}}, {{"k1", "beta"}}));
  EXPECT_FALSE(matches({{"Attribute Pattern", "k.*"}}, {{"ak", "beta"}}));
}

TEST_F(ScanAttribute, AllMustMatch) {
  const Values all = {{"Attribute Pattern", "k.*"}, {"Match Criteria", "All Must Match"}};
  EXPECT_TRUE(matches(all, {{"k1", "beta"}, {"k2", "alpha"}}));
  EXPECT_FALSE(matches(all, {{"k1", "beta"}, {"k2", "delta"}}));
  EXPECT_TRUE(matches(all, {{"other", "delta"}}));
  // The uuid is an attribute too, and in no dictionary.
  EXPECT_FALSE(
      matches({{"Match Criteria", "All Must Match"}}, {{"filename", "alpha"}, {"path", "beta"}}));
}

TEST_F(ScanAttribute, TheFilterChoosesLinesAndPartsOfThem) {
  write("one:1\ntwo:2\nplain\n", 1);
  const Values part = {{"Dictionary Filter Pattern", "(\\w+):.*"}};
  EXPECT_TRUE(matches(part, {{"a", "one"}}));
  EXPECT_FALSE(matches(part, {{"a", "two:2"}}));
  EXPECT_FALSE(matches(part, {{"a", "plain"}}));
  EXPECT_TRUE(matches({{"Dictionary Filter Pattern", "\\w+"}}, {{"a", "plain"}}));
}

TEST_F(ScanAttribute, ReadsTheFileAgainWhenItChanged) {
  TestBench bench(scan_attribute(), {{"Dictionary File", file_.native()}});
  bench.enqueue("x", {{"a", "new"}});
  bench.run();
  EXPECT_EQ(bench.count("unmatched"), 1u);
  write("new\n", 1);
  bench.advance(std::chrono::milliseconds(1001));
  bench.enqueue("x", {{"a", "new"}});
  bench.run();
  EXPECT_EQ(bench.count("matched"), 1u);
}

TEST_F(ScanAttribute, AFileThatVanishedLeavesTheOldTerms) {
  TestBench bench(scan_attribute(), {{"Dictionary File", file_.native()}});
  bench.run();
  std::filesystem::remove(file_);
  bench.advance(std::chrono::milliseconds(1001));
  bench.enqueue("x", {{"a", "alpha"}});
  bench.run();
  EXPECT_EQ(bench.count("matched"), 1u);
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 1u);
}

TEST_F(ScanAttribute, Validation) {
  const auto is_valid = [&](Values properties) {
    properties.try_emplace("Dictionary File", file_.native());
    return TestBench(scan_attribute(), std::move(properties)).validate().empty();
  };
  EXPECT_TRUE(is_valid({}));
  EXPECT_FALSE(is_valid({{"Dictionary File", "/no/such/dictionary"}}));
  EXPECT_FALSE(is_valid({{"Dictionary Filter Pattern", "(a)(b)"}}));
  EXPECT_FALSE(is_valid({{"Attribute Pattern", "["}}));
}

}  // namespace
}  // namespace weir::processors
