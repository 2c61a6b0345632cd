#include "processors/kafka/mirror/mirror.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/processors/kafka/mock_clusters.h"

namespace weir::processors::kafka {
namespace {

using namespace test;
using namespace std::chrono_literals;

constexpr std::int16_t kProduce = 0;

class MirrorTest : public ::testing::Test {
 protected:
  MockCluster source_, target_;
  RecordingListener listener_;
  SilentLog log_;

  std::unique_ptr<Mirror> start(MirrorSettings settings) {
    return std::make_unique<Mirror>(std::move(settings), listener_, system_clock(), log_);
  }
  void create(const std::string& topic, int partitions) {
    source_.create(topic, partitions);
    target_.create(topic, partitions);
  }
};

TEST_F(MirrorTest, CopiesRecordsAndCommitsBehindThem) {
  create("orders", 3);
  source_.write(numbered("orders", 3, 0, 300));
  auto mirror = start(settings_of(source_, target_, {"orders"}));
  const auto copied = target_.read("orders", 3, 300);
  ASSERT_EQ(copied.size(), 300u) << listener_.all_notes();
  EXPECT_TRUE(eventually([&] { return listener_.records() == 300; })) << listener_.all_notes();
  mirror->stop();
  for (int partition = 0; partition < 3; ++partition) {
    EXPECT_EQ(source_.committed("mirror", "orders", partition), 100);
    std::vector<int> values;
    for (const MirrorRecord& record : copied) {
      if (record.partition == partition) values.push_back(std::stoi(*record.value));
    }
    ASSERT_EQ(values.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i * 3 + partition);
  }
}

TEST_F(MirrorTest, OrderlyStopAndStartMakesNoDuplicates) {
  create("orders", 2);
  for (int round = 0; round < 3; ++round) {
    auto mirror = start(settings_of(source_, target_, {"orders"}));
    source_.write(numbered("orders", 2, round * 500, 500));
    // Stopped in the middle of the work.
    EXPECT_TRUE(eventually([&] { return target_.end("orders", 0) > round * 250; }));
    mirror->stop();
  }
  auto mirror = start(settings_of(source_, target_, {"orders"}));
  EXPECT_TRUE(eventually([&] {
    return target_.end("orders", 0) >= 750 && target_.end("orders", 1) >= 750;
  })) << listener_.all_notes();
  mirror->stop();
  EXPECT_EQ(target_.end("orders", 0), 750);
  EXPECT_EQ(target_.end("orders", 1), 750);
}

// The target is the truth: what it has, and the group does not know of, is committed later.
TEST_F(MirrorTest, ACommitThatFailsIsToldAndTriedAgain) {
  create("orders", 1);
  source_.write(numbered("orders", 1, 0, 100));
  constexpr std::int16_t kOffsetCommit = 8;
  rd_kafka_mock_push_request_errors(
      source_.get(), kOffsetCommit, 3, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
      RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED);
  auto mirror = start(settings_of(source_, target_, {"orders"}));
  EXPECT_TRUE(eventually([&] { return listener_.records() == 100; })) << listener_.all_notes();
  EXPECT_GE(listener_.notes(MirrorNote::commit_failed), 1u) << listener_.all_notes();
  EXPECT_EQ(source_.committed("mirror", "orders", 0), 100);
  mirror->stop();
  EXPECT_EQ(target_.end("orders", 0), 100);
}

// R105: success is what the target acknowledged record by record, however long it was away.
TEST_F(MirrorTest, WhatTheTargetRefusedForAWhileArrivesOnceAndInOrder) {
  create("orders", 1);
  rd_kafka_mock_push_request_errors(target_.get(), kProduce, 4,
                                    RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                                    RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
                                    RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__TRANSPORT);
  source_.write(numbered("orders", 1, 0, 500));
  auto mirror = start(settings_of(source_, target_, {"orders"}));
  EXPECT_TRUE(eventually([&] { return listener_.records() == 500; })) << listener_.all_notes();
  mirror->stop();
  EXPECT_EQ(source_.committed("mirror", "orders", 0), 500);
  const auto copied = target_.read("orders", 1, 500);
  ASSERT_EQ(copied.size(), 500u);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(copied[static_cast<std::size_t>(i)].value, std::to_string(i));
  }
}

// The answer of one broker comes after librdkafka was told by the other one that the topic is gone.
TEST_F(MirrorTest, WhatWasOnItsWayToATopicThatWentIsSentAgain) {
  MockCluster target(2);
  source_.create("orders", 2);
  target.create("orders", 2);
  rd_kafka_mock_partition_set_leader(target.get(), "orders", 0, 1);
  rd_kafka_mock_partition_set_leader(target.get(), "orders", 1, 2);
  MirrorSettings settings = settings_of(source_, target, {"orders"});
  settings.target["topic.metadata.refresh.interval.ms"] = "300";
  // This cluster cannot create topics, and does not answer who asks for settings.
  settings.topic_rules.create = false;
  settings.api_timeout = std::chrono::milliseconds(1000);
  auto mirror = start(settings);
  source_.write(numbered("orders", 2, 0, 20));
  ASSERT_TRUE(eventually([&] { return listener_.records() == 20; })) << listener_.all_notes();

  constexpr int kLate_ms = 1'500;
  rd_kafka_mock_broker_push_request_error_rtts(target.get(), 2, kProduce, 1,
                                               RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, kLate_ms);
  source_.write(numbered("orders", 2, 20, 20));
  ASSERT_TRUE(eventually([&] { return target.end("orders", 0) == 20; }));
  rd_kafka_mock_topic_set_error(target.get(), "orders", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  std::this_thread::sleep_for(std::chrono::milliseconds(2 * kLate_ms));
  rd_kafka_mock_topic_set_error(target.get(), "orders", RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_TRUE(eventually([&] { return listener_.records() == 40; })) << listener_.all_notes();
  mirror->stop();
  EXPECT_EQ(target.end("orders", 0), 20);
  EXPECT_EQ(target.end("orders", 1), 20);
}

}  // namespace
}  // namespace weir::processors::kafka
