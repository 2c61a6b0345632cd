#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tools/bench/kafka/load.h"

namespace weir::bench {

// A program that brings records from the source's topic to a topic of the target.
struct MirrorProgram {
  std::vector<std::string> arguments;  // the first is the file to execute
  std::filesystem::path directory;     // where it works; what it says goes to output.log there
  std::string target_topic;
};

// What one passage of all records was like, seen from the target: by the ends of its partitions,
// looked at again and again. The steady half is that between a quarter and three quarters of the
// records.
struct Passage {
  double first_seconds = 0;       // from the start of the process to the first record
  double records_per_second = 0;  // of the steady half
  double cpu_us = 0;              // of the program, a record of the steady half
  double megabytes = 0;           // the most it had
};

// Starts the program, waits until all records are in the target, and ends it. Throws
// std::runtime_error where it ends by itself, or is not done in time.
Passage pass(const MirrorProgram& program, const KafkaLoad& load,
             const std::string& target_brokers);

}  // namespace weir::bench
