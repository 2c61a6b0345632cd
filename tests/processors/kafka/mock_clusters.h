#pragma once

#include <librdkafka/rdkafka.h>
// Only behind the one above.
#include <librdkafka/rdkafka_mock.h>

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "processors/kafka/client.h"
#include "processors/kafka/mirror_events.h"
#include "processors/kafka/mirror_settings.h"

namespace weir::processors::kafka::test {

// Looks again and again until `done`; false at the deadline.
bool eventually(const std::function<bool()>& done,
                std::chrono::milliseconds most = std::chrono::seconds(20));

class SilentLog : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};

// librdkafka's own cluster within this process, reached over 127.0.0.1.
class MockCluster {
 public:
  explicit MockCluster(int brokers = 1);
  ~MockCluster();
  MockCluster(const MockCluster&) = delete;
  MockCluster& operator=(const MockCluster&) = delete;

  std::string brokers() const;
  void create(const std::string& topic, int partitions);
  rd_kafka_mock_cluster_t* get() const { return cluster_; }

  // Writes records and waits until they are there.
  void write(const std::vector<MirrorRecord>& records);
  // Reads whole partitions, until `count` records were seen or the time is over.
  std::vector<MirrorRecord> read(const std::string& topic, int partitions, std::size_t count,
                                 std::chrono::milliseconds most = std::chrono::seconds(20));
  std::int64_t committed(const std::string& group, const std::string& topic, int partition);
  std::int64_t end(const std::string& topic, int partition);

 private:
  SilentLog log_;
  Client client_;  // carries the cluster, and writes
  rd_kafka_mock_cluster_t* cluster_;
};

// What a mirror told. Thread safe.
class RecordingListener : public MirrorListener {
 public:
  void mirrored(const MirroredRange& range) override;
  void lost(const MirrorLoss& loss) override;
  void failed(MirrorFailure failure) override;
  void noted(MirrorNote note, const std::string& message) override;

  std::uint64_t records() const;
  std::vector<MirroredRange> ranges() const;
  std::vector<MirrorLoss> losses() const;
  std::vector<MirrorFailure> failures() const;
  std::size_t notes(MirrorNote note) const;
  std::string all_notes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<MirroredRange> ranges_;
  std::vector<MirrorLoss> losses_;
  std::vector<MirrorFailure> failures_;
  std::vector<std::pair<MirrorNote, std::string>> notes_;
};

// Records numbered from `first`, over the partitions in turn: key "k<n>", value "<n>".
std::vector<MirrorRecord> numbered(const std::string& topic, int partitions, int first, int count);

// A mirror of `topics`, in a hurry.
MirrorSettings settings_of(const MockCluster& source, const MockCluster& target,
                           std::vector<std::string> topics);

}  // namespace weir::processors::kafka::test
