#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <fstream>

#include "tests/flows/flow_test_run.h"

// Every *.test file of tests/flows is one test. Another folder may be named in WEIR_FLOW_TESTS.
namespace weir::flows {
namespace {

namespace fs = std::filesystem;

class FlowFileTest : public ::testing::Test {
 public:
  explicit FlowFileTest(fs::path file) : file_(std::move(file)) {}
  void TestBody() override {
    std::ifstream in(file_, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    auto test = parse_flow_test(text);
    if (!test) {
      FAIL() << file_.string() << ":" << test.error();
    }
    const char* seed = std::getenv("WEIR_SEED");
    FlowTestRun run(std::move(*test), file_.string(),
                    seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10));
    for (const auto& failure : run.run()) ADD_FAILURE() << failure;
  }

 private:
  const fs::path file_;
};

// A test of the tests: what is wrong must be told, with its line.
std::string failure_of(const std::string& steps) {
  auto test = parse_flow_test(
      "flow\n"
      "{\"funnels\": [\"in\"], \"outputPorts\": {\"out\": {\"state\": \"stopped\"}},\n"
      " \"connections\": [\"in -> out\"]}\n"
      "end\n" +
      steps);
  if (!test) return test.error();
  const auto failures = FlowTestRun(std::move(*test), "file", 1).run();
  return failures.empty() ? "" : failures.front();
}

TEST(FlowTestFormat, MistakesAreTold) {
  const std::string send = "send in -> out\n  - text a\\tb\n    colour = red\n";
  EXPECT_EQ(failure_of(send + "expect in -> out\n  - text a\\tb\n    colour = /r.d/\n"), "");
  EXPECT_EQ(failure_of(send + "expect in -> out\n  - text b\n"),
            "file:9: of FlowFile 1, its content is \"a\\x09b\", not \"b\"");
  EXPECT_EQ(failure_of(send + "expect in -> out\n  - colour = blue\n"),
            "file:9: of FlowFile 1, its attribute colour is \"red\", not \"blue\"");
  EXPECT_EQ(failure_of(send + "expect in -> out\n"),
            "file:8: 1 FlowFiles are queued, 0 expected; the next is \"a\\x09b\"");
  EXPECT_EQ(failure_of(send + "expect count in -> out 2\n"),
            "file:8: 1 FlowFiles are queued, 2 expected");
  EXPECT_EQ(failure_of(send + "expect provenance DROP\n"), "file:8: the events are: CREATE*1");
  EXPECT_EQ(failure_of("expect bulletin /x/\n"), "file:5: no bulletin matches; there are:");
  EXPECT_EQ(failure_of("expect file a b\n"), "file:5: there is no such file");
  EXPECT_EQ(failure_of("dance\n"), "5: 'dance' is no statement");
  EXPECT_EQ(failure_of("send a -> b\n"),
            "file:5: no connection is called 'a -> b'; there are:\n  in -> out");
}

}  // namespace
}  // namespace weir::flows

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  ::testing::InitGoogleTest(&argc, argv);
  spdlog::set_level(spdlog::level::off);
  const char* folder = std::getenv("WEIR_FLOW_TESTS");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder == nullptr ? WEIR_FLOW_TESTS : folder)) {
    if (entry.path().extension() == ".test") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    ::testing::RegisterTest(
        "Flow", file.stem().c_str(), nullptr, nullptr, file.c_str(), 1,
        [file]() -> ::testing::Test* { return new weir::flows::FlowFileTest(file); });
  }
  return RUN_ALL_TESTS();
}
