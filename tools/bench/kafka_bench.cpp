#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "processors/kafka/client.h"
#include "tests/integration/kafka/brokers.h"
#include "tools/bench/bench.h"

// The engine's own program with MirrorKafka between two brokers, beside a bare loop of librdkafka
// that consumes and produces and gives no guarantee.
namespace weir::bench {
namespace {

using kafka_testing::Brokers;
using kafka_testing::ClusterClient;
using processors::kafka::Client;
using processors::kafka::configuration;
using processors::kafka::Owned;
using processors::kafka::Settings;

constexpr double kPatienceSeconds = 300;
constexpr double kOfBareLoop = 0.8;
constexpr double kMostMegabytes = 150;
constexpr double kFirstRecordSeconds = 1.0;

class Silent : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};
Silent silent;

struct Shape {
  std::string name;
  std::size_t record_bytes;
  int partitions;
  std::string compression;
  std::uint64_t records;
};

// What one passage of all records was like.
struct Passage {
  double first_seconds = 0;   // from the start to the first record in the target
  double steady_seconds = 0;  // of the second half of the records
  double megabytes = 0;       // most memory
};

std::uint64_t records_of(const char* name, std::uint64_t otherwise) {
  const char* const given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

// Sends without waiting for anything but room.
void produce(rd_kafka_t* client, rd_kafka_topic_t* topic, std::int32_t partition,
             std::string_view value, std::string_view key = {}) {
  while (rd_kafka_produce(topic, partition, RD_KAFKA_MSG_F_COPY, const_cast<char*>(value.data()),
                          value.size(), key.data(), key.size(), nullptr) != 0) {
    rd_kafka_poll(client, 10);
  }
}

// Values that compress about as log lines do.
std::string value_of(std::uint64_t number, std::size_t bytes) {
  std::string value = fmt::format("{:020} ", number);
  while (value.size() < bytes) value += fmt::format("field{}={} ", value.size() % 7, number * 31);
  value.resize(bytes);
  return value;
}

void fill(const Shape& shape, const std::string& topic) {
  ClusterClient(Brokers::instance().source().address()).create_topic(topic, shape.partitions);
  const Client client(RD_KAFKA_PRODUCER,
                      configuration({{"bootstrap.servers", Brokers::instance().source().address()},
                                     {"linger.ms", "20"},
                                     {"compression.type", shape.compression}}),
                      silent);
  rd_kafka_topic_t* const handle = rd_kafka_topic_new(client.get(), topic.c_str(), nullptr);
  for (std::uint64_t i = 0; i < shape.records; ++i) {
    produce(client.get(), handle,
            static_cast<std::int32_t>(i % static_cast<std::uint64_t>(shape.partitions)),
            value_of(i, shape.record_bytes));
    if (i % 1000 == 0) rd_kafka_poll(client.get(), 0);
  }
  rd_kafka_flush(client.get(), 120'000);
  rd_kafka_topic_destroy(handle);
}

// Looks at the target until all records are there.
Passage watch(const Shape& shape, const std::string& topic, double begin) {
  ClusterClient target(Brokers::instance().target().address());
  const auto there = [&] {
    std::uint64_t sum = 0;
    try {
      for (int i = 0; i < shape.partitions; ++i) {
        sum += static_cast<std::uint64_t>(target.range(topic, i).second);
      }
    } catch (const processors::kafka::KafkaError&) {
      return std::uint64_t{0};  // the topic is being made
    }
    return sum;
  };
  Passage passage;
  double half = 0;
  std::uint64_t at_half = 0;
  while (true) {
    const std::uint64_t sum = there();
    const double now = wall_seconds();
    if (passage.first_seconds == 0 && sum > 0) passage.first_seconds = now - begin;
    if (half == 0 && sum >= shape.records / 2) {
      half = now;
      at_half = sum;
    }
    if (sum >= shape.records) {
      const double part = static_cast<double>(sum - at_half) / static_cast<double>(shape.records);
      passage.steady_seconds = part > 0 ? (now - half) / part / 2 : 0;
      return passage;
    }
    if (now - begin > kPatienceSeconds) throw std::runtime_error(topic + " did not arrive");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

double most_megabytes(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  throw std::runtime_error("the mirror is gone");
}

pid_t spawn(const std::string& weir, const std::filesystem::path& directory) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  if (::chdir(directory.c_str()) != 0) ::_exit(126);
  ::execl(weir.c_str(), weir.c_str(), "run", "mirror.json", "--log-level", "error", nullptr);
  ::_exit(127);
}

Passage mirror(const std::string& weir, const Shape& shape, const std::string& topic) {
  const Scratch scratch;
  std::ofstream(scratch.path() / "mirror.json") << fmt::format(
      R"({{"services": {{
  "source": {{"type": "Kafka3ConnectionService", "properties": {{"bootstrap.servers": "{}"}}}},
  "target": {{"type": "Kafka3ConnectionService",
    "properties": {{"bootstrap.servers": "{}", "compression.type": "{}"}}}}}},
"processors": {{"mirror": {{"type": "MirrorKafka", "properties": {{
  "Source Connection Service": {{"service": "source"}},
  "Target Connection Service": {{"service": "target"}},
  "Topics": "{}", "Group ID": "{}"}}, "autoTerminate": ["failure"]}}}}}})",
      Brokers::instance().source().address(), Brokers::instance().target().address(),
      shape.compression, topic, topic);
  const double begin = wall_seconds();
  const pid_t process = spawn(weir, scratch.path());
  Passage passage;
  int status = 0;
  try {
    passage = watch(shape, topic, begin);
  } catch (const std::exception&) {
    ::kill(process, SIGKILL);
    ::waitpid(process, &status, 0);
    throw;
  }
  passage.megabytes = most_megabytes(process);
  ::kill(process, SIGTERM);
  ::waitpid(process, &status, 0);
  return passage;
}

// The loop that users write first.
void run_bare(const Shape& shape, const std::string& from, const std::string& to) {
  const Client producer(
      RD_KAFKA_PRODUCER,
      configuration({{"bootstrap.servers", Brokers::instance().target().address()},
                     {"compression.type", shape.compression}}),
      silent);
  const Client consumer(
      RD_KAFKA_CONSUMER,
      configuration({{"bootstrap.servers", Brokers::instance().source().address()},
                     {"group.id", to},
                     {"auto.offset.reset", "earliest"}}),
      silent);
  rd_kafka_poll_set_consumer(consumer.get());
  const Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), from.c_str(), RD_KAFKA_PARTITION_UA);
  rd_kafka_subscribe(consumer.get(), list.get());
  rd_kafka_topic_t* const handle = rd_kafka_topic_new(producer.get(), to.c_str(), nullptr);
  for (std::uint64_t done = 0; done < shape.records;) {
    const Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(consumer.get(), 1000));
    if (!message || message->err != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    produce(producer.get(), handle, message->partition,
            {static_cast<const char*>(message->payload), message->len},
            {static_cast<const char*>(message->key), message->key_len});
    if (++done % 1000 == 0) rd_kafka_poll(producer.get(), 0);
  }
  rd_kafka_flush(producer.get(), 120'000);
  rd_kafka_topic_destroy(handle);
  rd_kafka_consumer_close(consumer.get());
}

Passage bare(const Shape& shape, const std::string& from, const std::string& to) {
  ClusterClient(Brokers::instance().target().address()).create_topic(to, shape.partitions);
  const double begin = wall_seconds();
  std::thread loop([&] { run_bare(shape, from, to); });
  const Passage passage = watch(shape, to, begin);
  loop.join();
  return passage;
}

void measure(const std::string& weir, const Shape& shape, std::vector<Figure>& figures) {
  const std::string topic = Brokers::fresh_name("bench");
  fill(shape, topic);
  const Passage loop = bare(shape, topic, topic + "-bare");
  const Passage mirrored = mirror(weir, shape, topic);
  const double half = static_cast<double>(shape.records) / 2;
  const double baseline_us = loop.steady_seconds / half * 1e6;
  const double us = mirrored.steady_seconds / half * 1e6;
  figures.push_back(
      {"kafka-" + shape.name, us, "us", baseline_us / kOfBareLoop, baseline_us,
       "a bare loop of librdkafka",
       fmt::format("{:.0f} records a second, {:.2f} of the loop's", 1e6 / us, baseline_us / us)});
  figures.push_back({"kafka-memory", mirrored.megabytes, "MB", kMostMegabytes, 0, "",
                     "most, with " + shape.name});
  figures.push_back({"kafka-first", mirrored.first_seconds, "s", kFirstRecordSeconds,
                     loop.first_seconds, "the bare loop",
                     "from the start of the process to the first record, with " + shape.name});
}

}  // namespace

std::vector<Figure> kafka(const std::string& weir_binary) {
  const std::uint64_t records = records_of("WEIR_BENCH_KAFKA_RECORDS", 2'000'000);
  const std::vector<Shape> shapes = {
      {"100Bx4", 100, 4, "none", records},       {"100Bx1", 100, 1, "none", records / 2},
      {"100Bx64", 100, 64, "none", records / 2}, {"100Bx4-lz4", 100, 4, "lz4", records / 2},
      {"1KBx4", 1024, 4, "none", records / 8},   {"10KBx4", 10'240, 4, "none", records / 80}};
  std::vector<Figure> figures;
  for (const Shape& shape : shapes) measure(weir_binary, shape, figures);
  return figures;
}

}  // namespace weir::bench
