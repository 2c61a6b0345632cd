#include "processors/kinesis/consumer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/processors/kinesis/bridge_fixture.h"
#include "tests/processors/kinesis/buffer_fixture.h"
#include "tests/processors/kinesis/fake_kcl.h"

namespace weir::processors::kinesis::test {
namespace {

using namespace std::chrono_literals;
using tools::testing::read_file;

// Plays the daemon's part for one shard with two records: calls until it is told to end. What its
// child answers goes to the file `answers`.
constexpr std::string_view kDaemon = R"(#!/bin/sh
trap 'stop=1' TERM
echo "$WEIR_KINESIS_TOKEN" >>@/tokens
rm -f up down
mkfifo up down || exit 2
./weir-kinesis-bridge <up >down &
exec 3>up 4<down
call() {
  printf '%s\n' "$1" >&3
  left=3
  while [ $left -gt 0 ]; do
    # A signal interrupts it, too.
    read -r reply <&4 || { left=$((left - 1)); continue; }
    printf '%s\n' "$reply" >>@/answers
    case $reply in
      *'"checkpoint"'*)
        printf '%s\n' '{"action":"checkpoint","sequenceNumber":null,"error":null}' >&3 ;;
      *) return ;;
    esac
  done
  exit 1
}
call '{"action":"initialize","shardId":"shard","sequenceNumber":"LATEST","subSequenceNumber":0}'
call '{"action":"processRecords","records":[{"data":"NQ==","partitionKey":"k","sequenceNumber":"5",'\
'"approximateArrivalTimestamp":1,"subSequenceNumber":0,"action":"record"},{"data":"Ng==",'\
'"partitionKey":"k","sequenceNumber":"6","approximateArrivalTimestamp":1,"subSequenceNumber":0,'\
'"action":"record"}],"millisBehindLatest":0}'
while [ -z "$stop" ]; do
  call '{"action":"processRecords","records":[],"millisBehindLatest":0}'
  sleep 0.02
done
call '{"action":"shutdownRequested"}'
call '{"action":"leaseLost"}'
exec 3>&-
wait
)";

class ConsumerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TMPDIR", runs_.path().c_str(), 1);
    std::filesystem::create_directory(files_ / "jars");
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    EXPECT_TRUE(eventually([&] { return processes().empty(); })) << "left behind";
  }

  Consumer::Settings settings(std::string daemon = std::string(kDaemon)) {
    for (std::size_t at; (at = daemon.find('@')) != std::string::npos;) {
      daemon.replace(at, 1, files_.path().string());
    }
    files_.write("java", daemon);
    std::filesystem::permissions(files_ / "java", std::filesystem::perms::owner_all);
    Consumer::Settings made;
    made.daemon.installation = {.java = files_ / "java",
                                .jars = files_ / "jars",
                                .bridge = WEIR_PROGRAMS "/kinesis/weir-kinesis-bridge"};
    made.daemon.stream = "stream";
    made.checkpoints = {.hold_back = 5s};
    made.max_bytes = 1 << 20;
    made.stop_grace = 10s;
    return made;
  }

  // Those that work in a folder of this test.
  std::vector<std::string> processes() const {
    std::vector<std::string> found;
    for (const auto& each : std::filesystem::directory_iterator("/proc")) {
      std::error_code error;
      const auto at = std::filesystem::read_symlink(each.path() / "cwd", error).string();
      if (!error && at.starts_with(runs_.path().string())) {
        found.push_back(read_file(each.path() / "comm"));
      }
    }
    return found;
  }

  std::vector<std::uint64_t> consume(Consumer& consumer) {
    auto lease = consumer.buffer().acquire(10s);
    if (!lease) return {};
    const auto all = numbers(consumer.buffer().consume(*lease));
    EXPECT_TRUE(consumer.buffer().commit(*lease));
    return all;
  }

  std::string answers() const { return read_file(files_ / "answers"); }
  bool folder_left() const { return !std::filesystem::is_empty(runs_.path()); }

  Folder runs_, files_;
  CapturedLog log_;
};

TEST_F(ConsumerTest, RecordsComeAndTheirCommitIsCheckpointed) {
  Consumer consumer(settings(), system_clock(), log_);
  EXPECT_EQ(consume(consumer), (std::vector<std::uint64_t>{5, 6}));
  EXPECT_TRUE(eventually([&] {
    return answers().find(protocol::checkpoint({"6", 0})) != std::string::npos;
  }));
  consumer.close();
  EXPECT_FALSE(consumer.buffer().acquire(10s).has_value());
  consumer.stop();
  EXPECT_NE(answers().find(protocol::status("shutdownRequested")), std::string::npos);
  EXPECT_NE(answers().find(protocol::status("leaseLost")), std::string::npos);
  EXPECT_TRUE(processes().empty());
  EXPECT_FALSE(folder_left());
}

// Field report R143: the last checkpoint was not written, so a few messages came at each start.
TEST_F(ConsumerTest, TheLastCommitIsCheckpointedWhenItStops) {
  Consumer::Settings made = settings();
  made.checkpoints = {.interval = 1h, .hold_back = 0ns};
  Consumer consumer(made, system_clock(), log_);
  EXPECT_EQ(consume(consumer).size(), 2u);
  consumer.close();
  consumer.stop();
  EXPECT_NE(answers().find(protocol::checkpoint({"6", 0})), std::string::npos) << answers();
}

TEST_F(ConsumerTest, ADaemonThatDoesNotEndIsKilled) {
  Consumer::Settings made = settings("#!/bin/sh\ntrap '' TERM\ntouch @/up\nsleep 1000\n");
  made.stop_grace = 200ms;
  Consumer consumer(made, system_clock(), log_);
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(files_ / "up"); }));
  const auto begin = std::chrono::steady_clock::now();
  consumer.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_FALSE(folder_left());
}

TEST_F(ConsumerTest, ItsEndWithoutAStopKillsTheDaemon) {
  {
    Consumer consumer(settings(), system_clock(), log_);
    EXPECT_EQ(consume(consumer).size(), 2u);
    EXPECT_FALSE(processes().empty());
  }
  EXPECT_FALSE(folder_left());
}

// Field report R137: a child ended and its shard was never read again.
TEST_F(ConsumerTest, AKilledBridgeIsReplacedAndItsRecordsComeAgain) {
  Consumer::Settings made = settings();
  made.daemon.restart_least = 50ms;
  Consumer consumer(made, system_clock(), log_);
  EXPECT_EQ(consume(consumer).size(), 2u);
  for (const auto& each : std::filesystem::directory_iterator("/proc")) {
    std::error_code error;
    const auto at = std::filesystem::read_symlink(each.path() / "cwd", error).string();
    if (error || !at.starts_with(runs_.path().string())) continue;
    if (read_file(each.path() / "comm").starts_with("weir-kinesis")) {
      ::kill(std::stoi(each.path().filename().string()), SIGKILL);
    }
  }
  EXPECT_EQ(consume(consumer), (std::vector<std::uint64_t>{5, 6}));
  consumer.stop();
}

TEST_F(ConsumerTest, TheTokenIsInNoFileAndEachRunHasItsOwn) {
  std::vector<std::string> tokens;
  for (int run = 0; run < 2; ++run) {
    Consumer consumer(settings(), system_clock(), log_);
    EXPECT_EQ(consume(consumer).size(), 2u);
    tokens = tools::testing::lines_of(read_file(files_ / "tokens"));
    ASSERT_EQ(tokens.size(), static_cast<std::size_t>(run + 1));
    EXPECT_EQ(tokens.back().size(), 64u);
    for (const auto& each : std::filesystem::recursive_directory_iterator(runs_.path())) {
      if (!each.is_regular_file()) continue;
      EXPECT_EQ(read_file(each.path()).find(tokens.back()), std::string::npos) << each.path();
    }
    consumer.stop();
  }
  EXPECT_NE(tokens[0], tokens[1]);
}

TEST_F(ConsumerTest, WithoutAFolderItDoesNotBegin) {
  ::setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_THROW(Consumer(settings(), system_clock(), log_), std::system_error);
}

TEST_F(ConsumerTest, SettingsThatCannotBeCompletedLeaveNothing) {
  Consumer::Settings made = settings();
  made.complete = [](KclDaemon::Settings&) { throw ProcessException("no credentials"); };
  EXPECT_THROW(Consumer(made, system_clock(), log_), ProcessException);
  EXPECT_FALSE(folder_left());
}

}  // namespace
}  // namespace weir::processors::kinesis::test
