#pragma once

#include <filesystem>
#include <string>

#include "tools/bench/kafka/load.h"
#include "tools/bench/kafka/passage.h"

namespace weir::bench {

// The three programs that are compared. Each writes what it needs to `directory`.

struct KafkaRoute {
  std::string source_brokers, target_brokers;
  std::string topic;  // of the source
};

// `weir run` with MirrorKafka, which makes a topic of the same name.
MirrorProgram weir_mirror(const std::string& weir, const KafkaRoute& route, const KafkaLoad& load,
                          const std::string& group, const std::filesystem::path& directory);

// The loop of bare_loop.h. Makes its topic in the target.
MirrorProgram bare_loop(const KafkaRoute& route, const KafkaLoad& load, const std::string& group,
                        const std::filesystem::path& directory);

// MirrorMaker 2 as it comes: the settings of Kafka's own example (replicas for one broker), and a
// task a partition up to four. Makes a topic "source.TOPIC".
MirrorProgram mirror_maker(const KafkaRoute& route, const KafkaLoad& load,
                           const std::filesystem::path& directory);
// Throws std::runtime_error that tells how to get it, where it is missing.
void check_mirror_maker();

}  // namespace weir::bench
