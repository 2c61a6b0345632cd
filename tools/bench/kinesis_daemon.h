#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace weir::bench {

// What the benchmark's stand-in for the KCL's daemon delivers.
struct KinesisLoad {
  std::uint64_t shards = 4;
  std::uint64_t records_a_call = 500;
  std::uint64_t record_bytes = 1024;
  std::uint64_t records = 0;  // in all
  int idle_ms = 250;          // between two calls without records
};

// A processRecords call as the KCL's daemon writes it, with its line feed, whose sequence numbers
// can be set anew.
class CallLine {
 public:
  explicit CallLine(const KinesisLoad& load);
  const std::string& text() const { return text_; }
  void number_from(std::uint64_t first);

 private:
  std::string text_;
  std::vector<std::size_t> numbers_;  // where each record's is
};

// A folder that stands for a Java runtime whose program `bin/java` is `program`, which sees the
// load there.
void make_kinesis_java(const std::filesystem::path& java_home, const std::filesystem::path& program,
                       const KinesisLoad& load);
// True where the arguments are those of the KCL's daemon: this process is to play it.
bool is_kinesis_daemon(int argc, char** argv);
// Plays it until SIGTERM, and writes what CPU time it and its bridges took.
int kinesis_daemon(const std::filesystem::path& java_home);

struct KinesisDaemonUsage {
  double own_seconds = 0;
  double bridges_seconds = 0;
};
// When it was asked for a checkpoint last, in nanoseconds of CLOCK_MONOTONIC; 0: never.
std::int64_t last_kinesis_checkpoint_ns(const std::filesystem::path& java_home);
KinesisDaemonUsage kinesis_daemon_usage(const std::filesystem::path& java_home);

}  // namespace weir::bench
