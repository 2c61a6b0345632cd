#include "processors/kafka/mirror/first_offsets.h"

#include <gtest/gtest.h>

#include "processors/kafka/mirror/mirror.h"
#include "tests/processors/kafka/mock_clusters.h"

namespace weir::processors::kafka {
namespace {

class FirstOffsets : public ::testing::Test {
 protected:
  test::MockCluster cluster_;
  test::SilentLog log_;
  const Client consumer_{
      RD_KAFKA_CONSUMER,
      configuration({{"bootstrap.servers", cluster_.brokers()}, {"group.id", "first-offsets"}}),
      log_};
  const Owned<rd_kafka_topic_partition_list_t> list_{rd_kafka_topic_partition_list_new(3)};

  void add(const char* topic, std::int32_t partition, std::int64_t offset) {
    rd_kafka_topic_partition_list_add(list_.get(), topic, partition)->offset = offset;
  }
  // At the first call, where the machine has time.
  bool is_found(int index) {
    return test::eventually([&] {
      find_beginnings(consumer_.get(), *list_);
      return offset(index) == 0;
    });
  }
  std::int64_t offset(int index) const { return list_->elems[index].offset; }
};

TEST_F(FirstOffsets, AreNumbersWhereTheBeginningIsAskedFor) {
  cluster_.create("orders", 3);
  cluster_.write(test::numbered("orders", 3, 0, 30));
  add("orders", 2, RD_KAFKA_OFFSET_BEGINNING);
  add("orders", 0, 7);
  add("orders", 1, RD_KAFKA_OFFSET_BEGINNING);
  EXPECT_TRUE(is_found(0));
  EXPECT_EQ(offset(1), 7);
  EXPECT_EQ(offset(2), 0);
}

TEST_F(FirstOffsets, StayTheBeginningWhereNobodyTellsThem) {
  cluster_.create("orders", 1);
  add("orders", 0, RD_KAFKA_OFFSET_BEGINNING);
  add("orders", 1, RD_KAFKA_OFFSET_BEGINNING);
  EXPECT_TRUE(is_found(0));
  EXPECT_EQ(offset(1), RD_KAFKA_OFFSET_BEGINNING);
}

// A topic that is made anew is known by the position that went with it: one must be there.
TEST(MirrorFirstOffsets, AreCommittedWhenAPartitionIsTakenUp) {
  test::MockCluster source, target;
  test::RecordingListener listener;
  test::SilentLog log;
  source.create("orders", 1);
  target.create("orders", 1);
  MirrorSettings settings = test::settings_of(source, target, {"orders"});
  settings.commit_interval = std::chrono::hours(1);
  Mirror mirror(settings, listener, system_clock(), log);
  EXPECT_TRUE(test::eventually([&] { return source.committed("mirror", "orders", 0) == 0; }))
      << listener.all_notes();
  mirror.stop();
}

}  // namespace
}  // namespace weir::processors::kafka
