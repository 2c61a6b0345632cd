#include <gtest/gtest.h>

#include <csignal>

#include "tests/processors/kinesis/bridge_fixture.h"
#include "tests/processors/kinesis/buffer_fixture.h"
#include "tests/processors/kinesis/fake_kcl.h"

namespace weir::processors::kinesis::test {
namespace {

using namespace std::chrono_literals;
using testing::call_line;
using testing::process_records_line;

constexpr std::uint64_t kMegabyte = 1 << 20;

// Shards whose calls come one at a time, as the KCL makes them, each as much as goes.
class PushingShards {
 public:
  PushingShards(RunningServer& server, std::size_t shards, std::size_t records_a_call)
      : server_(server), records_a_call_(records_a_call) {
    for (std::size_t i = 0; i < shards; ++i) {
      shards_.push_back({.client = server.begin(name(i))});
    }
  }

  // False where nothing moved.
  bool push() {
    bool moved = false;
    for (Shard& shard : shards_) {
      if (shard.open && shard.unsent.empty() && shard.client.readable()) {
        EXPECT_EQ(answer(shard.client), protocol::status("processRecords"));
        shard.open = false;
        shard.next += records_a_call_;
      }
      if (!shard.open) {
        shard.unsent = records_line(shard.next, records_a_call_, 1000) + '\n';
        shard.open = true;
      }
      moved = write(shard) || moved;
    }
    return moved;
  }

  // The processor goes on: every call is answered, and every record that was sent comes, in each
  // shard's order.
  void finish() {
    for (Shard& shard : shards_) {
      EXPECT_TRUE(step_until([&] {
        for (Shard& each : shards_) write(each);
        consume_some();
        return shard.unsent.empty() && shard.client.readable();
      }));
      EXPECT_EQ(answer(shard.client), protocol::status("processRecords"));
    }
    EXPECT_TRUE(step_until([&] {
      consume_some();
      return server_.buffer.used_bytes() == 0;
    }));
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      EXPECT_EQ(came_[name(i)], shards_[i].next + records_a_call_ - 1) << records_a_call_;
    }
  }

 private:
  struct Shard {
    Stream client;
    std::uint64_t next = 1;  // the first record of the call
    std::string unsent = {};
    bool open = false;
  };

  static std::string name(std::size_t shard) { return "shard-" + std::to_string(shard); }

  static bool write(Shard& shard) {
    const std::size_t written = shard.client.write_some(shard.unsent);
    shard.unsent.erase(0, written);
    return written > 0;
  }

  void consume_some() {
    auto lease = server_.buffer.acquire(0ms);
    if (!lease) return;
    std::uint64_t& last = came_[lease->id().shard_id];
    for (const std::uint64_t number : numbers(server_.buffer.consume(*lease))) {
      EXPECT_EQ(number, last + 1);
      last = number;
    }
    EXPECT_TRUE(server_.buffer.commit(*lease));
  }

  RunningServer& server_;
  const std::size_t records_a_call_;
  std::vector<Shard> shards_;
  std::map<std::string, std::uint64_t> came_;  // the last record of each shard
};

class BridgeMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }
};

// What the records and the lines may take together is bounded, whatever the sizes of the calls;
// shards without records go on meanwhile; and nothing is lost.
TEST_F(BridgeMemoryTest, AStalledProcessorMakesTheKclWait) {
  constexpr std::uint64_t most = 20 * kMegabyte;
  for (const std::size_t records_a_call : {1, 20, 700}) {
    RunningServer server(most, at_once());
    PushingShards shards(server, 6, records_a_call);
    int quiet = 0;
    EXPECT_TRUE(step_until([&] {
      quiet = shards.push() ? 0 : quiet + 1;
      EXPECT_LE(server.buffer.used_bytes(), most);
      return quiet > 300 && server.buffer.used_bytes() > most / 4;
    }));

    Stream idle = server.begin("shard-idle");
    for (int i = 0; i < 3; ++i) {
      idle.write_line(process_records_line({}));
      EXPECT_EQ(answer(idle), protocol::status("processRecords"));
    }
    idle.write_line(call_line("shutdownRequested"));
    EXPECT_EQ(idle.read_line(), protocol::status("shutdownRequested"));
    shards.finish();
  }
}

TEST_F(BridgeMemoryTest, ACallLargerThanAllMemoryGetsThrough) {
  RunningServer server(kMegabyte, at_once());
  std::vector<Stream> clients;
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) clients.push_back(server.begin("shard-" + std::to_string(i)));
  for (Stream& client : clients) {
    writers.emplace_back([&] { client.write_line(records_line(1, 5000, 1000)); });
  }
  std::size_t count = 0;
  EXPECT_TRUE(step_until([&] {
    count += server.consume(10ms).size();
    return count == 15'000;
  }));
  for (std::thread& writer : writers) writer.join();
  for (Stream& client : clients) {
    EXPECT_EQ(answer(client), protocol::status("processRecords"));
  }
  EXPECT_EQ(server.buffer.used_bytes(), 0u);
}

// Who queued for memory behind others, while those were served, was never asked for again.
TEST_F(BridgeMemoryTest, NobodyIsForgottenInTheQueueForMemory) {
  RunningServer server(kMegabyte / 2, at_once());
  constexpr std::size_t shards = 8, calls = 40, records = 100;
  std::vector<Stream> clients;
  for (std::size_t i = 0; i < shards; ++i) clients.push_back(server.begin(std::to_string(i)));
  std::vector<std::thread> writers;
  for (Stream& client : clients) {
    writers.emplace_back([&] {
      for (std::size_t call = 0; call < calls; ++call) {
        client.write_line(records_line(1 + call * records, records, 1000));
        EXPECT_EQ(answer(client), protocol::status("processRecords"));
      }
    });
  }
  std::size_t count = 0;
  EXPECT_TRUE(step_until([&] {
    count += server.consume(10ms).size();
    return count == shards * calls * records;
  }));
  for (std::thread& writer : writers) writer.join();
}

}  // namespace
}  // namespace weir::processors::kinesis::test
