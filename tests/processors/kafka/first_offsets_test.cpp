#include "processors/kafka/mirror/first_offsets.h"

#include <gtest/gtest.h>

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
  std::int64_t offset(int index) const { return list_->elems[index].offset; }
};

TEST_F(FirstOffsets, AreNumbersWhereTheBeginningIsAskedFor) {
  cluster_.create("orders", 3);
  cluster_.write(test::numbered("orders", 3, 0, 30));
  add("orders", 2, RD_KAFKA_OFFSET_BEGINNING);
  add("orders", 0, 7);
  add("orders", 1, RD_KAFKA_OFFSET_BEGINNING);
  find_beginnings(consumer_.get(), *list_);
  EXPECT_EQ(offset(0), 0);
  EXPECT_EQ(offset(1), 7);
  EXPECT_EQ(offset(2), 0);
}

TEST_F(FirstOffsets, StayTheBeginningWhereNobodyTellsThem) {
  cluster_.create("orders", 1);
  add("orders", 0, RD_KAFKA_OFFSET_BEGINNING);
  add("orders", 1, RD_KAFKA_OFFSET_BEGINNING);
  find_beginnings(consumer_.get(), *list_);
  EXPECT_EQ(offset(0), 0);
  EXPECT_EQ(offset(1), RD_KAFKA_OFFSET_BEGINNING);
}

}  // namespace
}  // namespace weir::processors::kafka
