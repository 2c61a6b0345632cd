#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <string_view>

#include "tests/integration/kafka/broker.h"
#include "tests/integration/kafka/cluster_client.h"
#include "tests/tools/program.h"
#include "tools/bench/bench.h"
#include "tools/bench/kafka/mirrors.h"

// The engine's own program with MirrorKafka between two brokers, beside MirrorMaker 2 as it comes
// and a bare loop of librdkafka, all in one run.
namespace weir::bench {
namespace {

using kafka_testing::Broker;
using kafka_testing::ClusterClient;

constexpr std::uint64_t kRecords = 10'000'000;
constexpr double kTimesMirrorMaker = 5;
constexpr double kOfBareLoop = 0.8;
constexpr double kMostMegabytes = 150;
constexpr double kFirstRecordSeconds = 1.0;
// Passages of the mirror and the loop in turn, of which the medians count.
constexpr int kRounds = 3;

// Two clusters of one broker each, with the options of Kafka's own start script but half the heap.
class Clusters {
 public:
  Clusters() {
    const std::map<std::string, std::string> properties = {
        {"file.delete.delay.ms", "100"},  // of the topics of passages before
        {"num.network.threads", "3"},
        {"num.io.threads", "8"}};
    for (const char* name : {"source", "target"}) {
      brokers_.emplace_back(scratch_.path() / name, properties);
    }
    for (Broker& broker : brokers_) {
      broker.set_java_options({"-Xms512M", "-Xmx512M", "-server", "-XX:+UseG1GC",
                               "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35",
                               "-XX:+ExplicitGCInvokesConcurrent"});
      broker.begin_format();
    }
    for (Broker& broker : brokers_) broker.finish_format();
    for (Broker& broker : brokers_) broker.begin_start();
    for (Broker& broker : brokers_) broker.finish_start();
  }

  std::string source() const { return brokers_[0].address(); }
  std::string target() const { return brokers_[1].address(); }

 private:
  const Scratch scratch_;
  std::deque<Broker> brokers_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double median(const std::vector<Passage>& passages, double Passage::*figure) {
  std::vector<double> values;
  for (const Passage& passage : passages) values.push_back(passage.*figure);
  return median(std::move(values));
}

// One row of the table: the same records through each of the three.
class Row {
 public:
  Row(const std::string& weir, const Clusters& clusters, const KafkaLoad& load)
      : weir_(weir),
        load_(load),
        route_{clusters.source(), clusters.target(), "bench-" + load.name} {}

  std::vector<Figure> measure() {
    fill(route_.source_brokers, load_, route_.topic);
    for (int i = 0; i < kRounds; ++i) {
      // Each begins at the first record.
      const std::string group = fmt::format("{}-{}", route_.topic, i);
      loop_.push_back(run(
          [&](const auto& folder) { return bare_loop(route_, load_, group + "-bare", folder); }));
      mirror_.push_back(run(
          [&](const auto& folder) { return weir_mirror(weir_, route_, load_, group, folder); }));
    }
    peer_ = run([&](const auto& folder) { return mirror_maker(route_, load_, folder); });
    ClusterClient(route_.source_brokers).delete_topic(route_.topic);
    return figures();
  }

 private:
  template <typename Make>
  Passage run(Make make) const {
    const Scratch scratch;
    const MirrorProgram program = make(scratch.path());
    const Passage passage = pass(program, load_, route_.target_brokers);
    spdlog::info("{}: {:.0f} records a second, CPU {:.2f} us a record, {:.0f} MB, first {:.2f} s",
                 program.target_topic, passage.records_per_second, passage.cpu_us,
                 passage.megabytes, passage.first_seconds);
    ClusterClient(route_.target_brokers).delete_topic(program.target_topic);
    return passage;
  }

  std::vector<Figure> figures() const {
    const double rate = median(mirror_, &Passage::records_per_second);
    const double loop_rate = median(loop_, &Passage::records_per_second);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < mirror_.size(); ++i) {
      ratios.push_back(loop_[i].records_per_second / mirror_[i].records_per_second);
    }
    const double peer_us = 1e6 / peer_.records_per_second;
    const std::string name = "kafka-" + load_.name;
    return {
        {name, 1e6 / rate, "us", peer_us / kTimesMirrorMaker, peer_us, "MirrorMaker 2",
         fmt::format("{:.0f} records a second, {:.1f} times MirrorMaker 2's {:.0f}", rate,
                     rate / peer_.records_per_second, peer_.records_per_second)},
        {name + "-loop", median(ratios), "x", 1 / kOfBareLoop, 1, "a bare loop of librdkafka",
         fmt::format("{:.2f} of the loop's {:.0f} records a second; CPU time of a record {:.2f} "
                     "us, the loop's {:.2f} us, MirrorMaker 2's {:.2f} us",
                     1 / median(ratios), loop_rate, median(mirror_, &Passage::cpu_us),
                     median(loop_, &Passage::cpu_us), peer_.cpu_us)},
        {name + "-memory", most(&Passage::megabytes), "MB", kMostMegabytes, peer_.megabytes,
         "MirrorMaker 2",
         fmt::format("the bare loop {:.0f} MB", median(loop_, &Passage::megabytes))},
        {name + "-first", median(mirror_, &Passage::first_seconds), "s", kFirstRecordSeconds,
         peer_.first_seconds, "MirrorMaker 2",
         fmt::format("from the start of the process to the first record; the bare loop {:.2f} s",
                     median(loop_, &Passage::first_seconds))}};
  }

  double most(double Passage::*figure) const {
    return std::ranges::max(mirror_, {}, figure).*figure;
  }

  const std::string& weir_;
  const KafkaLoad load_;
  const KafkaRoute route_;
  std::vector<Passage> mirror_, loop_;
  Passage peer_;
};

std::uint64_t records_wanted() {
  const char* const given = std::getenv("WEIR_BENCH_KAFKA_RECORDS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : kRecords;
}

}  // namespace

std::vector<Figure> kafka(const std::string& weir_binary) {
  check_mirror_maker();
  const std::uint64_t records = records_wanted();
  const std::vector<KafkaLoad> loads = {
      {.name = "100Bx4", .records = records},
      {.name = "100Bx1", .partitions = 1, .records = records / 5},
      {.name = "100Bx64", .partitions = 64, .records = records / 5},
      {.name = "100Bx4-lz4", .compression = "lz4", .records = records / 5},
      {.name = "1KBx4", .record_bytes = 1024, .records = records / 20},
      {.name = "10KBx4", .record_bytes = 10'240, .records = records / 100},
      {.name = "10KBx64", .record_bytes = 10'240, .partitions = 64, .records = records / 100}};
  const Clusters clusters;
  std::vector<Figure> figures;
  for (const KafkaLoad& load : loads) {
    for (Figure& figure : Row(weir_binary, clusters, load).measure()) {
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

}  // namespace weir::bench
