#include "tools/bench/kafka/mirrors.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "tests/integration/kafka/cluster_client.h"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kMirrorMakerTasks = 4;

}  // namespace

MirrorProgram weir_mirror(const std::string& weir, const KafkaRoute& route, const KafkaLoad& load,
                          const std::string& group, const fs::path& directory) {
  std::ofstream(directory / "mirror.json") << fmt::format(
      R"({{"services": {{
  "source": {{"type": "Kafka3ConnectionService", "properties": {{"bootstrap.servers": "{}"}}}},
  "target": {{"type": "Kafka3ConnectionService",
    "properties": {{"bootstrap.servers": "{}", "compression.type": "{}"}}}}}},
"processors": {{"mirror": {{"type": "MirrorKafka", "properties": {{
  "Source Connection Service": {{"service": "source"}},
  "Target Connection Service": {{"service": "target"}},
  "Topics": "{}", "Group ID": "{}"}}, "autoTerminate": ["failure"]}}}}}})",
      route.source_brokers, route.target_brokers, load.compression, route.topic, group);
  return {.arguments = {weir, "run", "mirror.json", "--log-level", "error"},
          .directory = directory,
          .target_topic = route.topic};
}

MirrorProgram bare_loop(const KafkaRoute& route, const KafkaLoad& load, const std::string& group,
                        const fs::path& directory) {
  const std::string to = route.topic + "-bare";
  kafka_testing::ClusterClient(route.target_brokers).create_topic(to, load.partitions);
  return {.arguments = {fs::read_symlink("/proc/self/exe"), "kafka-bare-loop", route.source_brokers,
                        route.target_brokers, route.topic, to, group, load.compression},
          .directory = directory,
          .target_topic = to};
}

MirrorProgram mirror_maker(const KafkaRoute& route, const KafkaLoad& load,
                           const fs::path& directory) {
  std::ofstream(directory / "mirror.properties") << fmt::format(
      "clusters = source, target\n"
      "source.bootstrap.servers = {}\n"
      "target.bootstrap.servers = {}\n"
      "source->target.enabled = true\n"
      "source->target.topics = {}\n"
      "tasks.max = {}\n"
      "replication.factor = 1\n"
      "checkpoints.topic.replication.factor = 1\n"
      "heartbeats.topic.replication.factor = 1\n"
      "offset-syncs.topic.replication.factor = 1\n"
      "offset.storage.replication.factor = 1\n"
      "status.storage.replication.factor = 1\n"
      "config.storage.replication.factor = 1\n"
      "target.producer.compression.type = {}\n",
      route.source_brokers, route.target_brokers, route.topic,
      std::min(load.partitions, kMirrorMakerTasks), load.compression);
  // The options are those of Kafka's own start script.
  return {.arguments = {"java", "-Xms256M", "-Xmx2G", "-server", "-XX:+UseG1GC",
                        "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35",
                        "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true", "-cp",
                        WEIR_MIRROR_MAKER_JARS "/*", "org.apache.kafka.connect.mirror.MirrorMaker",
                        "mirror.properties"},
          .directory = directory,
          .target_topic = "source." + route.topic};
}

void check_mirror_maker() {
  if (fs::exists(WEIR_MIRROR_MAKER_JARS "/.complete")) return;
  throw std::runtime_error("MirrorMaker 2 is missing: `cmake --build " WEIR_BUILD_DIRECTORY
                           " --target weir_mirror_maker` fetches it by Maven");
}

}  // namespace weir::bench
