#include <gtest/gtest.h>

#include <iostream>

#include "tests/crash/environment.h"
#include "tests/integration/kafka/records_fixture.h"

// conf/kafka-send.json and conf/kafka-receive.json: one flow over two engines and more.
namespace weir::kafka_testing {
namespace {

using tools::testing::eventually;
using namespace std::chrono_literals;

std::string configured(const std::string& name, const std::string& brokers,
                       const std::string& topic) {
  std::string flow = tools::testing::read_file(WEIR_SOURCE "/conf/" + name);
  const auto set = [&](const std::string& old, const std::string& now) {
    const std::size_t at = flow.find('"' + old + '"');
    ASSERT_NE(at, std::string::npos) << name;
    flow.replace(at, old.size() + 2, '"' + now + '"');
  };
  set("127.0.0.1:9092", brokers);
  // A group learns sooner that a member was killed.
  const std::string address = R"("bootstrap.servers": "#{brokers}")";
  flow.insert(flow.find(address), R"("session.timeout.ms": "6000", )");
  set("weir-flow-files", topic);
  return flow;
}

TEST(FlowPair, LosesNothingWhenAnEngineIsKilled) {
  Broker& broker = Brokers::instance(1).source();
  ClusterClient cluster(broker.address());
  const std::string topic = Brokers::fresh_name("flow-files");
  cluster.create_topic(topic, 2);
  FlowEngine sender(configured("kafka-send.json", broker.address(), topic));
  FlowEngine receiver(configured("kafka-receive.json", broker.address(), topic));
  std::filesystem::create_directories(sender.folder() / "weir-data/in");
  sender.start();
  receiver.start();

  constexpr int files_a_kill = 150;
  const int kills = 2 * static_cast<int>(weir::testing::from_environment("WEIR_LOOPS", 1));
  const int count = kills * files_a_kill;
  for (int i = 0; i < count; ++i) {
    const std::string name = "file-" + std::to_string(i);
    sender.folder().write("weir-data/in/" + name, "content of " + name);
    std::this_thread::sleep_for(10ms);
    if (i % files_a_kill != files_a_kill / 2) continue;
    FlowEngine& one = i / files_a_kill % 2 == 0 ? sender : receiver;
    one.kill();
    one.start();
  }
  const auto out = receiver.folder() / "weir-data/out";
  const auto arrived = [&](int i) {
    const std::string name = "file-" + std::to_string(i);
    return tools::testing::read_file(out / name) == "content of " + name;
  };
  int next = 0;
  EXPECT_TRUE(eventually(
      [&] {
        while (next < count && arrived(next)) ++next;
        return next == count;
      },
      60s))
      << "file-" << next << " is missing\n"
      << sender.said() << receiver.said();
  sender.stop();
  receiver.stop();
  std::cout << count << " files, " << kills << " kills, " << cluster.count(topic) << " records\n";
}

}  // namespace
}  // namespace weir::kafka_testing
