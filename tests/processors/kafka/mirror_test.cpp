#include "processors/kafka/mirror/mirror.h"

#include <gtest/gtest.h>

#include "tests/processors/kafka/mock_clusters.h"

namespace weir::processors::kafka {
namespace {

using namespace test;
using namespace std::chrono_literals;

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
  constexpr std::int16_t kProduce = 0;
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

}  // namespace
}  // namespace weir::processors::kafka
