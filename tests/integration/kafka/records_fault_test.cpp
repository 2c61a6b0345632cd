#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/integration/kafka/damaged_batch.h"
#include "tests/integration/kafka/records_fixture.h"

// What brokers do to ConsumeKafka and PublishKafka.
namespace weir::kafka_testing {
namespace {

using tools::testing::eventually;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

class RecordFaults : public ForwardingTest {
 protected:
  // As `flow`, with settings of the service besides: `"name": "value", `.
  std::string flow_with(const std::string& settings, const std::string& topics) const {
    ForwardingFlow wanted = flow();
    wanted.from = topics;
    std::string text = wanted.json();
    const std::string address = R"("bootstrap.servers")";
    text.insert(text.find(address), settings);
    return text;
  }
  std::size_t arrived_of(const NumberedRecords& sent) {
    const Arrival arrival = arrival_of(sent, cluster_.consume(to_));
    return static_cast<std::size_t>(sent.partitions * sent.per_partition) - arrival.lost;
  }
  // Longer than a session here; long runs take the ten minutes of the report.
  static std::chrono::seconds outage() { return loops(1) == 1 ? 8s : 600s; }
};

// R119: after a long failure of the broker the consumer did not go on until it was restarted.
TEST_F(RecordFaults, AnOutageIsOutlived) {
  FlowEngine engine(flow().json());
  engine.start();
  sent_.per_partition = 200;
  cluster_.produce(sent_.of_topic(from_));
  EXPECT_TRUE(eventually([&] {
    return cluster_.committed(group_, from_) == std::vector<std::int64_t>(kPartitions, 200);
  })) << engine.said();
  // Nothing is on its way: what is, may be published twice.
  EXPECT_TRUE(eventually([&] { return arrived_of(sent_) == 800; })) << engine.said();
  broker_.pause(true);
  std::this_thread::sleep_for(outage());
  broker_.pause(false);
  sent_.first = 200;
  cluster_.produce(sent_.of_topic(from_));
  sent_ = {.partitions = kPartitions, .per_partition = 400};
  EXPECT_EQ(arrived(), Arrival{}) << engine.said();
  engine.stop();
}

// It has lost its partitions to another one, and what it learns of late commits nothing.
TEST_F(RecordFaults, AnEngineThatStoodStillPastItsSessionMovesNoPosition) {
  FlowEngine first(flow().json());
  FlowEngine second(flow().json());
  first.start();
  write_during(12s);
  EXPECT_TRUE(eventually([&] { return cluster_.range(to_, 0).second > 0; })) << first.said();
  first.pause(true);
  const std::vector<std::int64_t> left = cluster_.committed(group_, from_);
  second.start();
  std::vector<std::int64_t> highest;
  EXPECT_TRUE(eventually([&] {
    highest = cluster_.committed(group_, from_);
    return highest != left;
  })) << second.said();
  first.pause(false);
  int steps_back = 0;
  for (int look = 0; look < 50; ++look) {
    const std::vector<std::int64_t> now = cluster_.committed(group_, from_);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] < highest[i]) ++steps_back;
      highest[i] = std::max(highest[i], now[i]);
    }
  }
  EXPECT_EQ(steps_back, 0);
  const Arrival arrival = arrived();
  EXPECT_EQ(arrival.lost, 0u) << first.said() << second.said();
  EXPECT_EQ(arrival.strangers, 0u);
  first.stop();
  second.stop();
}

// R104: the broker forgot positions of topics where nothing happened.
TEST_F(RecordFaults, PositionsOfIdleTopicsOutliveTheBrokersRetention) {
  if (loops(1) == 1) GTEST_SKIP() << "takes minutes: run with --long";
  const tools::testing::Folder folder;
  Broker forgetful(folder / "forgetful", {{"offsets.retention.minutes", "1"},
                                          {"offsets.retention.check.interval.ms", "5000"}});
  forgetful.begin_format();
  forgetful.finish_format();
  forgetful.start();
  ClusterClient cluster(forgetful.address());
  cluster.create_topic(from_, kPartitions);
  cluster.create_topic(to_, 1);
  ForwardingFlow wanted = flow();
  wanted.brokers = forgetful.address();
  FlowEngine engine(wanted.json());
  engine.start();
  sent_.per_partition = 100;
  cluster.produce(sent_.of_topic(from_));
  EXPECT_TRUE(eventually([&] { return cluster.count(to_) == 400; })) << engine.said();
  std::this_thread::sleep_for(180s);
  engine.stop();
  engine.start();
  sent_.first = 100;
  cluster.produce(sent_.of_topic(from_));
  const NumberedRecords all{.partitions = kPartitions, .per_partition = 200};
  EXPECT_TRUE(eventually([&] { return arrival_of(all, cluster.consume(to_)) == Arrival{}; }, 60s))
      << arrival_of(all, cluster.consume(to_)) << engine.said();
  engine.stop();
}

// R116, of a consumer: partitions that were added to a topic were not read.
TEST_F(RecordFaults, PartitionsThatComeLaterAreConsumedFromTheirBeginning) {
  FlowEngine engine(flow_with(R"("metadata.max.age.ms": "500", )", from_));
  engine.start();
  sent_.per_partition = 100;
  cluster_.produce(sent_.of_topic(from_));
  EXPECT_TRUE(eventually([&] { return arrived_of(sent_) == 400; })) << engine.said();
  cluster_.grow_topic(from_, kPartitions + 2);
  const NumberedRecords grown{.partitions = kPartitions + 2, .per_partition = 100, .first = 100};
  cluster_.produce(grown.of_topic(from_));
  EXPECT_TRUE(eventually([&] { return arrived_of(grown) == 600; }, 60s))
      << arrival_of(grown, cluster_.consume(to_)) << engine.said();
  engine.stop();
}

TEST_F(RecordFaults, ATopicThatIsDeletedDisturbsNoOther) {
  const std::string other = from_ + "-other";
  cluster_.create_topic(other, kPartitions);
  FlowEngine engine(flow_with(R"("metadata.max.age.ms": "500", )", from_ + "," + other));
  engine.start();
  sent_.per_partition = 100;
  cluster_.produce(sent_.of_topic(from_));
  EXPECT_TRUE(eventually([&] { return arrived_of(sent_) == 400; })) << engine.said();
  cluster_.delete_topic(from_);
  EXPECT_TRUE(eventually([&] { return engine.said().find(from_) != std::string::npos; }))
      << engine.said();
  sent_.first = 100;
  cluster_.produce(sent_.of_topic(other));
  EXPECT_TRUE(eventually([&] { return arrived_of(sent_) == 400; })) << engine.said();
  engine.stop();
}

// Shorter than the old one's position, and longer.
TEST_F(RecordFaults, ATopicThatIsMadeAnewIsConsumedFromItsBeginning) {
  FlowEngine engine(flow_with(R"("metadata.max.age.ms": "500", )", from_));
  engine.start();
  sent_.per_partition = 100;
  cluster_.produce(sent_.of_topic(from_));
  EXPECT_TRUE(eventually([&] { return arrived_of(sent_) == 400; })) << engine.said();
  for (const int count : {50, 300}) {
    const std::size_t said = engine.said().size();
    cluster_.delete_topic(from_);
    EXPECT_TRUE(eventually([&] {
      return engine.said().find("Subscribed topic not available", said) != std::string::npos;
    })) << engine.said();
    cluster_.create_topic(from_, kPartitions);
    sent_.first += sent_.per_partition;
    sent_.per_partition = count;
    cluster_.produce(sent_.of_topic(from_));
    EXPECT_TRUE(eventually(
        [&] { return arrived_of(sent_) == static_cast<std::size_t>(kPartitions * count); }, 60s))
        << arrival_of(sent_, cluster_.consume(to_)) << engine.said();
  }
  engine.stop();
}

class DamagedRecords : public RecordFaults, public ::testing::WithParamInterface<const char*> {};

// Its partition stands still and says so: nothing behind it is read past a hole.
TEST_P(DamagedRecords, StopTheirPartitionAlone) {
  const Damage damage =
      GetParam() == std::string_view("none") ? Damage::checksum : Damage::compression;
  for (int batch = 0; batch < 3; ++batch) {
    const NumberedRecords part{.partitions = kPartitions, .per_partition = 10, .first = batch * 10};
    cluster_.produce(part.of_topic(from_),
                     {{"compression.type", GetParam()}, {"linger.ms", "200"}});
  }
  damage_batch(broker_, from_, 0, 1, damage);
  FlowEngine engine(flow().json());
  engine.start();
  const NumberedRecords all{.partitions = kPartitions, .per_partition = 30};
  EXPECT_TRUE(eventually([&] { return arrived_of(all) >= 100; })) << engine.said();
  EXPECT_TRUE(eventually([&] { return engine.said().find("stands still") != std::string::npos; }))
      << engine.said();
  EXPECT_THAT(engine.said(), HasSubstr(from_));
  engine.stop();
  EXPECT_EQ(arrived_of(all), 100u);
  EXPECT_EQ(arrival_of(all, cluster_.consume(to_)).duplicates, 0u);
  EXPECT_EQ(cluster_.committed(group_, from_), (std::vector<std::int64_t>{10, 30, 30, 30}));
}
INSTANTIATE_TEST_SUITE_P(Codecs, DamagedRecords,
                         ::testing::Values("none", "gzip", "snappy", "lz4", "zstd"),
                         [](const auto& codec) { return std::string(codec.param); });

// Files to a topic; those that failed are put aside, or tried again.
enum class Failed { aside, again };

std::string publishing(const std::string& brokers, const std::string& topic, Failed failed,
                       bool transactions = false) {
  constexpr std::string_view text = R"({{
    "name": "publish",
    "services": {{"cluster": {{"type": "Kafka3ConnectionService", "properties": {{
      "bootstrap.servers": "{brokers}", "topic.metadata.propagation.max.ms": "2000",
      "ack.wait.time": "3 sec"}}}}}},
    "processors": {{
      "take": {{"type": "GetFile", "properties": {{"Input Directory": "in"}}}},
      "publish": {{"type": "PublishKafka", "penaltyDuration": "1 sec", "properties": {{
        "Kafka Connection Service": {{"service": "cluster"}}, "Topic Name": "{topic}",
        "max.request.size": "1 MB", "Transactions Enabled": "{transactions}"}}}},
      {aside}
      "done": {{"type": "PutFile", "properties": {{"Directory": "done"}},
        "autoTerminate": ["success", "failure"]}}}},
    "connections": ["take.success -> publish", "publish.success -> done",
                    "publish.failure -> {failed}"]}})";
  const std::string aside =
      R"("failed": {"type": "PutFile", "properties": {"Directory": "failed"},
                    "autoTerminate": ["success", "failure"]},)";
  return fmt::format(text, fmt::arg("brokers", brokers), fmt::arg("topic", topic),
                     fmt::arg("transactions", transactions ? "true" : "false"),
                     fmt::arg("aside", failed == Failed::aside ? aside : ""),
                     fmt::arg("failed", failed == Failed::aside ? "failed" : "publish"));
}

class PublishFaults : public RecordFaults {
 protected:
  static std::size_t files(const std::filesystem::path& folder) {
    if (!std::filesystem::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
  static void write(const FlowEngine& engine, int count, std::size_t size) {
    std::filesystem::create_directories(engine.folder() / "in");
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("file-{}-{}", size, i);
      engine.folder().write(".tmp", std::string(size, 'x'));
      std::filesystem::rename(engine.folder() / ".tmp", engine.folder() / ("in/" + name));
    }
  }
};

// The broker refuses the batch that it is in, with everything else in it.
TEST_F(PublishFaults, ARecordThatTheBrokerFindsTooLargeFailsAlone) {
  cluster_.alter_config(to_, {{"max.message.bytes", "5000"}});
  FlowEngine engine(publishing(broker_.address(), to_, Failed::aside));
  write(engine, 40, 1'000);
  write(engine, 1, 20'000);
  engine.start();
  EXPECT_TRUE(eventually([&] { return files(engine.folder() / "failed") == 1; })) << engine.said();
  EXPECT_TRUE(eventually([&] { return files(engine.folder() / "done") == 40; }))
      << files(engine.folder() / "done") << " " << files(engine.folder() / "failed")
      << engine.said();
  EXPECT_THAT(engine.said(), HasSubstr("too large"));
  engine.stop();
  EXPECT_EQ(cluster_.count(to_), 40u);
}

// The transaction of the batch is given up, and nobody sees what it held.
TEST_F(PublishFaults, BatchesThatAreTooLargeGoIntoAnotherTransactionOneByOne) {
  cluster_.alter_config(to_, {{"max.message.bytes", "5000"}});
  FlowEngine engine(publishing(broker_.address(), to_, Failed::aside, true));
  write(engine, 40, 1'000);
  engine.start();
  EXPECT_TRUE(eventually([&] { return files(engine.folder() / "done") == 40; }))
      << files(engine.folder() / "done") << " " << files(engine.folder() / "failed")
      << engine.said();
  engine.stop();
  EXPECT_EQ(cluster_.count(to_), 40u);
}

// R167: what the destination had refused was gone at its source as well.
TEST_F(PublishFaults, WhatATopicThatIsMissingDidNotTakeIsKept) {
  const std::string topic = to_ + "-later";
  FlowEngine engine(publishing(broker_.address(), topic, Failed::again));
  write(engine, 20, 100);
  engine.start();
  EXPECT_TRUE(eventually([&] {
    return engine.said().find("could not be published") != std::string::npos;
  })) << engine.said();
  EXPECT_EQ(files(engine.folder() / "in"), 0u);
  engine.kill();
  engine.start();
  cluster_.create_topic(topic, 1);
  EXPECT_TRUE(eventually([&] { return files(engine.folder() / "done") == 20; }, 60s))
      << files(engine.folder() / "done") << engine.said();
  engine.stop();
  EXPECT_EQ(cluster_.count(topic), 20u);
}

// R105: success was said of records that a broker which was away never got.
TEST_F(PublishFaults, NothingIsDoneWhileTheBrokerIsAway) {
  FlowEngine engine(publishing(broker_.address(), to_, Failed::again));
  write(engine, 10, 100);
  engine.start();
  EXPECT_TRUE(eventually([&] { return files(engine.folder() / "done") == 10; })) << engine.said();
  broker_.kill();
  write(engine, 50, 200);
  EXPECT_TRUE(eventually([&] {
    return engine.said().find("could not be published") != std::string::npos;
  })) << engine.said();
  EXPECT_EQ(files(engine.folder() / "done"), 10u);
  broker_.start();
  EXPECT_TRUE(eventually([&] { return files(engine.folder() / "done") == 60; }, 60s))
      << files(engine.folder() / "done") << engine.said();
  engine.stop();
  EXPECT_GE(cluster_.count(to_), 60u);
}

}  // namespace
}  // namespace weir::kafka_testing
