#include "processors/kafka/records/nifi_1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/api/registry.h"
#include "engine/flow/check.h"
#include "engine/flow/read.h"
#include "processors/kafka/records/consume_kafka.h"
#include "processors/kafka/records/publish_kafka.h"
#include "tests/processors/bench/test_bench.h"
#include "tests/processors/kafka/mock_cluster.h"

namespace weir::processors::kafka {
namespace {

using bench::TestBench;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MockCluster;
using ::testing::UnorderedElementsAre;

// As NiFi 1.x exports them: every property listed, those of other ways as null.
constexpr const char* flow_of_1_x = R"({
  "flowContents": {"identifier": "g", "name": "g", "processGroups": [], "connections": [
    {"identifier": "c", "name": "", "source": {"id": "a", "type": "PROCESSOR", "groupId": "g"},
     "destination": {"id": "b", "type": "PROCESSOR", "groupId": "g"},
     "selectedRelationships": ["success"], "componentType": "CONNECTION"}],
    "controllerServices": [], "processors": [
    {"identifier": "a", "name": "in", "componentType": "PROCESSOR",
     "type": "org.apache.nifi.processors.kafka.pubsub.ConsumeKafka_2_6",
     "bundle": {"group": "org.apache.nifi", "artifact": "nifi-kafka-2-6-nar", "version": "1.15.3"},
     "properties": {"bootstrap.servers": "b1:9092", "topic": "t", "topic_type": "names",
       "group.id": "readers", "auto.offset.reset": "earliest", "security.protocol": "PLAINTEXT",
       "sasl.mechanism": "GSSAPI", "sasl.kerberos.service.name": null, "sasl.username": null,
       "sasl.token.auth": "false", "kerberos-credentials-service": null,
       "ssl.context.service": null, "aws.profile.name": null, "Commit Offsets": "true",
       "honor-transactions": "true", "message-demarcator": null, "separate-by-key": "false",
       "key-attribute-encoding": "utf-8", "header-name-regex": null, "max.poll.records": "10000",
       "message-header-encoding": "UTF-8", "max-uncommit-offset-wait": "1 secs",
       "Communications Timeout": "60 secs", "max.partition.fetch.bytes": "2097152",
       "key.deserializer": "org.apache.kafka.common.serialization.StringDeserializer"}},
    {"identifier": "b", "name": "out", "componentType": "PROCESSOR",
     "type": "org.apache.nifi.processors.kafka.pubsub.PublishKafka_1_0",
     "autoTerminatedRelationships": ["success", "failure"],
     "properties": {"bootstrap.servers": "b1:9092", "topic": "${kafka.topic}", "acks": "all",
       "use-transactions": "false", "kafka-key": null, "message-demarcator": null,
       "attribute-name-regex": null, "max.request.size": "1 MB", "ack.wait.time": "5 secs",
       "max.block.ms": "5 sec", "compression.type": "snappy", "partition": null,
       "partitioner.class":
         "org.apache.nifi.processors.kafka.pubsub.Partitioners$RoundRobinPartitioner"}}]}})";

ComponentRegistry registry() {
  ComponentRegistry all;
  all.add(consume_kafka());
  all.add(publish_kafka());
  all.add_unlisted(consume_kafka_1());
  all.add_unlisted(consume_kafka_record_1());
  all.add_unlisted(publish_kafka_1());
  all.add_unlisted(publish_kafka_record_1());
  return all;
}

TEST(Nifi1, ItsFlowsLoadWithTheirConnections) {
  const auto known = registry();
  const auto read = flow::read_flow(flow_of_1_x, "flow.json");
  ASSERT_TRUE(read) << read.error().front().message;
  const auto checked = flow::check_flow(read->flow, known);
  EXPECT_EQ(checked.unknown_types, 0u);
  std::vector<std::string> problems;
  for (const auto& one : read->problems) problems.push_back(one.message);
  for (const auto& one : checked.problems) problems.push_back(one.message);
  EXPECT_THAT(problems, IsEmpty());
}

TEST(Nifi1, EveryVersionHasItsPlace) {
  const auto known = registry();
  const std::string package = "org.apache.nifi.processors.kafka.pubsub.";
  for (const char* version : {"_2_6", "_2_0", "_1_0", "_0_11", "_0_10"}) {
    EXPECT_EQ(known.find_processor(package + "ConsumeKafka" + version), &consume_kafka_1());
    EXPECT_EQ(known.find_processor(package + "PublishKafka" + version), &publish_kafka_1());
    EXPECT_EQ(known.find_processor(package + "ConsumeKafkaRecord" + version),
              &consume_kafka_record_1());
    EXPECT_EQ(known.find_processor(package + "PublishKafkaRecord" + version),
              &publish_kafka_record_1());
  }
  EXPECT_EQ(known.find_processor(package + "ConsumeKafka"), &consume_kafka_1());
  EXPECT_EQ(known.find_processor("ConsumeKafka"), &consume_kafka());
  EXPECT_EQ(known.find_processor("org.apache.nifi.kafka.processors.PublishKafka"),
            &publish_kafka());
}

TEST(Nifi1, ItsProcessorsWork) {
  const MockCluster cluster;
  TestBench publish(publish_kafka_1(), {{"bootstrap.servers", cluster.address()},
                                        {"topic", "${to}"},
                                        {"use-transactions", "false"},
                                        {"linger.ms", "1"},
                                        {"log_level", "0"}});
  publish.enqueue("one", {{"to", "t"}});
  publish.run();
  EXPECT_EQ(publish.count("success"), 1u);
  TestBench consume(consume_kafka_1(), {{"bootstrap.servers", cluster.address()},
                                        {"topic", "t"},
                                        {"group.id", "g"},
                                        {"auto.offset.reset", "earliest"},
                                        {"log_level", "0"}});
  for (int i = 0; i < 40 && consume.count("success") == 0; ++i) consume.run();
  ASSERT_EQ(consume.count("success"), 1u);
  EXPECT_EQ(consume.outputs("success")[0].content, "one");
}

TEST(Nifi1, SaysWhatIsNotThere) {
  const auto problems = [](const ProcessorDefinition& definition, bench::Values values) {
    values.emplace("bootstrap.servers", "a:1");
    values.emplace("topic", "t");
    if (&definition == &consume_kafka_1() || &definition == &consume_kafka_record_1()) {
      values.emplace("group.id", "g");
    }
    std::vector<std::string> found;
    for (const auto& one : TestBench(definition, values).validate()) found.push_back(one.property);
    return found;
  };
  EXPECT_THAT(problems(consume_kafka_1(), {}), IsEmpty());
  EXPECT_THAT(problems(publish_kafka_1(), {}), IsEmpty());
  EXPECT_THAT(problems(consume_kafka_record_1(), {{"record-reader", "r"}}),
              ElementsAre("record-reader"));
  EXPECT_THAT(problems(publish_kafka_record_1(), {{"record-reader", "r"}}),
              ElementsAre("record-reader"));
  EXPECT_THAT(problems(consume_kafka_1(), {{"topic_type", "flowNames"}}),
              ElementsAre("topic_type"));
  EXPECT_THAT(problems(consume_kafka_1(), {{"security.protocol", "SASL_SSL"}}),
              ElementsAre("sasl.mechanism"));
  EXPECT_THAT(
      problems(consume_kafka_1(), {{"security.protocol", "SASL_SSL"}, {"sasl.mechanism", "PLAIN"}}),
      ElementsAre("sasl.username"));
  EXPECT_THAT(problems(publish_kafka_1(), {{"acks", "0"}}), ElementsAre("acks"));
  EXPECT_THAT(problems(publish_kafka_1(), {{"nonsense", "x"}}), ElementsAre("nonsense"));
}

}  // namespace
}  // namespace weir::processors::kafka
