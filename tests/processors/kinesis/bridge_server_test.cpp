#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "tests/processors/kinesis/bridge_fixture.h"
#include "tests/processors/kinesis/buffer_fixture.h"
#include "tests/processors/kinesis/fake_kcl.h"

namespace weir::processors::kinesis::test {
namespace {

using namespace std::chrono_literals;
using testing::call_line;
using testing::checkpoint_line;
using testing::FakeKcl;
using testing::FakeRecord;
using testing::process_records_line;

constexpr std::uint64_t kMegabyte = 1 << 20;

class BridgeServerTest : public ::testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }
};

// --- Who may speak

TEST_F(BridgeServerTest, TheSocketIsTheUsersAlone) {
  RunningServer server(kMegabyte);
  struct stat found = {};
  ASSERT_EQ(::stat((server.folder / kSocketName).c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(BridgeServerTest, AWrongTokenIsTurnedAway) {
  RunningServer server(kMegabyte);
  for (const std::string token : {"", "f00", "f00e", "f00d1", "F00D"}) {
    Stream client = server.connect();
    client.write(hello(token));
    EXPECT_TRUE(client.at_end()) << token;
  }
  Stream client = server.connect();
  client.write_line(testing::initialize_line("shard", {"TRIM_HORIZON", 0}));
  EXPECT_TRUE(client.at_end());
  EXPECT_NE(server.log.warnings().find("wrong token"), std::string::npos);
  EXPECT_EQ(server.log.warnings().find("f00"), std::string::npos);
  EXPECT_EQ(server.buffer.status().size(), 0u);
}

TEST_F(BridgeServerTest, WhoShowsNoTokenInTimeIsTurnedAway) {
  RunningServer server(kMegabyte, {}, 50ms);
  Stream silent = server.connect();
  Stream half = server.connect();
  half.write("weir-kinesis-bridge f0");
  Stream good = server.begin("shard");
  EXPECT_TRUE(silent.at_end());
  EXPECT_TRUE(half.at_end());
  EXPECT_EQ(server.connections(), 1u);
  good.write_line(call_line("leaseLost"));
  EXPECT_EQ(good.read_line(), protocol::status("leaseLost"));
}

TEST_F(BridgeServerTest, AFirstLineThatDoesNotEndIsTurnedAway) {
  RunningServer server(kMegabyte);
  Stream client = server.connect();
  client.write(std::string(64 << 10, 'x'));
  EXPECT_TRUE(client.at_end());
}

TEST_F(BridgeServerTest, ALongPathOfTheSocketWorks) {
  Folder folder;
  const std::filesystem::path deep = folder / std::string(150, 'd');
  std::filesystem::create_directory(deep);
  boost::asio::io_context io;
  CapturedLog log;
  RecordBuffer buffer(kMegabyte, {}, system_clock(), {});
  const BridgeServer server(io, {.socket = deep / kSocketName, .token = "f00d"}, buffer,
                            system_clock(), log);
  // As a bridge names it, from within its folder.
  BridgeProcess bridge(deep, "f00d");
  bridge.input().write_line(testing::initialize_line("shard", {"LATEST", 0}));
  EXPECT_TRUE(eventually([&] {
    io.poll();
    return bridge.output().readable();
  }));
  EXPECT_EQ(bridge.output().read_line(), protocol::status("initialize"));
}

// A daemon that held a connection, too, would keep its bridge from seeing it end.
TEST_F(BridgeServerTest, ProgramsThatAreStartedInheritNoSocket) {
  RunningServer server(kMegabyte);
  Stream client = server.begin("shard");
  const auto names = [](const char* folder) {
    std::set<std::string> found;
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(each.path(), error).string();
      const int descriptor = std::stoi(each.path().filename().string());
      const int flags = ::fcntl(descriptor, F_GETFD);
      if (target.starts_with("socket:") && flags >= 0 && (flags & FD_CLOEXEC) == 0) {
        found.insert(target);
      }
    }
    return found;
  };
  EXPECT_EQ(names("/proc/self/fd").size(), 0u);
}

// --- What it says

TEST_F(BridgeServerTest, GarbageClosesTheConnectionAndItsBuffer) {
  RunningServer server(kMegabyte);
  for (const std::string garbage : {"garbage", "{}", R"({"action":"dance"})", "\x01\xff{"}) {
    Stream client = server.begin("shard");
    client.write_line(garbage);
    EXPECT_TRUE(client.at_end()) << garbage;
  }
  EXPECT_TRUE(eventually([&] { return server.buffer.status().empty(); }));
  EXPECT_EQ(server.connections(), 0u);
}

TEST_F(BridgeServerTest, AnInvalidRecordRefusesTheWholeCall) {
  RunningServer server(kMegabyte);
  Stream client = server.begin("shard");
  std::string line = records_line(1, 3, 100);
  line.replace(line.rfind("\"data\":\"") + 8, 4, "!!!!");
  client.write_line(line);
  EXPECT_TRUE(client.at_end());
  EXPECT_NE(server.log.warnings().find("shard shard is closed"), std::string::npos)
      << server.log.warnings();
  EXPECT_EQ(server.buffer.used_bytes(), 0u);
}

TEST_F(BridgeServerTest, ALineOfMoreThan64MBClosesTheConnection) {
  RunningServer server(256 * kMegabyte);
  Stream client = server.begin("shard");
  const std::string piece(kMegabyte, ' ');
  for (int i = 0; i < 66 && client.write(piece); ++i) {
  }
  EXPECT_TRUE(client.at_end());
  EXPECT_NE(server.log.warnings().find("more than 64 MB"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return server.buffer.used_bytes() == 0; }));
}

TEST_F(BridgeServerTest, OneWhoDoesNotWaitForAnswersIsTurnedAway) {
  RunningServer server(kMegabyte * 8);
  Stream client = server.begin("shard");
  std::string all = records_line(1, 100, 1000) + '\n';
  for (int i = 0; i < 4; ++i) all += all;
  client.write(all);
  client.read_to_end();
  EXPECT_TRUE(eventually([&] { return server.connections() == 0; }));
  EXPECT_EQ(server.buffer.status().size(), 0u);
}

TEST_F(BridgeServerTest, LinesCutAnywhereAreWhole) {
  RunningServer server(kMegabyte * 8, at_once());
  Stream client = server.begin("shard");
  std::uint64_t first = 1;
  for (const std::size_t bytes : {1, 100, 16'000, 16'384, 200'000}) {
    const std::string line = records_line(first, 3, bytes) + '\n';
    std::mt19937_64 random(bytes);
    for (std::string_view rest = line; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), 1 + random() % (bytes + 100));
      client.write(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    EXPECT_EQ(answer(client), protocol::status("processRecords"));
    const std::vector<std::string> records = server.consume();
    ASSERT_EQ(records.size(), 3u);
    for (const std::string& record : records) {
      EXPECT_EQ(record.substr(0, record.find(' ')), std::to_string(first++));
    }
  }
  EXPECT_EQ(server.buffer.used_bytes(), 0u);
}

// --- Ends

TEST_F(BridgeServerTest, AHalfLineThenDeathLeavesNothing) {
  RunningServer server(8 * kMegabyte);
  Stream client = server.begin("shard");
  const std::string line = records_line(1, 2000, 1000);
  client.write(line.substr(0, line.size() / 2));
  EXPECT_TRUE(eventually([&] { return server.buffer.used_bytes() > 0; }));
  client.close();
  EXPECT_TRUE(eventually([&] { return server.buffer.status().empty(); }));
  EXPECT_EQ(server.buffer.used_bytes(), 0u);
  EXPECT_EQ(server.connections(), 0u);
}

// It waits for memory and does not read; its end must not wait, too.
TEST_F(BridgeServerTest, ABridgeThatDiesWhileItWaitsForMemoryIsNoticedAtOnce) {
  RunningServer server(kMegabyte, at_once());
  Stream holder = server.begin("holder");
  holder.write_line(records_line(1, 900, 1000));
  EXPECT_EQ(holder.read_line(), protocol::status("processRecords"));
  for (const bool in_a_line : {true, false}) {
    Stream waiter = server.begin("waiter");
    const std::string line = records_line(1, in_a_line ? 3000 : 10, 15'00);
    waiter.write_some(line + '\n');
    // It waits: a further shard's records are not taken over either.
    EXPECT_TRUE(eventually([&] { return server.buffer.status().size() == 2; }));
    waiter.close();
    EXPECT_TRUE(eventually([&] { return server.buffer.status().size() == 1; }, 5s));
    EXPECT_EQ(server.connections(), 1u);
  }
  EXPECT_EQ(server.consume().size(), 900u);
  EXPECT_TRUE(eventually([&] { return server.buffer.used_bytes() == 0; }));
}

TEST_F(BridgeServerTest, AKilledBridgeEndsItsBuffer) {
  RunningServer server(kMegabyte);
  BridgeProcess bridge(server.folder.path(), server.token);
  bridge.input().write_line(testing::initialize_line("shard", {"TRIM_HORIZON", 0}));
  EXPECT_EQ(bridge.output().read_line(), protocol::status("initialize"));
  EXPECT_EQ(server.buffer.status().size(), 1u);
  ::kill(bridge.id(), SIGKILL);
  EXPECT_TRUE(eventually([&] { return server.buffer.status().empty(); }, 5s));
}

TEST_F(BridgeServerTest, ItsEndClosesAllConnections) {
  std::optional<RunningServer> server(std::in_place, kMegabyte);
  Stream one = server->begin("one"), other = server->begin("other");
  one.write("half a li");
  server.reset();
  EXPECT_TRUE(one.at_end());
  EXPECT_TRUE(other.at_end());
}

TEST_F(BridgeServerTest, ACallThatWaitsForACommitIsAnsweredWhenTheProcessorStops) {
  RunningServer server(kMegabyte, {.interval = 1h, .hold_back = 1h, .shutdown_grace = 1h});
  Stream open = server.begin("open"), later = server.begin("later");
  open.write_line(records_line(1, 1, 10));
  EXPECT_TRUE(eventually([&] { return server.buffer.used_bytes() > 0; }));
  EXPECT_FALSE(open.readable());
  server.call([](BridgeServer& each) { each.stop(); });
  EXPECT_EQ(open.read_line(), protocol::status("processRecords"));
  later.write_line(call_line("shutdownRequested"));
  EXPECT_EQ(later.read_line(), protocol::status("shutdownRequested"));
  Stream last = server.begin("last");
  last.write_line(call_line("shutdownRequested"));
  EXPECT_EQ(last.read_line(), protocol::status("shutdownRequested"));
}

// --- Commits and deadlines

TEST_F(BridgeServerTest, ACommitGoesOnWithTheCallThatWaitsForIt) {
  RunningServer server(kMegabyte, {.hold_back = 1h});
  Stream client = server.begin("shard");
  client.write_line(records_line(7, 1, 10));
  EXPECT_EQ(server.consume(10s).size(), 1u);
  EXPECT_EQ(client.read_line(), protocol::checkpoint({"7", 0}));
  client.write_line(checkpoint_line());
  EXPECT_EQ(client.read_line(), protocol::status("processRecords"));
}

TEST_F(BridgeServerTest, ADeadlineGoesOnWithTheCall) {
  RunningServer server(kMegabyte, {.hold_back = 30ms});
  Stream client = server.begin("shard");
  client.write_line(records_line(7, 1, 10));
  EXPECT_EQ(client.read_line(), protocol::status("processRecords"));
}

// --- Many

// Field report R140: what worked with a few shards never started with many.
TEST_F(BridgeServerTest, TwoHundredShardsAtOnce) {
  RunningServer server(2 * kMegabyte, at_once());
  constexpr std::size_t shards = 200;
  std::vector<Stream> clients(shards);
  for (Stream& client : clients) client = server.connect();
  for (std::size_t i = 0; i < shards; ++i) {
    clients[i].write(hello(server.token) +
                     testing::initialize_line(std::to_string(i), {"LATEST", 0}) + '\n');
  }
  for (Stream& client : clients) EXPECT_EQ(client.read_line(), protocol::status("initialize"));
  std::thread writer([&] {
    for (Stream& client : clients) client.write_line(records_line(1, 40, 1000));
  });
  std::size_t count = 0;
  EXPECT_TRUE(step_until([&] {
    count += server.consume(10ms).size();
    return count == 40 * shards;
  }));
  writer.join();
  for (Stream& client : clients) EXPECT_EQ(answer(client), protocol::status("processRecords"));
  EXPECT_EQ(server.connections(), shards);
}

// The model of the KCL, over real sockets, against tasks that commit, fail and are slow, while
// connections die.
TEST_F(BridgeServerTest, RandomStaysOverRealSockets) {
  const std::uint64_t seed = seed_of_run();
  for (std::uint64_t loop = 0; loop < loops(8); ++loop) {
    std::mt19937_64 random(seed + loop);
    RunningServer server(1000 + random() % 4000, {.hold_back = 2ms, .retry_after = 1ms});
    FakeKcl::Settings settings;
    settings.records = 120;
    FakeKcl kcl(settings, random());
    std::optional<Stream> stay;
    std::optional<RecordBuffer::Lease> lease;
    std::vector<RecordBatchPtr> batches;
    const bool finished = step_until([&] {
      if (kcl.stay_over()) {
        if (kcl.shard_end_written()) return true;
        stay = server.connect();
        stay->write(hello(server.token));
        kcl.begin_stay();
      }
      if (const auto line = kcl.line_out()) stay->write_line(*line);
      if (stay->readable()) {
        const auto line = stay->read_line();
        if (!line) {
          ADD_FAILURE() << "closed: " << server.log.warnings();
          return true;
        }
        kcl.line_in(*line);
      }
      if (random() % 500 == 0) {
        stay->close();
        kcl.connection_lost();
      }
      if (!lease && random() % 3 == 0) {
        lease = server.buffer.acquire(0ms);
        if (lease) batches = server.buffer.consume(*lease);
      } else if (lease && random() % 2 == 0) {
        if (random() % 8 != 0 && server.buffer.commit(*lease)) {
          for (const RecordBatchPtr& batch : batches) {
            for (const Record& record : batch->records()) kcl.commit(record);
          }
        }
        batches.clear();
        lease.reset();
      }
      return !kcl.problem().empty();
    });
    EXPECT_TRUE(finished && kcl.problem().empty())
        << "WEIR_SEED=" << seed + loop << " WEIR_LOOPS=1: " << kcl.problem();
    EXPECT_EQ(kcl.committed(), settings.records);
    lease.reset();
    stay.reset();
    EXPECT_TRUE(step_until([&] { return server.buffer.used_bytes() == 0; }));
  }
}

}  // namespace
}  // namespace weir::processors::kinesis::test
