#include "processors/kinesis/daemon.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "engine/api/error.h"
#include "processors/kinesis/daemon_process.h"
#include "tests/processors/kinesis/kept_lines.h"
#include "tests/tools/program.h"

namespace weir::processors::kinesis::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using tools::testing::eventually;
using tools::testing::Folder;
using tools::testing::lines_of;
using tools::testing::read_file;
namespace fs = std::filesystem;

bool runs(int process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(stat, text)) return false;
  const auto name_end = text.rfind(')');
  return name_end != std::string::npos && text.at(name_end + 2) != 'Z';
}

// A shell script in Java's place, in a folder of its own. Notes its environment, its arguments and
// its descriptors there, and goes on as the test says.
class DaemonTest : public ::testing::Test {
 protected:
  DaemonTest() {
    fs::create_directories(folder_ / "run");
    fs::create_directories(folder_ / "jars with blanks");
    settings_.installation = {.java = folder_ / "java",
                              .jars = folder_ / "jars with blanks",
                              .bridge = folder_ / "bridge"};
    settings_.directory = folder_ / "run";
    settings_.properties = {{"applicationName", "app"}, {"metricsLevel", "NONE"}};
    settings_.environment = [] { return std::map<std::string, std::string>(); };
    settings_.stream = "orders";
    settings_.restart_least = 10ms;
    settings_.restart_most = 40ms;
  }

  void java(const std::string& script) {
    folder_.write("java", "#!/bin/sh\n" + script);
    fs::permissions(folder_ / "java", fs::perms::owner_all);
  }
  // What the script wrote to a file in its working folder.
  std::string noted(const std::string& name) const {
    return fs::exists(folder_ / "run" / name) ? read_file(folder_ / "run" / name) : "";
  }
  KclDaemon& start() {
    daemon_.emplace(io_, settings_, system_clock(), log_);
    daemon_->start();
    return *daemon_;
  }
  bool until(const std::function<bool()>& done) {
    return eventually([&] {
      io_.restart();
      io_.run_for(2ms);
      return done();
    });
  }
  bool stop(std::chrono::milliseconds grace) {
    bool ended = false;
    daemon_->stop(grace, [&] { ended = true; });
    return until([&] { return ended; });
  }

  Folder folder_;
  boost::asio::io_context io_;
  KeptLines log_;
  KclDaemon::Settings settings_;
  std::optional<KclDaemon> daemon_;
};

TEST_F(DaemonTest, TheEnvironmentIsExactlyWhatIsGivenAndListed) {
  ::setenv("WEIR_TEST_OF_THE_ENGINE", "private", 1);
  settings_.environment = [] {
    return std::map<std::string, std::string>{{"AWS_SECRET_ACCESS_KEY", "s3cret"}, {"TZ", "CET"}};
  };
  java("env > env.tmp; mv env.tmp env; exec sleep 60");
  start();
  ASSERT_TRUE(until([&] { return !noted("env").empty(); }));
  ::unsetenv("WEIR_TEST_OF_THE_ENGINE");
  std::map<std::string, std::string> expected = inherited_environment();
  expected["AWS_SECRET_ACCESS_KEY"] = "s3cret";
  expected["TZ"] = "CET";  // what is given goes before
  std::map<std::string, std::string> got;
  for (const std::string& line : lines_of(noted("env"))) {
    got[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  }
  for (const char* of_the_shell : {"PWD", "OLDPWD", "SHLVL", "_"}) got.erase(of_the_shell);
  EXPECT_EQ(got, expected);
}

TEST_F(DaemonTest, SecretsAreInNoFileAndNoCommandLine) {
  settings_.environment = [] {
    return std::map<std::string, std::string>{{"AWS_SECRET_ACCESS_KEY", "s3cret"}};
  };
  java(
      "tr '\\0' ' ' < /proc/$$/cmdline > line.tmp; mv line.tmp line; echo $AWS_SECRET_ACCESS_KEY "
      ">&2; "
      "exec sleep 60");
  start();
  ASSERT_TRUE(until([&] { return !noted("line").empty() && log_.has("***"); }));
  EXPECT_FALSE(log_.has("s3cret"));
  for (const auto& file : fs::directory_iterator(folder_ / "run")) {
    if (!file.is_regular_file()) continue;
    EXPECT_EQ(read_file(file.path()).find("s3cret"), std::string::npos) << file.path();
  }
}

TEST_F(DaemonTest, FilesAreTheUsersAloneAndPathsStandInNoneOfThem) {
  const ::mode_t before = ::umask(0);
  java("echo \"$@\" > line; exec sleep 60");
  start();
  ASSERT_TRUE(until([&] { return !noted("line").empty(); }));
  ::umask(before);
  for (const char* name : {"daemon.properties", "daemon-log.xml"}) {
    EXPECT_EQ(fs::status(folder_ / "run" / name).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
  }
  EXPECT_EQ(noted("daemon.properties"),
            "applicationName=app\nexecutableName=./weir-kinesis-bridge\nmetricsLevel=NONE\n");
  EXPECT_EQ(fs::read_symlink(folder_ / "run/lib"), folder_ / "jars with blanks");
  EXPECT_EQ(fs::read_symlink(folder_ / "run/weir-kinesis-bridge"), folder_ / "bridge");
  EXPECT_THAT(noted("line"), HasSubstr("-Xmx256m "));
  EXPECT_THAT(noted("line"),
              HasSubstr("-cp lib/* software.amazon.kinesis.multilang.MultiLangDaemon "
                        "-p daemon.properties"));
}

TEST_F(DaemonTest, NothingOfTheEngineIsOpenInIt) {
  const int secret = ::open("/dev/zero", O_RDONLY);  // not closed at exec
  // The status is read by the shell itself, which blocks signals while it starts a program.
  java(
      "ls -l /proc/$$/fd > fds.tmp; while read -r line; do case $line in Sig[BI]*) "
      "echo $line >> fds.tmp ;; esac; done < /proc/$$/status; mv fds.tmp fds; exec sleep 60");
  ::signal(SIGHUP, SIG_IGN);
  start();
  ASSERT_TRUE(until([&] { return !noted("fds").empty(); }));
  ::signal(SIGHUP, SIG_DFL);
  ::close(secret);
  EXPECT_EQ(noted("fds").find("/dev/zero"), std::string::npos);
  EXPECT_THAT(noted("fds"), HasSubstr(" 0 -> /dev/null"));
  EXPECT_THAT(noted("fds"), HasSubstr("SigBlk: 0000000000000000"));
  EXPECT_THAT(noted("fds"), HasSubstr("SigIgn: 0000000000000000"));
}

TEST_F(DaemonTest, ItsLogIsTheComponents) {
  java("printf '@WARN\\ta.Thing\\todd\\t\\n'; echo plain >&2; exec sleep 60");
  start();
  EXPECT_TRUE(
      until([&] { return log_.has("WARN KCL Thing: odd") && log_.has("WARN Java: plain"); }));
}

// Field report R137: the process ended and nobody noticed, so the shard was never read again.
TEST_F(DaemonTest, ADaemonThatEndsIsNoticedSaidAndStartedAgain) {
  java("printf '@ERROR\\ta.Thing\\tthe reason\\t\\n'; exit 3");
  KclDaemon& daemon = start();
  ASSERT_TRUE(until([&] { return daemon.starts() >= 3; }));
  EXPECT_TRUE(log_.has("ERROR the KCL for stream orders ended by itself"));
  EXPECT_TRUE(log_.has("(exit code 3): KCL Thing: the reason; started again in 0.01 s"));
}

TEST_F(DaemonTest, AnOrderlyExitByItselfIsAnEndToo) {
  java("exit 0");
  KclDaemon& daemon = start();
  ASSERT_TRUE(until([&] { return daemon.starts() >= 2; }));
  EXPECT_TRUE(log_.has("ended by itself"));
  EXPECT_TRUE(log_.has("(exit code 0); started again"));
}

TEST_F(DaemonTest, ASignalIsNamed) {
  java("exec sleep 60");
  KclDaemon& daemon = start();
  ASSERT_TRUE(daemon.process_id());
  ::kill(*daemon.process_id(), SIGKILL);
  ASSERT_TRUE(until([&] { return daemon.starts() == 2; }));
  EXPECT_TRUE(log_.has("(killed by signal 9, Killed)"));
}

TEST_F(DaemonTest, TheTimeBetweenStartsGrowsToItsMost) {
  java("exit 1");
  KclDaemon& daemon = start();
  ASSERT_TRUE(until([&] { return daemon.starts() >= 6; }));
  EXPECT_EQ(log_.count("again in 0.01 s"), 1U);
  EXPECT_EQ(log_.count("again in 0.02 s"), 1U);
  EXPECT_GE(log_.count("again in 0.04 s"), 3U);
}

TEST_F(DaemonTest, AfterAGoodRunTheTimeStartsAnew) {
  settings_.steady_after = 0ms;
  java("exit 1");
  KclDaemon& daemon = start();
  ASSERT_TRUE(until([&] { return daemon.starts() >= 5; }));
  EXPECT_EQ(log_.count("again in 0.01 s"), log_.count("again in"));
}

TEST_F(DaemonTest, TheEnvironmentIsAskedForBeforeEachStart) {
  int asked = 0;
  settings_.environment = [&] {
    if (++asked <= 2) throw ProcessException("the token service does not answer");
    return std::map<std::string, std::string>{{"NUMBER", std::to_string(asked)}};
  };
  java("echo $NUMBER >> numbers; exit 1");
  KclDaemon& daemon = start();
  EXPECT_EQ(daemon.starts(), 0);
  ASSERT_TRUE(until([&] { return daemon.starts() >= 3; }));
  EXPECT_THAT(noted("numbers"), ::testing::StartsWith("3\n4\n"));
  EXPECT_TRUE(
      log_.has("ERROR the KCL for stream orders is not started: the token service does not "
               "answer; tried again in"));
}

TEST_F(DaemonTest, AJavaThatCannotBeStartedIsSaidAndTriedAgain) {
  KclDaemon& daemon = start();
  EXPECT_TRUE(log_.has("ERROR the KCL for stream orders cannot be started: "));
  EXPECT_TRUE(log_.has("No such file or directory"));
  java("exec sleep 60");
  EXPECT_TRUE(until([&] { return daemon.starts() == 1; }));
}

TEST_F(DaemonTest, StopAsksAndWaitsForTheEnd) {
  java("trap 'echo asked > asked; exit 0' TERM; echo up > up; while :; do sleep 0.01; done");
  KclDaemon& daemon = start();
  ASSERT_TRUE(until([&] { return !noted("up").empty(); }));
  ASSERT_TRUE(stop(20s));
  EXPECT_EQ(noted("asked"), "asked\n");
  EXPECT_FALSE(daemon.process_id());
  io_.restart();
  io_.run_for(100ms);  // more than the time between starts
  EXPECT_EQ(daemon.starts(), 1);
}

TEST_F(DaemonTest, StopKillsTheWholeGroupWhenItsGraceIsOver) {
  java("trap '' TERM; sleep 600 & echo $! > child; while :; do sleep 0.01; done");
  start();
  ASSERT_TRUE(until([&] { return !noted("child").empty(); }));
  const int child = std::stoi(noted("child"));
  ASSERT_TRUE(stop(50ms));
  EXPECT_TRUE(log_.has("WARN the KCL for stream orders did not end within 0.05 s and is killed"));
  EXPECT_TRUE(eventually([&] { return !runs(child); }));
}

TEST_F(DaemonTest, StopDoesNotSleepOutTheFailoverTime) {
  const std::string released =
      "printf '@INFO\\ta.PeriodicShardSyncManager\\tShutting down periodic shard sync task "
      "scheduler "
      "on worker w\\t\\n'";
  // Bridges are left for a while, then none: only from then on it may end.
  java("trap 'term=1' TERM; sleep 0.3 & echo up > up; while [ -z \"$term\" ]; do wait; done; " +
       released + "; wait; echo gone > gone; trap '' TERM; exec 2>/dev/null; while :; do :; done");
  start();
  ASSERT_TRUE(until([&] { return !noted("up").empty(); }));
  ASSERT_TRUE(stop(20s));
  EXPECT_EQ(noted("gone"), "gone\n");
  EXPECT_FALSE(log_.has("did not end within"));
}

TEST_F(DaemonTest, StopDoesNotWaitForADaemonThatHangsWithNothingToCheckpoint) {
  settings_.alone_enough = 200ms;
  java(
      "trap '' TERM; mkfifo never; sleep 0.3 & child=$!; echo up > up; wait $child; echo gone > "
      "gone; "
      "read -r line < never");
  start();
  ASSERT_TRUE(until([&] { return !noted("up").empty(); }));
  ASSERT_TRUE(stop(20s));
  EXPECT_EQ(noted("gone"), "gone\n");
  EXPECT_FALSE(log_.has("did not end within"));
}

TEST_F(DaemonTest, WhereItPublishesMetricsItEndsByItself) {
  settings_.properties["metricsLevel"] = "DETAILED";
  java(
      "trap 'printf \"@INFO\\\\ta.PeriodicShardSyncManager\\\\tShutting down periodic shard sync "
      "task "
      "scheduler\\\\t\\\\n\"; read -r x < /dev/zero; echo last > last; exit' TERM; echo up > up; "
      "while :; do sleep 0.01; done");
  // Reading /dev/zero to a line's end never ends: the daemon is killed by the grace alone.
  start();
  ASSERT_TRUE(until([&] { return !noted("up").empty(); }));
  ASSERT_TRUE(stop(300ms));
  EXPECT_TRUE(log_.has("did not end within 0.3 s"));
}

TEST_F(DaemonTest, StopBeforeTheNextStartPreventsIt) {
  settings_.restart_least = settings_.restart_most = 60s;
  java("exit 1");
  KclDaemon& daemon = start();
  ASSERT_TRUE(until([&] { return log_.has("ended by itself"); }));
  ASSERT_TRUE(stop(20s));
  EXPECT_EQ(daemon.starts(), 1);
}

TEST_F(DaemonTest, WhatAnEndedDaemonLeavesBehindIsKilled) {
  java("sleep 600 & echo $! > child; exit 0");
  settings_.restart_least = settings_.restart_most = 60s;
  start();
  ASSERT_TRUE(until([&] { return log_.has("ended by itself"); }));
  const int child = std::stoi(noted("child"));
  EXPECT_TRUE(eventually([&] { return !runs(child); }));
}

TEST_F(DaemonTest, KillAndDestructionLeaveNothing) {
  java("trap '' TERM; sleep 600 & echo $! > child; while :; do sleep 0.01; done");
  KclDaemon& daemon = start();
  ASSERT_TRUE(until([&] { return !noted("child").empty(); }));
  int child = std::stoi(noted("child"));
  daemon.kill();
  ASSERT_TRUE(until([&] { return !daemon.process_id(); }));
  EXPECT_TRUE(eventually([&] { return !runs(child); }));

  fs::remove(folder_ / "run/child");
  KclDaemon& other = start();
  ASSERT_TRUE(until([&] { return !noted("child").empty(); }));
  child = std::stoi(noted("child"));
  const int process = *other.process_id();
  daemon_.reset();
  EXPECT_FALSE(runs(process));
  EXPECT_TRUE(eventually([&] { return !runs(child); }));
  until([&] { return true; });  // handlers that were on their way touch nothing
}

TEST_F(DaemonTest, AFloodOfLinesDoesNotKeepItFromItsWork) {
  java("yes '@WARN\ta.Thing\todd\t'");
  start();
  ASSERT_TRUE(until([&] { return log_.has("odd"); }));
  ASSERT_TRUE(stop(20s));
  EXPECT_LT(log_.all().size(), 100U);
}

// It dies with the engine, however that dies.
TEST_F(DaemonTest, AKilledEngineTakesTheDaemonWithIt) {
  // Where the helper's orphans go, so that they can be waited for.
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  java("trap '' TERM HUP; cat > /dev/null & echo $$ > id; while :; do sleep 0.01; done");
  const pid_t engine = ::fork();
  if (engine == 0) {
    start();
    io_.run_for(120s);
    ::_exit(1);
  }
  ASSERT_TRUE(eventually([&] { return !noted("id").empty(); }));
  const int process = std::stoi(noted("id"));
  EXPECT_TRUE(runs(process));
  ::kill(engine, SIGKILL);
  ::waitpid(engine, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return !runs(process); }));
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(StartProcess, SaysWhyAProgramCannotBeStarted) {
  const Folder folder;
  const auto failure = [](const ProcessStart& start) {
    try {
      start_process(start);
    } catch (const std::system_error& error) {
      return error.code();
    }
    return std::error_code();
  };
  EXPECT_EQ(failure({.program = folder / "none",
                     .arguments = {},
                     .environment = {},
                     .directory = folder.path()}),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(failure({.program = "/bin/true",
                     .arguments = {},
                     .environment = {},
                     .directory = folder / "none"}),
            std::errc::no_such_file_or_directory);
  folder.write("text", "no program");
  EXPECT_EQ(failure({.program = folder / "text",
                     .arguments = {},
                     .environment = {},
                     .directory = folder.path()}),
            std::errc::permission_denied);
}

// --- The real KCL, where this build has it.

class RealDaemonTest : public DaemonTest {
 protected:
  void SetUp() override {
    const auto installation = find_installation({.program = WEIR_PROGRAMS "/weir",
                                                 .kinesis_home = {},
                                                 .java_home = {},
                                                 .search_path = "/usr/bin:/usr/local/bin"});
    if (!installation) GTEST_SKIP() << installation.error();
    settings_.installation = *installation;
    settings_.properties = {{"applicationName", "app"},
                            {"streamName", "orders"},
                            {"regionName", "us-east-1"},
                            {"AwsCredentialsProvider", "EnvironmentVariableCredentialsProvider"},
                            {"metricsLevel", "NONE"}};
    settings_.environment = [] {
      return std::map<std::string, std::string>{{"AWS_ACCESS_KEY_ID", "id-of-test"},
                                                {"AWS_SECRET_ACCESS_KEY", "s3cret-of-test"},
                                                {"AWS_EC2_METADATA_DISABLED", "true"}};
    };
    settings_.restart_least = settings_.restart_most = 60s;
  }
};

TEST_F(RealDaemonTest, OddCharactersOfASettingArriveAsTheyAre) {
  const std::string odd = " a=b:c#d!e\\f \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";
  settings_.properties["retrievalMode"] = odd;
  start();
  ASSERT_TRUE(until([&] { return log_.has("ended by itself"); }));
  EXPECT_TRUE(log_.has("the KCL refuses one of its settings: Unknown retrieval type '" + odd + "'"))
      << ::testing::PrintToString(log_.seen());
  EXPECT_TRUE(log_.has("(exit code 1)"));
}

TEST_F(RealDaemonTest, AnEndpointThatIsDownIsNamedSoon) {
  settings_.properties["kinesisEndpoint"] = "http://127.0.0.1:1";
  settings_.properties["dynamoDBEndpoint"] = "http://127.0.0.1:1";
  start();
  ASSERT_TRUE(until([&] { return log_.has("ERROR nothing listens at 127.0.0.1:1"); }))
      << ::testing::PrintToString(log_.all());
  ASSERT_TRUE(stop(20s));
  EXPECT_FALSE(log_.has("s3cret-of-test"));
  EXPECT_FALSE(log_.has("id-of-test"));
}

}  // namespace
}  // namespace weir::processors::kinesis::test
