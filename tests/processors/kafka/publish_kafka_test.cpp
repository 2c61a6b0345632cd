#include "processors/kafka/records/publish_kafka.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/kafka/records/outgoing.h"
#include "tests/processors/bench/test_bench.h"
#include "tests/processors/kafka/mock_cluster.h"

namespace weir::processors::kafka {
namespace {

using bench::TestBench;
using bench::Values;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MockCluster;
using testing::MockRecord;
using ::testing::Pair;

// The mock cluster's transactions do nothing: they are tested on real brokers.
class PublishKafkaTest : public ::testing::Test {
 protected:
  explicit PublishKafkaTest(int partitions = 1) : cluster_(partitions) {}

  std::unique_ptr<TestBench> publisher(Values values = {}) {
    values.emplace("Topic Name", "t");
    values.emplace("Transactions Enabled", "false");
    auto made = std::make_unique<TestBench>(publish_kafka(), values);
    made->provide("Kafka Connection Service", cluster_.connection(settings_));
    return made;
  }

  MockCluster cluster_;
  std::map<std::string, std::string> settings_;
};

TEST_F(PublishKafkaTest, SendsEachFlowFileAsARecord) {
  const auto bench = publisher();
  bench->enqueue("one", {{"kafka.key", "k"}});
  bench->enqueue("");
  bench->run();
  EXPECT_EQ(bench->count("success"), 2u);
  const auto records = cluster_.consume("t", 2);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].value, "one");
  EXPECT_EQ(records[0].key, "k");
  EXPECT_EQ(records[1].value, "") << "empty, and no tombstone";
  EXPECT_EQ(records[1].key, std::nullopt);
  EXPECT_EQ(bench->outputs("success")[0].attribute("msg.count"), "1");
  EXPECT_EQ(bench->count_events("SEND"), 2u);
  EXPECT_EQ(bench->transit_uris().at(0), "kafka://t");
}

TEST_F(PublishKafkaTest, SendsTombstones) {
  const auto bench = publisher();
  bench->enqueue("", {{"kafka.tombstone", "true"}, {"kafka.key", "k"}});
  bench->enqueue("not empty", {{"kafka.tombstone", "true"}, {"kafka.key", "k"}});
  bench->run();
  const auto records = cluster_.consume("t", 2);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].value, std::nullopt);
  EXPECT_EQ(records[1].value, "not empty");
}

TEST_F(PublishKafkaTest, SendsTheRecordsBetweenDemarcators) {
  const auto bench = publisher({{"Message Demarcator", "${sep}"}, {"Kafka Key", "${k}"}});
  bench->enqueue("one;two;;three;", {{"sep", ";"}, {"k", "key"}});
  bench->run();
  const auto records = cluster_.consume("t", 3);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[2].value, "three");
  EXPECT_EQ(records[2].key, "key");
  EXPECT_EQ(bench->outputs("success")[0].attribute("msg.count"), "3");
}

TEST_F(PublishKafkaTest, SendsChosenAttributesAsHeaders) {
  const auto bench =
      publisher({{"FlowFile Attribute Header Pattern", "a.*"}, {"Header Encoding", "ISO-8859-1"}});
  bench->enqueue("v", {{"a1", "ä"}, {"a2", "x"}, {"ba", "y"}});
  bench->run();
  const auto records = cluster_.consume("t", 1);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_THAT(records[0].headers, ElementsAre(Pair("a1", "\xe4"), Pair("a2", "x")));
}

TEST_F(PublishKafkaTest, ReadsKeysAsTold) {
  const auto bench = publisher({{"Kafka Key Attribute Encoding", "hex"}});
  bench->enqueue("v", {{"kafka.key", "01fF"}});
  bench->enqueue("w", {{"kafka.key", "xy"}});
  bench->run();
  const auto records = cluster_.consume("t", 1);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].key, std::string("\x01\xff", 2));
  ASSERT_EQ(bench->count("failure"), 1u);
  EXPECT_EQ(bench->outputs("failure")[0].content, "w");
  const auto none =
      publisher({{"Kafka Key Attribute Encoding", "do-not-add"}, {"Topic Name", "u"}});
  none->enqueue("v", {{"kafka.key", "k"}});
  none->run();
  EXPECT_EQ(cluster_.consume("u", 1).at(0).key, std::nullopt);
}

TEST_F(PublishKafkaTest, AFlowFileThatIsTooLargeFailsAlone) {
  const auto bench = publisher({{"max.request.size", "100 KB"}});
  bench->enqueue("small");
  bench->enqueue(std::string(102'401, 'x'));
  bench->enqueue("small, too");
  bench->run();
  EXPECT_EQ(bench->count("success"), 2u);
  EXPECT_EQ(bench->count("failure"), 1u);
  EXPECT_THAT(bench->messages(LogLevel::error).at(0), HasSubstr("Max Request Size"));
}

// R100: publishing reported success although not all records were acknowledged.
TEST_F(PublishKafkaTest, OneUnacknowledgedRecordOfMany) {
  settings_["batch.num.messages"] = "10";
  settings_["retries"] = "0";
  settings_["enable.idempotence"] = "false";
  const auto bench = publisher({{"Message Demarcator", "\n"}});
  std::string content;
  for (int i = 0; i < 100; ++i) content += std::to_string(i) + "\n";
  bench->enqueue(content);
  const auto fine = RD_KAFKA_RESP_ERR_NO_ERROR;
  cluster_.fail_requests(testing::kProduce,
                         {fine, fine, RD_KAFKA_RESP_ERR_INVALID_MSG, fine, fine, fine});
  bench->run();
  EXPECT_EQ(bench->count("success"), 0u);
  EXPECT_EQ(bench->count("failure"), 1u);
}

// R105: a flush could say success although the cluster was down.
TEST_F(PublishKafkaTest, ABrokerThatIsDown) {
  const auto bench = publisher();
  bench->enqueue("v");
  rd_kafka_mock_broker_set_down(cluster_.get(), 1);
  bench->run();
  EXPECT_EQ(bench->count("success"), 0u);
  ASSERT_EQ(bench->count("failure"), 1u);
  rd_kafka_mock_broker_set_up(cluster_.get(), 1);
  bench->enqueue("w");
  for (int i = 0; i < 5 && bench->count("success") == 0; ++i) {
    bench->run();
    if (bench->count("success") == 0) bench->enqueue("w");
  }
  EXPECT_GE(bench->count("success"), 1u) << "it goes on when the broker does";
}

TEST_F(PublishKafkaTest, KeepsFlowFilesInTheirQueueWhereTold) {
  const auto bench = publisher({{"Failure Strategy", "Rollback"}});
  bench->enqueue("one");
  bench->enqueue("two", {{"bad", "yes"}});
  rd_kafka_mock_broker_set_down(cluster_.get(), 1);
  bench->run();
  EXPECT_EQ(bench->queued(), 2u);
  EXPECT_TRUE(bench->yielded());
  rd_kafka_mock_broker_set_up(cluster_.get(), 1);
  for (int i = 0; i < 5 && bench->queued() > 0; ++i) bench->run();
  EXPECT_EQ(bench->count("success"), 2u);
}

// Parts and clones of a FlowFile all say that they are the same record of the same topic.
TEST_F(PublishKafkaTest, PartsOfOneConsumedRecordAreAllPublished) {
  const auto bench = publisher({{"Transactions Enabled", "true"}});
  const Values attributes = {{"kafka.consumer.offsets.committed", "false"},
                             {"kafka.consumer.id", "g"},
                             {"kafka.topic", "t"},
                             {"kafka.partition", "0"},
                             {"kafka.offset", "5"},
                             {"kafka.timestamp", "1700000000000"}};
  for (int run = 0; run < 2; ++run) {
    bench->enqueue("one", attributes);
    bench->enqueue("two", attributes);
    bench->run();
    EXPECT_EQ(bench->last_error(), std::nullopt);
  }
  EXPECT_EQ(bench->count("success"), 4u);
  EXPECT_EQ(cluster_.consume("t", 4).size(), 4u);
}

TEST_F(PublishKafkaTest, SaysWhatCannotBe) {
  const auto problem = [&](Values values) {
    const auto problems = publisher(std::move(values))->validate();
    return problems.empty() ? "" : problems[0].message;
  };
  EXPECT_EQ(problem({}), "");
  EXPECT_THAT(problem({{"Transactions Enabled", "true"}, {"acks", "1"}}),
              HasSubstr("all replicas"));
  EXPECT_THAT(problem({{"Record Reader", "r"}}), HasSubstr("later version"));
  EXPECT_THAT(problem({{"partitioner.class",
                        "org.apache.nifi.processors.kafka.pubsub.Partitioners."
                        "ExpressionLanguagePartitioner"}}),
              HasSubstr("needs it"));
}

class PartitionsTest : public PublishKafkaTest {
 protected:
  PartitionsTest() : PublishKafkaTest(4) {}

  std::map<std::int32_t, std::vector<std::string>> by_partition(std::size_t count) {
    std::map<std::int32_t, std::vector<std::string>> found;
    for (const MockRecord& record : cluster_.consume("t", count)) {
      found[record.partition].push_back(record.value.value_or(""));
    }
    return found;
  }
};

TEST_F(PartitionsTest, TakesTurns) {
  const auto bench =
      publisher({{"partitioner.class", "org.apache.kafka.clients.producer.RoundRobinPartitioner"}});
  for (int i = 0; i < 8; ++i) bench->enqueue(std::to_string(i), {{"kafka.key", "same"}});
  bench->run();
  const auto found = by_partition(8);
  ASSERT_EQ(found.size(), 4u);
  for (const auto& [partition, values] : found) EXPECT_EQ(values.size(), 2u);
}

// Values of the Java client: murmur2 of the key, without its sign, modulo the partitions.
TEST_F(PartitionsTest, KeysGoWhereTheJavaClientSendsThem) {
  const auto bench = publisher();
  for (const char* key : {"21", "foobar", "a-little-bit-long-string"}) {
    bench->enqueue(key, {{"kafka.key", key}});
  }
  bench->run();
  // toPositive(murmur2): -973932308, -790332482, -985981536
  const auto positive = [](std::int32_t hash) { return (hash & 0x7fffffff) % 4; };
  const auto found = by_partition(3);
  for (const auto& [key, hash] : std::map<std::string, std::int32_t>{
           {"21", -973932308}, {"foobar", -790332482}, {"a-little-bit-long-string", -985981536}}) {
    EXPECT_THAT(found.at(positive(hash)), ::testing::Contains(key));
  }
}

TEST_F(PartitionsTest, ExpressionsChooseByTheirHash) {
  const auto bench = publisher({{"partitioner.class",
                                 "org.apache.nifi.processors.kafka.pubsub.Partitioners."
                                 "ExpressionLanguagePartitioner"},
                                {"partition", "${p}"}});
  for (const char* text : {"a", "b", "a", "c"}) bench->enqueue(text, {{"p", text}});
  bench->run();
  ASSERT_EQ(bench->count("success"), 4u) << bench->messages(LogLevel::error).at(0);
  const auto found = by_partition(4);
  EXPECT_THAT(found, ElementsAre(Pair(97 % 4, ElementsAre("a", "a")),
                                 Pair(98 % 4, ElementsAre("b")), Pair(99 % 4, ElementsAre("c"))));
}

TEST(PartitionHash, IsJavas) {
  EXPECT_EQ(partition_hash(""), 0u);
  EXPECT_EQ(partition_hash("hello"), 99162322u);
  EXPECT_EQ(partition_hash("ä"), 228u);
  EXPECT_EQ(partition_hash("\U0001F600"), 1772899u) << "two characters of Java";
  EXPECT_EQ(partition_hash("polygenelubricants"), 2147483648u) << "the number without a positive";
}

}  // namespace
}  // namespace weir::processors::kafka
