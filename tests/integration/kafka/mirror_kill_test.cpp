#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>

#include "tests/crash/environment.h"
#include "tests/integration/kafka/mirror_fixture.h"

// The engine itself, running conf/kafka-mirror.json, killed at random instants.
namespace weir::kafka_testing {
namespace {

using namespace std::chrono_literals;
using tools::testing::Folder;
using tools::testing::Program;
using tools::testing::read_file;

class MirrorEngine : public MirrorOnBrokers {
 protected:
  // The flow of conf/, for this test's topic.
  void write_flow(const std::string& delivery, const std::string& source_settings = {});
  void start_engine() {
    engine_.emplace(folder_.path(), std::vector<std::string>{"weir", "run", "flow.json"});
  }
  // Kill -9 after a while of work.
  void kill_engine();
  // Records that the target has behind the position (in `committed`, a place a partition): they
  // come again, at most.
  std::uint64_t behind(const std::vector<std::int64_t>& committed);
  std::uint64_t uncommitted(ClusterClient& keeper) {
    return behind(keeper.committed(group_, topic_));
  }
  // Kill -9 of a broker while the engine works; tells what that explains of duplicates.
  std::uint64_t kill_broker(Broker& broker, ClusterClient& keeper);
  // As often as asked; in long runs brokers die between. `keeper` has the positions. Tells what
  // that explains of duplicates.
  std::uint64_t kill_again_and_again(ClusterClient& keeper);

  const Folder folder_;
  const std::uint64_t seed_ = weir::testing::from_environment("WEIR_SEED", std::random_device{}());
  std::mt19937_64 random_{seed_};
  // Long runs go on for minutes, and read everything again and again.
  const std::uint64_t loops_ = weir::testing::from_environment("WEIR_LOOPS", 1);
  const std::chrono::milliseconds pause_ = loops_ == 1 ? 20ms : 150ms;
  std::optional<Program> engine_;
};

void replace(std::string& text, const std::string& what, const std::string& by) {
  const std::size_t place = text.find(what);
  ASSERT_NE(place, std::string::npos) << what;
  text.replace(place, what.size(), by);
}

void MirrorEngine::write_flow(const std::string& delivery, const std::string& source_settings) {
  std::string flow = read_file(WEIR_SOURCE "/conf/kafka-mirror.json");
  replace(flow, "127.0.0.1:9092", source_broker_.address());
  replace(flow, "127.0.0.1:9192", target_broker_.address());
  replace(flow, "orders|payments.*", topic_);
  replace(flow, "\"weir-mirror\"", "\"" + group_ + "\"");
  replace(flow, "at-least-once", delivery);
  if (source_settings.empty()) {
    // What died is replaced at once, not after its session.
    replace(flow, "\"Group ID\"", "\"Group Instance ID\": \"one\",\n        \"Group ID\"");
  } else {
    replace(flow, "\"bootstrap.servers\"", source_settings + ", \"bootstrap.servers\"");
  }
  folder_.write("flow.json", flow);
}

void MirrorEngine::kill_engine() {
  const auto end = [this] {
    std::int64_t sum = 0;
    for (int i = 0; i < target_.partitions(topic_); ++i) sum += target_end(topic_, i);
    return sum;
  };
  const std::int64_t before = end();
  // One that was killed while it joined its group keeps the next one waiting for its session's end.
  ASSERT_TRUE(eventually([&] { return end() > before; }, 100s)) << engine_->err();
  const std::chrono::milliseconds work(random_() % 2500);
  std::this_thread::sleep_for(work);
  engine_->signal(SIGKILL);
  engine_->finish();
  std::cout << "killed after " << work.count() << " ms of work, ";
}

std::uint64_t MirrorEngine::behind(const std::vector<std::int64_t>& committed) {
  std::vector<std::int64_t> highest(committed.size(), 0);
  for (const Record& record : target_.consume(topic_)) {
    const std::string value = record.value.value_or("0:0");
    const std::int64_t number = std::stoll(value.substr(value.find(':') + 1));
    std::int64_t& known = highest.at(static_cast<std::size_t>(record.partition));
    known = std::max(known, number + 1);
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < committed.size(); ++i) {
    sum += static_cast<std::uint64_t>(highest[i] - std::max<std::int64_t>(committed[i], 0));
  }
  return sum;
}

std::uint64_t MirrorEngine::kill_broker(Broker& broker, ClusterClient& keeper) {
  const std::vector<std::int64_t> before = keeper.committed(group_, topic_);
  std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 1000));
  broker.kill();
  broker.start();
  return behind(before);
}

std::uint64_t MirrorEngine::kill_again_and_again(ClusterClient& keeper) {
  std::uint64_t explained = 0;
  for (std::uint64_t i = 0; i < 2 * loops_; ++i) {
    start_engine();
    if (loops_ > 1 && i % 3 != 0) {
      explained += kill_broker(i % 3 == 1 ? source_broker_ : target_broker_, keeper);
    }
    kill_engine();
    if (HasFatalFailure()) break;
    const std::uint64_t open = uncommitted(keeper);
    std::cout << open << " records not committed\n";
    explained += open;
  }
  return explained;
}

TEST_F(MirrorEngine, KilledAtRandomInstantsLosesNothing) {
  source_.create_topic(topic_, 3);
  write_flow("at-least-once");
  Load load(source_broker_.address(), topic_, 3, pause_);
  const std::uint64_t explained = kill_again_and_again(source_);
  start_engine();
  const NumberedRecords sent = load.finish();
  const Arrival arrived = arrival(sent);
  std::cout << 3 * sent.per_partition << " records: " << arrived << "; " << explained
            << " duplicates are explained\n";
  EXPECT_EQ(arrived.lost, 0u) << "WEIR_SEED=" << seed_ << "\n" << engine_->err();
  EXPECT_EQ(arrived.out_of_order, 0u) << "WEIR_SEED=" << seed_;
  EXPECT_EQ(arrived.strangers, 0u);
  EXPECT_LE(arrived.duplicates, explained) << "WEIR_SEED=" << seed_;
  engine_->signal(SIGTERM);
  EXPECT_EQ(engine_->finish().exit_code, 0) << engine_->err();
  EXPECT_EQ(uncommitted(source_), 0u);
}

TEST_F(MirrorEngine, KilledAtRandomInstantsMirrorsEachRecordOnceWhereAsked) {
  source_.create_topic(topic_, 3);
  write_flow("exactly-once");
  Load load(source_broker_.address(), topic_, 3, pause_);
  kill_again_and_again(target_);
  start_engine();
  const NumberedRecords sent = load.finish();
  EXPECT_TRUE(arrives(sent, topic_)) << engine_->err();
  EXPECT_TRUE(
      eventually([&] { return arrival_of(sent, target_.consume(topic_)) == Arrival{}; }, 60s))
      << arrival_of(sent, target_.consume(topic_)) << " WEIR_SEED=" << seed_ << "\n"
      << engine_->err();
  std::cout << 3 * sent.per_partition << " records\n";
  engine_->signal(SIGTERM);
  EXPECT_EQ(engine_->finish().exit_code, 0) << engine_->err();
}

// A mirror that stood still past its session, and then goes on, has lost its partitions: what it
// learns of late commits nothing.
TEST_F(MirrorEngine, OneThatStoodStillPastItsSessionMovesNoPosition) {
  source_.create_topic(topic_, 2);
  write_flow("at-least-once",
             "\"session.timeout.ms\": \"6000\", \"heartbeat.interval.ms\": \"500\"");
  Load load(source_broker_.address(), topic_, 2);
  start_engine();
  ASSERT_TRUE(eventually([&] { return target_end(topic_, 0) > 0; })) << engine_->err();
  engine_->signal(SIGSTOP);
  MirrorSettings wanted = settings({topic_});
  const auto second = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() > 0; }, 60s)) << listener_.all_notes();
  std::vector<std::int64_t> before = source_.committed(group_, topic_);
  engine_->signal(SIGCONT);
  const auto until = std::chrono::steady_clock::now() + 3s;
  EXPECT_FALSE(eventually(
      [&] {
        const std::vector<std::int64_t> now = source_.committed(group_, topic_);
        const bool moved_back = now[0] < before[0] || now[1] < before[1];
        before = now;
        return moved_back || std::chrono::steady_clock::now() > until + 1s;
      },
      3s));
  const NumberedRecords sent = load.finish();
  const Arrival arrived = arrival(sent);
  EXPECT_EQ(arrived.lost, 0u) << listener_.all_notes() << engine_->err();
  EXPECT_EQ(arrived.strangers, 0u);
}

}  // namespace
}  // namespace weir::kafka_testing
