#include <gtest/gtest.h>

#include <set>

#include "tests/integration/kafka/records_fixture.h"

// conf/kafka-send.json and conf/kafka-receive.json: one flow over two engines and more.
namespace weir::kafka_testing {
namespace {

using tools::testing::eventually;
using tools::testing::operator""s;

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

  constexpr int count = 300;
  for (int i = 0; i < count; ++i) {
    const std::string name = "file-" + std::to_string(i);
    sender.folder().write("weir-data/in/" + name, "content of " + name);
    if (i == count / 3) {
      sender.kill();
      sender.start();
    }
    if (i == count / 2) {
      receiver.kill();
      receiver.start();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
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
}

}  // namespace
}  // namespace weir::kafka_testing
