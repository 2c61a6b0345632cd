#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "processors/kafka/mirror/mirror.h"
#include "tests/integration/kafka/brokers.h"
#include "tests/integration/kafka/numbered_records.h"
#include "tests/processors/kafka/recording_listener.h"

namespace weir::kafka_testing {

using processors::kafka::Mirror;
using processors::kafka::MirrorNote;
using processors::kafka::MirrorSettings;
using processors::kafka::test::RecordingListener;
using tools::testing::eventually;

// Writes numbered records into the source, slice by slice, until it is told to end.
class Load {
 public:
  // The load is there to be interrupted, not to fill the machine: so it pauses between slices.
  Load(std::string brokers, std::string topic, int partitions,
       std::chrono::milliseconds pause = std::chrono::milliseconds(20));
  ~Load() { finish(); }
  // What was written, all of it acknowledged.
  NumberedRecords finish();

 private:
  void run();

  const std::string brokers_;
  const std::string topic_;
  const int partitions_;
  const std::chrono::milliseconds pause_;
  std::atomic<bool> ending_{false};
  std::atomic<int> slices_{0};
  std::thread thread_;
};

// Mirrors of this process between the two brokers that all tests share.
class MirrorOnBrokers : public ::testing::Test {
 protected:
  MirrorOnBrokers();

  MirrorSettings settings(std::vector<std::string> topics) const;
  std::unique_ptr<Mirror> start(MirrorSettings settings);
  std::unique_ptr<Mirror> start() { return start(settings({topic_})); }

  // Waits until the target holds every one of the records; tells what came.
  Arrival arrival(const NumberedRecords& sent);
  bool arrives(const NumberedRecords& sent, const std::string& topic);
  // The target's next offset; 0 where it does not know yet.
  std::int64_t target_end(const std::string& topic, int partition);
  std::vector<std::string> values(const std::string& topic, int partition);

  Broker& source_broker_;
  Broker& target_broker_;
  ClusterClient source_;
  ClusterClient target_;
  const std::string topic_;
  const std::string group_;
  RecordingListener listener_;
  processors::kafka::test::SilentLog log_;
};

}  // namespace weir::kafka_testing
