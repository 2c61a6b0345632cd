#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/kinesis/kinesis_control.h"

namespace weir::kinesis_testing {

// A record of the tests says who it is: the lane it is on and its number there, from 0. A lane is
// one hash key, so its records keep their order, also over splits and merges of shards.
struct RecordName {
  int lane = 0;
  int number = 0;

  auto operator<=>(const RecordName&) const = default;
};

std::string to_text(const RecordName& name);  // "2/17"
// Of a record's content: its first word. Throws where that is none.
RecordName parse_record_name(std::string_view content);

using LaneCounts = std::vector<int>;  // records of each lane

// Puts numbered records into a stream.
class NumberedWriter {
 public:
  // A lane for each of its open shards. `size_bytes`: of a record, at least.
  NumberedWriter(KinesisControl& control, std::string stream, std::size_t size_bytes = 0);
  ~NumberedWriter() { stop(); }

  void put(int per_lane);                                     // the next ones of each lane
  void put_on(int lane, int count);                           // of one lane only
  void start(int per_lane, std::chrono::milliseconds every);  // puts in a thread of its own
  void stop();                                                // and waits for its end

  LaneCounts sent() const;
  int total() const;
  std::string last_sequence_number(int lane) const;

 private:
  void put_numbers(const std::map<int, int>& count_of_lane);

  KinesisControl& control_;
  const std::string stream_;
  const std::size_t size_bytes_;
  std::vector<std::string> hash_keys_;  // of each lane
  std::mutex put_mutex_;                // keeps the calls apart
  mutable std::mutex mutex_;
  LaneCounts sent_;  // guarded by mutex_, as is the next
  std::vector<std::string> last_sequence_numbers_;
  std::jthread thread_;
};

// A folder into which PutFile writes FlowFiles, each under its UUID, whose lines are numbered
// records.
class Sink {
 public:
  explicit Sink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Looks for new files, then tells whether each record was written at least once.
  bool holds(const LaneCounts& sent);
  std::size_t files();
  std::vector<RecordName> missing(const LaneCounts& sent);
  // The records of a FlowFile; null where it was not written.
  const std::vector<RecordName>* find(const std::string& uuid);

 private:
  void refresh();

  const std::filesystem::path folder_;
  std::map<std::string, std::vector<RecordName>> read_;  // by UUID
  std::set<RecordName> names_;
};

}  // namespace weir::kinesis_testing
