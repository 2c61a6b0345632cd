#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "tests/crash/child.h"
#include "tests/crash/environment.h"

// The real binary, killed at random instants while numbered files go through it. At the end every
// number that was handed in is in the output, whole, and the repositories hold no damage.
namespace weir::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

class KillLoop : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weir-kill-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    for (const char* folder : {"in", "out"}) fs::create_directory(root_ / folder);
    std::ofstream(root_ / "flow.json") << R"({"processors": {
      "get": {"type": "GetFile", "schedule": "0 sec", "yieldDuration": "10 ms", "properties": {
        "Input Directory": ")" << (root_ / "in").string()
                                       << R"(", "Keep Source File": "false",
        "Minimum File Age": "0 sec", "File Filter": ".*\\.txt"}},
      "split": {"type": "SplitText", "autoTerminate": ["original", "failure"],
        "properties": {"Line Split Count": "1", "Remove Trailing Newlines": "false"}},
      "merge": {"type": "MergeContent", "autoTerminate": ["original", "failure"],
        "properties": {"Merge Strategy": "Defragment", "Max Bin Age": "300 sec"}},
      "put": {"type": "PutFile", "autoTerminate": ["success", "failure"], "properties": {
        "Directory": ")" << (root_ / "out").string()
                                       << R"(",
        "Conflict Resolution Strategy": "replace"}}},
      "connections": ["get.success -> split", "split.splits -> merge", "merge.merged -> put"]})";
  }
  void TearDown() override {
    if (!HasFailure()) fs::remove_all(root_);
  }

  std::string content(int number) const {
    std::string text;
    for (int line = 0; line < 1 + number % 7; ++line) {
      text += "file " + std::to_string(number) + " line " + std::to_string(line) + "\n";
    }
    return text;
  }
  void hand_in(int number) const {
    const fs::path part = root_ / "in" / (std::to_string(number) + ".part");
    std::ofstream(part) << content(number);
    fs::rename(part, root_ / "in" / (std::to_string(number) + ".txt"));
  }
  std::size_t arrived() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(root_ / "out")) {
      if (entry.path().extension() == ".txt") ++count;
    }
    return count;
  }
  std::unique_ptr<Child> start() const {
    return std::make_unique<Child>(
        std::vector<std::string>{WEIR_BINARY, "run", (root_ / "flow.json").string(), "--data",
                                 (root_ / "data").string()},
        (root_ / "log").string());
  }

  fs::path root_;
};

TEST_F(KillLoop, NothingIsLost) {
  const std::uint64_t seed = from_environment("WEIR_SEED", std::random_device{}());
  const std::uint64_t kills = 15 * from_environment("WEIR_LOOPS", 1);
  std::printf("WEIR_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  int handed_in = 0;
  for (std::uint64_t kill = 0; kill < kills; ++kill) {
    const auto engine = start();
    const auto end = Clock::now() + std::chrono::milliseconds(random() % 400);
    while (Clock::now() < end) {
      hand_in(handed_in++);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(engine->running()) << "weir ended by itself: see " << root_ / "log";
    engine->send(SIGKILL);
    engine->wait();
  }
  const auto engine = start();
  const auto deadline = Clock::now() + std::chrono::seconds(60);
  while (arrived() < static_cast<std::size_t>(handed_in) && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  engine->send(SIGTERM);
  EXPECT_EQ(engine->wait(), 0);
  for (int number = 0; number < handed_in; ++number) {
    std::ifstream in(root_ / "out" / (std::to_string(number) + ".txt"));
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(text, content(number)) << "file " << number << " of " << handed_in;
    if (HasFailure()) return;
  }
  Child check({WEIRCTL_BINARY, "repo", "check", "--data", (root_ / "data").string()},
              (root_ / "check").string());
  EXPECT_EQ(check.wait(), 0) << "weirctl repo check found damage: see " << root_ / "check";
}

}  // namespace
}  // namespace weir::testing
