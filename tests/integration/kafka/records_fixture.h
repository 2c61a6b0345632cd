#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "tests/integration/kafka/brokers.h"
#include "tests/integration/kafka/flow_engine.h"
#include "tests/integration/kafka/numbered_records.h"

namespace weir::kafka_testing {

// Numbered records that are written bit by bit while engines forward them to another topic.
class ForwardingTest : public ::testing::Test {
 protected:
  static constexpr int kPartitions = 4;

  ForwardingTest();
  ~ForwardingTest() override;

  ForwardingFlow flow() const;
  // Writes all of `sent_` within about this time, beside what else the test does.
  void write_during(std::chrono::seconds time);
  void finish_writing();
  // What has arrived in the end; fails where that is not all.
  Arrival arrived();
  std::uint64_t random() { return random_(); }
  static int loops(int otherwise);

  Broker& broker_ = Brokers::instance(1).source();
  ClusterClient cluster_{broker_.address()};
  const std::string from_ = Brokers::fresh_name("from");
  const std::string to_ = Brokers::fresh_name("to");
  const std::string group_ = Brokers::fresh_name("group");
  NumberedRecords sent_{.partitions = kPartitions, .per_partition = 2'000};

 private:
  std::jthread writer_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
};

}  // namespace weir::kafka_testing
