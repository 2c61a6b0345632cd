#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tools/bench/bench.h"
#include "tools/bench/kinesis_daemon.h"

// ConsumeKinesis from the bridge protocol to committed FlowFiles: real bridges, a real engine, and
// in the place of the KCL's daemon a program that only writes calls made before.
namespace weir::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kRecords = 2'000'000;
constexpr std::uint64_t kWarmUpRecords = 200'000;
constexpr double kRecordsASecond = 200'000;
constexpr std::uint64_t kBufferMegabytes = 100;
constexpr double kMoreMegabytes = 50;
constexpr double kMostCheckpointSeconds = 1.5;

// Stands for the KCL's installation while it lives.
class Installation {
 public:
  Installation(const fs::path& directory, const fs::path& bridge, const KinesisLoad& load)
      : java_home_(directory / "java") {
    const fs::path home = directory / "kinesis";
    fs::create_directories(home / "lib");
    std::ofstream(home / "lib" / "amazon-kinesis-client-multilang-none.jar");
    fs::create_symlink(bridge, home / "weir-kinesis-bridge");
    make_kinesis_java(java_home_, fs::read_symlink("/proc/self/exe"), load);
    ::setenv("WEIR_KINESIS_HOME", home.c_str(), 1);
    ::setenv("JAVA_HOME", java_home_.c_str(), 1);
  }
  ~Installation() {
    ::unsetenv("WEIR_KINESIS_HOME");
    ::unsetenv("JAVA_HOME");
  }
  const fs::path& java_home() const { return java_home_; }

 private:
  const fs::path java_home_;
};

std::string consume_flow(std::string_view behind) {
  return fmt::format(R"({{
    "services": {{"credentials": {{"type": "AWSCredentialsProviderControllerService",
      "properties": {{"Access Key ID": "bench", "Secret Access Key": "bench"}}}}}},
    "processors": {{
      "consume": {{"type": "ConsumeKinesis", "schedule": "0 sec", "concurrentTasks": 2,
        "properties": {{"Stream Name": "bench", "Application Name": "bench",
          "Region": "us-east-1", "AWS Credentials Provider Service": {{"service": "credentials"}},
          "Consumer Type": "SHARED_THROUGHPUT", "Processing Strategy": "DEMARCATOR",
          "Message Demarcator": "\n", "Max Batch Size": "4 MB", "Max Batch Duration": "1 sec",
          "Max Bytes to Buffer": "{} MB"}}{}}})",
                     kBufferMegabytes, behind);
}

std::uint64_t received(const runtime::FlowController& controller) {
  for (const auto& component : controller.status().components) {
    const auto counter = component.counters.find("Records Received");
    if (component.name == "consume" && counter != component.counters.end()) {
      return static_cast<std::uint64_t>(counter->second);
    }
  }
  return 0;
}

// CPU time so far of the thread that serves the bridges.
double serving_seconds() {
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (!name.starts_with("kinesis-")) continue;
    double ns = 0;
    std::ifstream(task.path() / "schedstat") >> ns;
    return ns / 1e9;
  }
  return 0;
}

// Wall time a record of the same calls, written to `cat`, which writes them to a file.
double cat_seconds(const fs::path& directory, const KinesisLoad& load, std::uint64_t records) {
  const CallLine line(load);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const double begin = wall_seconds();
  const pid_t child = ::fork();
  if (child == 0) {
    const int file = ::open((directory / "cat").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    ::dup2(ends[0], STDIN_FILENO);
    ::dup2(file, STDOUT_FILENO);
    ::execlp("cat", "cat", nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  for (std::uint64_t done = 0; done < records; done += load.records_a_call) {
    for (std::string_view rest = line.text(); !rest.empty();) {
      const ssize_t put = ::write(ends[1], rest.data(), rest.size());
      if (put < 0) throw std::runtime_error("cat failed");
      rest.remove_prefix(static_cast<std::size_t>(put));
    }
  }
  ::close(ends[1]);
  ::waitpid(child, nullptr, 0);
  fs::remove(directory / "cat");
  return (wall_seconds() - begin) / static_cast<double>(records);
}

std::vector<Figure> throughput(const fs::path& bridge) {
  Scratch scratch;
  const KinesisLoad load{.records = kWarmUpRecords + kRecords};
  const double baseline = cat_seconds(scratch.path(), load, kWarmUpRecords) * 1e6;
  const Installation installation(scratch.path(), bridge, load);
  Engine engine(scratch.path() / "data");
  const double cpu_first = cpu_seconds();
  auto& controller = engine.start(consume_flow(R"(, "autoTerminate": ["success"]}})"));
  engine.wait([&] { return received(controller) >= kWarmUpRecords; }, 60);
  const std::uint64_t before = received(controller);
  const double begin = wall_seconds();
  engine.wait([&] { return received(controller) >= kRecords; }, 120);
  const double wall = wall_seconds() - begin;
  const auto records = static_cast<double>(received(controller) - before);
  // The shares are of the whole run: the bridges tell theirs at their end.
  engine.wait([&] { return received(controller) >= load.records; }, 60);
  const double serving = serving_seconds();
  engine.stop();
  const double engine_cpu = cpu_seconds() - cpu_first;
  const KinesisDaemonUsage daemon = kinesis_daemon_usage(installation.java_home());
  const double cpu = engine_cpu + daemon.bridges_seconds;
  return {{"kinesis", wall / records * 1e6, "us", 1e6 / kRecordsASecond, baseline,
           "the same lines through cat to a file",
           fmt::format("{:.0f} records of 1 KB a second; the stand-in for the KCL takes {:.0f} % "
                       "of a core beside it",
                       records / wall, daemon.own_seconds / wall * 100)},
          {"kinesis-share", (serving + daemon.bridges_seconds) / cpu * 100, "% of CPU", 100, 0, "",
           fmt::format("bridges {:.0f} %, reading and JSON and Base64 {:.0f} %, of {:.2f} us CPU "
                       "a record",
                       daemon.bridges_seconds / cpu * 100, serving / cpu * 100,
                       cpu / static_cast<double>(load.records) * 1e6)}};
}

// From the commit of a pausing shard's last records to their checkpoint: two calls, so that the
// second one's falls within the interval that the first one's began, and waits for an empty call.
std::vector<Figure> checkpoint_delay(const fs::path& bridge) {
  Scratch scratch;
  const KinesisLoad load{.shards = 1, .records_a_call = 500, .records = 1000, .idle_ms = 1000};
  const Installation installation(scratch.path(), bridge, load);
  Engine engine(scratch.path() / "data");
  auto& controller = engine.start(consume_flow(R"(, "autoTerminate": ["success"]}})"));
  engine.wait([&] { return received(controller) >= load.records; }, 60);
  const std::int64_t committed_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  std::int64_t written_ns = 0;
  engine.wait(
      [&] {
        written_ns = last_kinesis_checkpoint_ns(installation.java_home());
        return written_ns > committed_ns;
      },
      60);
  engine.stop();
  return {{"kinesis-checkpoint", static_cast<double>(written_ns - committed_ns) / 1e9, "s",
           kMostCheckpointSeconds, 0, "",
           "from the commit of a pausing shard's last records to their checkpoint, an empty call a "
           "second"}};
}

std::vector<Figure> stalled_memory(const fs::path& bridge) {
  Scratch scratch;
  const Installation installation(scratch.path(), bridge,
                                  {.shards = 16, .records_a_call = 10'000, .records = 10'000'000});
  Engine engine(scratch.path() / "data");
  engine.start(consume_flow(
      R"(}, "drop": {"type": "LogAttribute", "autoTerminate": ["success"], "state": "stopped"}},
      "connections": [{"from": "consume.success", "to": "drop", "backpressure": {"count": 1}}])"));
  // Until the buffer is full and a while beyond: no growth any more.
  const double begin = wall_seconds();
  double grown = begin;
  std::uint64_t most = 0;
  engine.wait(
      [&] {
        const double now = wall_seconds();
        if (const std::uint64_t peak = peak_memory_bytes(); peak > most) {
          most = peak;
          grown = now;
        }
        return now - begin > 5 && now - grown > 3;
      },
      60);
  engine.controller().stop_at_once();
  const double peak = static_cast<double>(peak_memory_bytes()) / (1 << 20);
  return {{"kinesis-memory", peak - static_cast<double>(kBufferMegabytes), "MB", kMoreMegabytes, 0,
           "",
           fmt::format("peak of the engine beyond Max Bytes to Buffer, {} MB, 16 shards, nothing "
                       "taken downstream",
                       kBufferMegabytes)}};
}

}  // namespace

std::vector<Figure> kinesis(const std::string& weir_binary) {
  const fs::path bridge =
      fs::absolute(weir_binary).parent_path() / "kinesis" / "weir-kinesis-bridge";
  std::vector<Figure> figures = stalled_memory(bridge);
  for (Figure& figure : throughput(bridge)) figures.push_back(std::move(figure));
  for (Figure& figure : checkpoint_delay(bridge)) figures.push_back(std::move(figure));
  return figures;
}

}  // namespace weir::bench
