#include "tests/integration/kafka/brokers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/kafka/numbered_records.h"

namespace weir::kafka_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Brokers, KeepTopicsAndRecordsApart) {
  Brokers& brokers = Brokers::instance();
  ClusterClient source(brokers.source().address());
  ClusterClient target(brokers.target().address());
  const std::string topic = Brokers::fresh_name("apart");
  source.create_topic(topic, 2, {{"retention.ms", "3600000"}});
  EXPECT_EQ(source.partitions(topic), 2);
  EXPECT_EQ(source.config(topic).at("retention.ms"), "3600000");
  EXPECT_EQ(target.partitions(topic), 0);

  const NumberedRecords records{.partitions = 2, .per_partition = 500};
  source.produce(records.of_topic(topic));
  EXPECT_EQ(arrival_of(records, source.consume(topic)), Arrival{});
  EXPECT_THAT(source.range(topic, 1), Pair(0, 500));
  source.delete_records(topic, 1, 100);
  EXPECT_THAT(source.range(topic, 1), Pair(100, 500));
  source.grow_topic(topic, 3);
  EXPECT_EQ(source.partitions(topic), 3);
  source.commit("a group", topic, 0, 7);
  EXPECT_THAT(source.committed("a group", topic), ElementsAre(7, -1001, -1001));
  source.delete_topic(topic);
  EXPECT_EQ(source.partitions(topic), 0);
}

TEST(Brokers, GiveRecordsBackAsTheyWere) {
  ClusterClient cluster(Brokers::instance().source().address());
  const std::string topic = Brokers::fresh_name("faithful");
  cluster.create_topic(topic, 1);
  cluster.produce({{.topic = topic,
                    .key = "k",
                    .value = "v",
                    .headers = {{"a", "1"}, {"a", std::nullopt}, {"b", ""}},
                    .timestamp_ms = 1'700'000'000'123},
                   {.topic = topic, .value = ""},
                   {.topic = topic, .key = ""}});
  const auto records = cluster.consume(topic);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].key, "k");
  EXPECT_EQ(records[0].timestamp_ms, 1'700'000'000'123);
  EXPECT_EQ(records[0].timestamp_type, RD_KAFKA_TIMESTAMP_CREATE_TIME);
  EXPECT_THAT(records[0].headers,
              ElementsAre(Pair("a", "1"), Pair("a", std::nullopt), Pair("b", "")));
  EXPECT_EQ(records[1].key, std::nullopt);
  EXPECT_EQ(records[1].value, "");
  EXPECT_EQ(records[2].key, "");
  EXPECT_EQ(records[2].value, std::nullopt);
}

TEST(Brokers, KeepWhatTheyHaveWhenTheyAreKilled) {
  Broker& broker = Brokers::instance().source();
  ClusterClient cluster(broker.address());
  const std::string topic = Brokers::fresh_name("killed");
  cluster.create_topic(topic, 1);
  const NumberedRecords records{.per_partition = 1000};
  cluster.produce(records.of_topic(topic));
  const std::string address = broker.address();
  broker.kill();
  broker.start();
  EXPECT_EQ(broker.address(), address);
  EXPECT_EQ(arrival_of(records, cluster.consume(topic)), Arrival{});
}

TEST(NumberedRecords, TellLostDoubleAndDisorderedOnes) {
  const NumberedRecords sent{.partitions = 2, .per_partition = 3, .size_bytes = 5};
  const auto of = [&](std::vector<std::string> values) { return arrival_of(sent, values); };
  EXPECT_EQ(of({"0:0..", "1:0..", "0:1..", "1:1..", "1:2..", "0:2.."}), Arrival{});
  EXPECT_EQ(of({"0:0..", "0:1..", "0:2.."}), Arrival{.lost = 3});
  EXPECT_EQ(of({"0:0", "0:1", "0:0", "0:1", "0:2", "1:0", "1:2", "1:1"}),
            (Arrival{.duplicates = 2, .out_of_order = 1}));
  EXPECT_EQ(of({"0:0", "0:1", "0:2", "1:0", "1:1", "1:2", "2:0", "x", "0:3", "0:1,"}),
            Arrival{.strangers = 4});
}

}  // namespace
}  // namespace weir::kafka_testing
