#include "processors/kafka/mirror_kafka.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/kafka/connection_settings.h"
#include "processors/kafka/mirror/mirror_message_handler.h"
#include "tests/processors/bench/test_bench.h"
#include "tests/processors/kafka/mock_clusters.h"

namespace weir::processors::kafka {
namespace {

using bench::TestBench;
using bench::Values;
using namespace test;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::shared_ptr<ConfiguredConnection> connection(const MockCluster& cluster) {
  ConnectionValues values;
  values.bootstrap_servers = cluster.brokers();
  values.api_timeout = std::chrono::milliseconds(3000);
  values.dynamic = {{"session.timeout.ms", "6000"}, {"heartbeat.interval.ms", "200"}};
  return std::make_shared<ConfiguredConnection>(values, nullptr);
}

Values values(Values given = {}) {
  given.emplace("Topics", "orders");
  given.emplace("Group ID", "mirror");
  given.emplace("Commit Interval", "50 ms");
  given.emplace("Topic Refresh Interval", "300 ms");
  return given;
}

std::vector<std::string> problems(const Values& given) {
  TestBench bench(mirror_kafka(), values(given));
  bench.set("Source Connection Service", "source");
  bench.set("Target Connection Service", "target");
  std::vector<std::string> names;
  for (const ValidationProblem& problem : bench.validate()) names.push_back(problem.property);
  return names;
}

TEST(MirrorKafka, SaysWhatKeepsItFromStarting) {
  EXPECT_THAT(problems({}), IsEmpty());
  EXPECT_THAT(problems({{"Topics", "a("}, {"Topic Format", "pattern"}}), ElementsAre("Topics"));
  EXPECT_THAT(problems({{"On Failed Record", "dead-letter-topic"}}),
              ElementsAre("Dead Letter Topic"));
  EXPECT_THAT(problems({{"On Failed Record", "dead-letter-topic"}, {"Dead Letter Topic", "d"}}),
              IsEmpty());
  EXPECT_THAT(problems({{"Message Handler", "nobody's"}}), ElementsAre("Message Handler"));
  EXPECT_THAT(problems({{"header.a", "b"}}), ElementsAre("header.a"));
  EXPECT_THAT(problems({{"header.a", "b"}, {"Message Handler", "expression"}}), IsEmpty());
  EXPECT_THAT(problems({{"other", "b"}, {"Message Handler", "expression"}}), ElementsAre("other"));
  EXPECT_THAT(problems({{"Replication Factor", "many"}}), ElementsAre("Replication Factor"));
  EXPECT_THAT(problems({{"Replication Factor", "3"}}), IsEmpty());
  EXPECT_THAT(problems({{"Data Channels", "0"}}), ElementsAre("Data Channels"));
}

class Picky : public MirrorMessageHandler {
 public:
  void handle(MirrorRecord record, std::vector<MirrorRecord>& out) override {
    if (record.value == "1") throw std::runtime_error("it is 1");
    out.push_back(std::move(record));
  }
};

// One start of a mirror takes seconds on the mock cluster, so this looks at everything at once.
TEST(MirrorKafka, TellsOfItsBatchesAndGivesFailedRecordsOut) {
  MockCluster source, target;
  source.create("orders", 1);
  target.create("orders", 1);
  source.write(numbered("orders", 1, 0, 4));
  register_mirror_message_handler("picky",
                                  [](const PropertyContext&) { return std::make_unique<Picky>(); });
  TestBench bench(mirror_kafka(),
                  values({{"Message Handler", "picky"}, {"On Failed Record", "failure"}}));
  bench.provide("Source Connection Service", connection(source));
  bench.provide("Target Connection Service", connection(target));
  EXPECT_THAT(bench.validate(), IsEmpty());
  EXPECT_TRUE(eventually([&] {
    bench.run();
    return source.committed("mirror", "orders", 0) == 4;
  })) << ::testing::PrintToString(bench.messages(LogLevel::error));
  bench.run();

  ASSERT_EQ(bench.count("failure"), 1u);
  const bench::Output failed = bench.outputs("failure")[0];
  EXPECT_EQ(failed.content, "1");
  EXPECT_EQ(failed.attribute("kafka.topic"), "orders");
  EXPECT_EQ(failed.attribute("kafka.partition"), "0");
  EXPECT_EQ(failed.attribute("kafka.offset"), "1");
  EXPECT_EQ(failed.attribute("kafka.key"), "k1");
  EXPECT_EQ(failed.attribute("kafka.mirror.error"), "it is 1");
  EXPECT_THAT(bench.messages(LogLevel::error), Not(IsEmpty()));

  // The engine drops the events of FlowFiles that are made and removed in one session.
  ASSERT_GE(bench.count("mirrored"), 1u);
  const bench::Output batch = bench.outputs("mirrored").back();
  EXPECT_EQ(batch.attribute("kafka.topic"), "orders");
  EXPECT_EQ(batch.attribute("kafka.max.offset"), "3");
  EXPECT_EQ(batch.attribute("kafka.lag"), "0");
  EXPECT_GE(bench.count_events("RECEIVE"), 2u);
  EXPECT_GE(bench.count_events("SEND"), 1u);
  EXPECT_THAT(bench.transit_uris(), Contains("kafka://" + source.brokers() + "/orders"));
  EXPECT_THAT(bench.transit_uris(), Contains("kafka://" + target.brokers() + "/orders"));
  bench.stop();
  std::vector<std::string> copied;
  for (const MirrorRecord& record : target.read("orders", 1, 3)) copied.push_back(*record.value);
  EXPECT_THAT(copied, ElementsAre("0", "2", "3"));
}

}  // namespace
}  // namespace weir::processors::kafka
