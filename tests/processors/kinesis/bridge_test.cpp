#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>

#include "tests/processors/kinesis/bridge_fixture.h"

namespace weir::processors::kinesis::test {
namespace {

// The engine's end, played by the test, and one bridge.
class BridgeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    (folder_ / kSocketName).string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    ASSERT_EQ(::listen(listening_, 1), 0);
  }
  void TearDown() override { ::close(listening_); }

  void start(const std::vector<std::string>& environment = {}) {
    bridge_.emplace(folder_.path(), "c0ffee", environment);
    engine_ = Stream(::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    EXPECT_EQ(engine_.read_line().value_or("") + "\n", hello("c0ffee"));
  }

  Folder folder_;
  int listening_ = -1;
  std::optional<BridgeProcess> bridge_;
  Stream engine_;
};

std::string long_line(std::size_t bytes, unsigned salt) {
  std::string line(bytes, ' ');
  for (std::size_t at = 0; at < bytes; ++at) {
    line[at] = static_cast<char>('a' + (at * 7 + at / 1000 + salt) % 26);
  }
  return line;
}

TEST_F(BridgeTest, LongLinesComeUnharmedBothWaysAtOnce) {
  start();
  const std::string up = long_line(20 << 20, 1), down = long_line(20 << 20, 2);
  std::thread daemon_writes([&] { bridge_->input().write_line(up); });
  std::thread engine_writes([&] { engine_.write_line(down); });
  std::optional<std::string> came_down;
  std::thread daemon_reads([&] { came_down = bridge_->output().read_line(); });
  Stream reads(::dup(engine_.descriptor()));
  const std::optional<std::string> came_up = reads.read_line();
  daemon_writes.join();
  engine_writes.join();
  daemon_reads.join();
  EXPECT_TRUE(came_up == up);
  EXPECT_TRUE(came_down == down);
}

TEST_F(BridgeTest, WhatTheDaemonSaidLastIsDeliveredBeforeItEnds) {
  start();
  const std::string last = long_line(3 << 20, 3);
  std::thread daemon([&] {
    bridge_->input().write(last);
    bridge_->input().close();
  });
  EXPECT_TRUE(engine_.read_to_end() == last);
  daemon.join();
  EXPECT_EQ(bridge_->exit_code(), 0);
}

TEST_F(BridgeTest, TheEnginesEndIsAnErrorThatTheDaemonNotices) {
  start();
  engine_.write_line("the last answer");
  engine_.close();
  EXPECT_EQ(bridge_->output().read_line(), "the last answer");
  EXPECT_EQ(bridge_->exit_code(), 1);
}

TEST_F(BridgeTest, TheEnginesEndIsNoticedWhileTheDaemonDoesNotRead) {
  start();
  engine_.write_some(long_line(8 << 20, 4));
  engine_.close();
  EXPECT_EQ(bridge_->exit_code(), 1);
}

TEST_F(BridgeTest, TheEnginesEndIsNoticedWhileTheDaemonWrites) {
  start();
  std::thread daemon([&] { bridge_->input().write(long_line(8 << 20, 5)); });
  EXPECT_TRUE(engine_.readable() || eventually([&] { return engine_.readable(); }));
  engine_.close();
  EXPECT_EQ(bridge_->exit_code(), 1);
  daemon.join();
}

// Field report R137: a pipe that closed was not taken for a failure.
TEST_F(BridgeTest, ADaemonThatNoLongerReadsEndsIt) {
  start();
  bridge_->output().close();
  EXPECT_EQ(bridge_->exit_code(), 0);
  EXPECT_TRUE(engine_.at_end());
}

TEST_F(BridgeTest, ADaemonThatDiedWhileTheEngineDoesNotReadEndsIt) {
  start();
  bridge_->input().write_some(long_line(8 << 20, 6));
  bridge_->input().close();
  EXPECT_EQ(bridge_->exit_code(), 0);
}

TEST_F(BridgeTest, TheDaemonWaitsForAnEngineThatDoesNotRead) {
  start();
  const std::string much = long_line(16 << 20, 7);
  std::size_t written = 0;
  std::size_t before = 1;
  // No more is taken twice in a row.
  EXPECT_TRUE(eventually([&] {
    const std::size_t now = bridge_->input().write_some(std::string_view(much).substr(written));
    written += now;
    return now == 0 && std::exchange(before, now) == 0;
  }));
  EXPECT_LT(written, 3u << 20);
  std::thread daemon([&] {
    bridge_->input().write(std::string_view(much).substr(written));
    bridge_->input().close();
  });
  EXPECT_TRUE(engine_.read_to_end() == much);
  daemon.join();
}

TEST_F(BridgeTest, WithoutAnEngineItSaysSo) {
  std::filesystem::remove(folder_ / kSocketName);
  BridgeProcess bridge(folder_.path(), "c0ffee");
  EXPECT_EQ(bridge.exit_code(), 1);
  const std::string errors = bridge.errors();
  EXPECT_NE(errors.find("cannot reach the engine"), std::string::npos) << errors;
  EXPECT_EQ(tools::testing::lines_of(errors).size(), 1u);
  EXPECT_EQ(errors.find("c0ffee"), std::string::npos);
}

TEST_F(BridgeTest, SecretsOfTheDaemonsEnvironmentAreForgotten) {
  start({"AWS_SECRET_ACCESS_KEY=hidden", "AWS_ACCESS_KEY_ID=known", "LANG=C"});
  const std::string left =
      tools::testing::read_file("/proc/" + std::to_string(bridge_->id()) + "/environ");
  EXPECT_EQ(left.find("hidden"), std::string::npos);
  EXPECT_EQ(left.find("c0ffee"), std::string::npos);
}

TEST_F(BridgeTest, TakesLittleMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer takes more than the bridge";
#endif
  start();
  std::thread daemon([&] { bridge_->input().write_line(long_line(20 << 20, 8)); });
  EXPECT_TRUE(engine_.read_line().has_value());
  daemon.join();
  const std::string status =
      tools::testing::read_file("/proc/" + std::to_string(bridge_->id()) + "/status");
  const auto at = status.find("VmHWM:");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(std::stoul(status.substr(at + 6)), 4096u) << "KB";
}

}  // namespace
}  // namespace weir::processors::kinesis::test
