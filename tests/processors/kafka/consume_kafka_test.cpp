#include "processors/kafka/records/consume_kafka.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/kafka/records/consumer.h"
#include "tests/processors/bench/test_bench.h"
#include "tests/processors/kafka/mock_cluster.h"

namespace weir::processors::kafka {
namespace {

using bench::TestBench;
using bench::Values;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::MockCluster;
using testing::MockRecord;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// A consumer of the topic "t" from its beginning.
class ConsumeKafkaTest : public ::testing::Test {
 protected:
  std::unique_ptr<TestBench> consumer(Values values = {}) {
    values.emplace("Group ID", "g");
    values.emplace("Topics", "t");
    values.emplace("auto.offset.reset", "earliest");
    auto made = std::make_unique<TestBench>(consume_kafka(), values);
    made->provide("Kafka Connection Service", cluster_.connection(settings_));
    return made;
  }
  // Joining a group takes some polls.
  static void run_until(TestBench& bench, std::size_t count) {
    for (int i = 0; i < 40 && bench.count("success") < count; ++i) bench.run();
    EXPECT_EQ(bench.count("success"), count);
  }
  static std::vector<std::string> contents(const TestBench& bench) {
    std::vector<std::string> all;
    for (const auto& output : bench.outputs("success")) all.push_back(output.content);
    return all;
  }

  MockCluster cluster_;
  std::map<std::string, std::string> settings_;
};

// Joining a group of the mock cluster takes seconds: one test sees all of a record.
TEST_F(ConsumeKafkaTest, MakesAFlowFileOfEachRecord) {
  cluster_.produce("t", {{.key = "k", .value = "one"},
                         {.key = "k"},
                         {.value = ""},
                         {.value = "v", .headers = {{"a.1", "x"}, {"a.1", "y"}, {"ba.1", "z"}}},
                         {.value = "v", .headers = {{"a.2", "\xe4"}}}});
  const auto bench =
      consumer({{"Header Name Pattern", R"(a\..)"}, {"Header Encoding", "ISO-8859-1"}});
  run_until(*bench, 5);
  const auto outputs = bench->outputs("success");
  EXPECT_EQ(outputs[0].content, "one");
  EXPECT_THAT(outputs[0].attributes,
              IsSupersetOf({Pair("kafka.topic", "t"), Pair("kafka.partition", "0"),
                            Pair("kafka.offset", "0"), Pair("kafka.key", "k"),
                            Pair("kafka.header.count", "0"),
                            Pair("kafka.consumer.offsets.committed", "true")}));
  EXPECT_GT(std::stoll(outputs[0].attribute("kafka.timestamp")), 1'700'000'000'000);
  EXPECT_FALSE(outputs[0].attributes.contains("kafka.consumer.id"));
  EXPECT_EQ(outputs[1].attribute("kafka.tombstone"), "true");
  EXPECT_EQ(outputs[1].attribute("kafka.offset"), "1");
  EXPECT_FALSE(outputs[2].attributes.contains("kafka.tombstone")) << "empty, and yet a value";
  EXPECT_FALSE(outputs[2].attributes.contains("kafka.key"));
  EXPECT_EQ(outputs[3].attribute("a.1"), "y") << "the last one counts";
  EXPECT_FALSE(outputs[3].attributes.contains("ba.1"));
  EXPECT_EQ(outputs[3].attribute("kafka.header.count"), "3");
  EXPECT_EQ(outputs[4].attribute("a.2"), "ä");
  EXPECT_EQ(bench->count_events("RECEIVE"), 5u);
  EXPECT_EQ(bench->transit_uris().at(0), "kafka://t/0");
}

// Whoever writes a record chooses its headers' names.
TEST_F(ConsumeKafkaTest, HeadersCannotForgeWhereARecordIsFrom) {
  cluster_.produce("t", {{.key = std::string("\x01\xff", 2),
                          .value = "v",
                          .headers = {{"kafka.offset", "7"}, {"uuid", "mine"}}}});
  const auto bench = consumer({{"Header Name Pattern", ".*"}, {"Key Attribute Encoding", "hex"}});
  run_until(*bench, 1);
  const auto output = bench->outputs("success")[0];
  EXPECT_EQ(output.attribute("kafka.offset"), "0");
  EXPECT_NE(output.attribute("uuid"), "mine");
  EXPECT_EQ(output.attribute("kafka.key"), "01ff");
}

TEST_F(ConsumeKafkaTest, BundlesRecordsByKeyAndByChosenHeaders) {
  cluster_.produce("t", {{.key = "a", .value = "1"},
                         {.key = "b", .value = "2"},
                         {.key = "a", .value = "3"},
                         {.value = "4"},
                         {.key = "a", .value = "5", .headers = {{"h", "x"}}}});
  const auto bench = consumer({{"Processing Strategy", "DEMARCATOR"},
                               {"Message Demarcator", ","},
                               {"Separate By Key", "true"},
                               {"Header Name Pattern", "h"}});
  run_until(*bench, 4);
  EXPECT_THAT(contents(*bench), ElementsAre("1,3", "2", "4", "5"));
  const auto outputs = bench->outputs("success");
  EXPECT_THAT(outputs[0].attributes,
              IsSupersetOf({Pair("kafka.offset", "0"), Pair("kafka.max.offset", "2"),
                            Pair("kafka.count", "2"), Pair("kafka.key", "a")}));
  EXPECT_FALSE(outputs[2].attributes.contains("kafka.key"));
  EXPECT_EQ(outputs[3].attribute("h"), "x");
}

TEST_F(ConsumeKafkaTest, BundlesMoreThanItKeepsInMemory) {
  std::vector<MockRecord> records;
  for (int i = 0; i < 40; ++i) records.push_back({.value = std::string(20'000, 'x')});
  cluster_.produce("t", records);
  const auto bench = consumer({{"Processing Strategy", "DEMARCATOR"},
                               {"Message Demarcator", "|"},
                               {"Max Uncommitted Time", "2 sec"}});
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (int i = 0; i < 20 && count < 40; ++i) {
    bench->run();
    bytes = count = 0;
    for (const auto& output : bench->outputs("success")) {
      bytes += output.content.size() + 1;
      count += std::stoull(output.attribute("kafka.count"));
    }
  }
  EXPECT_EQ(count, 40u);
  EXPECT_EQ(bytes, 40u * 20'001);
}

TEST_F(ConsumeKafkaTest, EndsASessionAtItsSize) {
  std::vector<MockRecord> records(30, MockRecord{.value = std::string(1000, 'x')});
  cluster_.produce("t", records);
  const auto bench =
      consumer({{"Max Uncommitted Size", "10 KB"}, {"Max Uncommitted Time", "1 sec"}});
  for (int i = 0; i < 20 && bench->count("success") == 0; ++i) bench->run();
  EXPECT_EQ(bench->count("success"), 11u) << "10,240 bytes";
}

TEST_F(ConsumeKafkaTest, LeavesOffsetsToPublishKafkaWhereTold) {
  cluster_.produce("t", {{.value = "one"}});
  const auto bench = consumer({{"Commit Offsets", "false"}});
  run_until(*bench, 1);
  EXPECT_THAT(bench->outputs("success")[0].attributes,
              IsSupersetOf({Pair("kafka.consumer.offsets.committed", "false"),
                            Pair("kafka.consumer.id", "g")}));
  bench->stop();
  EXPECT_EQ(cluster_.committed("g", "t"), RD_KAFKA_OFFSET_INVALID);
  EXPECT_THAT(bench->state(), IsSupersetOf({Pair("group", "g"), Pair("offset t 0", "1")}));
}

TEST_F(ConsumeKafkaTest, ConsumesAllTopicsThatMatch) {
  for (const char* topic : {"in-1", "in-2", "out-1", "main-1"})
    cluster_.produce(topic, {{.value = topic}});
  const auto bench = consumer({{"Topic Format", "pattern"}, {"Topics", R"((?i)IN-\d)"}});
  run_until(*bench, 2);
  EXPECT_THAT(contents(*bench), UnorderedElementsAre("in-1", "in-2"));
}

TEST_F(ConsumeKafkaTest, SaysWhatComesLaterAndWhatIsWrong) {
  const auto records =
      consumer({{"Processing Strategy", "RECORD"}, {"Record Reader", "r"}, {"Record Writer", "w"}});
  ASSERT_EQ(records->validate().size(), 1u);
  EXPECT_THAT(records->validate()[0].message, HasSubstr("later version"));
  EXPECT_EQ(consumer({{"Topic Format", "pattern"}, {"Topics", "("}})->validate().size(), 1u);
  EXPECT_EQ(consumer({{"Topics", ","}})->validate().size(), 1u);
  EXPECT_EQ(consumer()->validate().size(), 0u);
}

TEST_F(ConsumeKafkaTest, AMissingOffsetIsAnErrorWhereNoneIsToBeMadeUp) {
  cluster_.produce("t", {{.value = "one"}});
  const auto bench = consumer({{"auto.offset.reset", "none"}});
  for (int i = 0; i < 40 && !bench->last_error(); ++i) bench->run();
  ASSERT_TRUE(bench->last_error());
  EXPECT_THAT(*bench->last_error(), HasSubstr("AUTO_OFFSET_RESET"));
  EXPECT_EQ(bench->count("success"), 0u);
}

// The consumer alone, with sessions as a test makes them.
class ConsumerTest : public ConsumeKafkaTest {
 protected:
  struct Log : ComponentLog {
    bool enabled(LogLevel) const override { return false; }
    void write(LogLevel, std::string_view) override {}
  };

  std::unique_ptr<Consumer> make() {
    ConsumerOptions options;
    options.settings = cluster_.connection(settings_)->consumer_settings();
    options.settings["group.id"] = "g";
    options.settings["auto.offset.reset"] = "earliest";
    options.topics = {.names = {"t"}};
    options.timeout = std::chrono::milliseconds(5'000);
    return std::make_unique<Consumer>(options, system_clock(), log_);
  }
  static std::vector<std::int64_t> read(
      Consumer& consumer, std::size_t count, const std::function<void()>& finish = [] {}) {
    std::vector<std::int64_t> offsets;
    for (int i = 0; i < 200 && offsets.size() < count; ++i) {
      const auto record = consumer.poll(std::chrono::milliseconds(50), finish);
      if (record) offsets.push_back(record->offset);
    }
    return offsets;
  }

  Log log_;
};

// R108: offsets were committed in order of completion, and a failed earlier record was skipped.
TEST_F(ConsumerTest, RecordsOfAFailedSessionComeAgain) {
  cluster_.produce("t", std::vector<MockRecord>(6, MockRecord{.value = "v"}));
  const auto consumer = make();
  EXPECT_THAT(read(*consumer, 2), ElementsAre(0, 1));
  consumer->session_committed();
  EXPECT_THAT(read(*consumer, 3), ElementsAre(2, 3, 4));
  consumer->session_failed();
  EXPECT_FALSE(consumer->broken());
  EXPECT_THAT(read(*consumer, 4), ElementsAre(2, 3, 4, 5));
}

// R098: an offset was committed of a session that was not.
TEST_F(ConsumerTest, CommitsNothingOfAnOpenSession) {
  cluster_.produce("t", std::vector<MockRecord>(5, MockRecord{.value = "v"}));
  {
    const auto consumer = make();
    EXPECT_THAT(read(*consumer, 2), ElementsAre(0, 1));
    consumer->session_committed();
    EXPECT_THAT(read(*consumer, 2), ElementsAre(2, 3));
  }  // dropped with an open session
  EXPECT_EQ(cluster_.committed("g", "t"), 2);
}

// R113: an orderly stop closed before what was done was committed.
TEST_F(ConsumerTest, AStopCommitsWhatTheLastSessionsHold) {
  cluster_.produce("t", std::vector<MockRecord>(5, MockRecord{.value = "v"}));
  {
    const auto consumer = make();
    for (std::int64_t i = 0; i < 5; ++i) {
      EXPECT_THAT(read(*consumer, 1), ElementsAre(i));
      consumer->session_committed();
    }
  }
  EXPECT_EQ(cluster_.committed("g", "t"), 5);
}

TEST_F(ConsumerTest, ACommitThatFailsIsMadeUpFor) {
  cluster_.produce("t", std::vector<MockRecord>(2, MockRecord{.value = "v"}));
  {
    const auto consumer = make();
    EXPECT_THAT(read(*consumer, 2), ElementsAre(0, 1));
    cluster_.fail_requests(testing::kOffsetCommit, {RD_KAFKA_RESP_ERR_INVALID_COMMIT_OFFSET_SIZE});
    consumer->session_committed();
    consumer->poll(std::chrono::milliseconds(200), [] {});  // hears that it failed
  }
  EXPECT_EQ(cluster_.committed("g", "t"), 2);
}

// R120: after others came and went, a member stopped to read what it still owned.
TEST_F(ConsumerTest, AConsumerThatWaitedHandsEverythingOutInOrder) {
  cluster_.produce("t", std::vector<MockRecord>(50, MockRecord{.value = "v"}));
  const auto consumer = make();
  EXPECT_THAT(read(*consumer, 1), ElementsAre(0));
  consumer->session_committed();
  for (int i = 0; i < 3; ++i) consumer->keep_alive();
  cluster_.produce("t", std::vector<MockRecord>(50, MockRecord{.value = "v"}));
  for (int i = 0; i < 3; ++i) consumer->keep_alive();
  std::vector<std::int64_t> wanted;
  for (std::int64_t i = 1; i < 100; ++i) wanted.push_back(i);
  EXPECT_EQ(read(*consumer, 99), wanted);
}

TEST_F(ConsumerTest, WhatWasKeptOfAFailedSessionIsNotHandedOutTwice) {
  cluster_.produce("t", std::vector<MockRecord>(20, MockRecord{.value = "v"}));
  const auto consumer = make();
  EXPECT_THAT(read(*consumer, 1), ElementsAre(0));
  consumer->session_committed();
  consumer->keep_alive();
  EXPECT_THAT(read(*consumer, 2), ElementsAre(1, 2));
  consumer->session_failed();
  std::vector<std::int64_t> wanted;
  for (std::int64_t i = 1; i < 20; ++i) wanted.push_back(i);
  EXPECT_EQ(read(*consumer, 19), wanted);
}

}  // namespace
}  // namespace weir::processors::kafka
