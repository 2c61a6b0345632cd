#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tools/bench/bench.h"

namespace weir::bench {

namespace fs = std::filesystem;

namespace {

// A source and a sink that does not run: everything stays queued.
std::string queue_flow(bool drain) {
  return fmt::format(
      R"({{"processors": {{
        "generate": {{"type": "GenerateFlowFile", "schedule": "0 sec", "runDuration": "25 ms",
          "state": "{}", "properties": {{"File Size": "100 B", "Batch Size": "1000"}}}},
        "log": {{"type": "LogAttribute", "runDuration": "25 ms", "autoTerminate": ["success"],
          "state": "{}", "properties": {{"Log Level": "debug"}}}}}},
      "connections": [{{"from": "generate.success", "to": "log",
        "backpressure": {{"count": 0, "size": "0 B"}}}}]}})",
      drain ? "stopped" : "running", drain ? "running" : "stopped");
}

// Fills the queue in a process of its own, so that this one starts with empty memory.
std::uint64_t fill_queue(const fs::path& directory, std::uint64_t count) {
  const pid_t child = ::fork();
  if (child == 0) {
    Engine engine(directory);
    auto& controller = engine.start(queue_flow(false));
    engine.wait([&] { return controller.status().queued_count >= count; }, 900);
    const std::uint64_t peak = peak_memory_bytes();
    std::ofstream(directory / "peak") << peak << ' ' << controller.status().queued_count;
    ::_exit(0);  // as a kill leaves it
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the queue could not be filled");
  std::uint64_t peak = 0;
  std::ifstream(directory / "peak") >> peak;
  return peak;
}

std::uint64_t queued_before(const fs::path& directory) {
  std::uint64_t peak = 0;
  std::uint64_t queued = 0;
  std::ifstream(directory / "peak") >> peak >> queued;
  return queued;
}

}  // namespace

std::vector<Figure> recover() {
  constexpr std::uint64_t kQueued = 1'000'000;
  Scratch scratch;
  fill_queue(scratch.path(), kQueued);
  const double baseline = read_seconds(scratch.path() / "flowfile_repository");
  Engine engine(scratch.path());
  const double begin = wall_seconds();
  auto& controller = engine.start(queue_flow(true));
  const std::uint64_t queued = controller.status().queued_count;
  engine.wait([&] { return engine.flow_files_in("log") > 0; }, 60);
  const double seconds = wall_seconds() - begin;
  const std::uint64_t lost = queued_before(scratch.path()) > queued + engine.flow_files_in("log")
                                 ? queued_before(scratch.path()) - queued
                                 : 0;
  controller.stop_at_once();
  return {{"recover", seconds, "s", 2.0, baseline, "reading the repository",
           fmt::format("{} FlowFiles queued, {} lost", queued, lost)}};
}

std::vector<Figure> tenmillion() {
  constexpr std::uint64_t kQueued = 10'000'000;
  Scratch scratch;
  const double fill_peak = static_cast<double>(fill_queue(scratch.path(), kQueued)) / (1 << 20);
  const std::uint64_t queued = queued_before(scratch.path());
  Engine engine(scratch.path());
  const double begin = wall_seconds();
  auto& controller = engine.start(queue_flow(true));
  engine.wait([&] { return engine.flow_files_in("log") >= queued; }, 900);
  const double seconds = wall_seconds() - begin;
  const double peak = static_cast<double>(peak_memory_bytes()) / (1 << 20);
  const std::uint64_t out = engine.flow_files_in("log");
  controller.stop_at_once();
  return {{"tenmillion", std::max(peak, fill_peak), "MB", 1024, 0, "",
           fmt::format("{} of {} came out in {:.1f} s", out, queued, seconds)}};
}

namespace {

// The process's own accounting, read while it lives.
std::uint64_t status_kb(pid_t process, const std::string& key) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size() + 1, nullptr, 10);
  }
  return 0;
}

double process_cpu_seconds(pid_t process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string word;
  std::uint64_t ticks = 0;
  for (int field = 1; field <= 15 && stat >> word; ++field) {
    if (field >= 14) ticks += std::strtoull(word.c_str(), nullptr, 10);
  }
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

pid_t spawn(const std::vector<std::string>& arguments) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int null = ::open("/dev/null", O_WRONLY);
  ::dup2(null, 1);
  ::dup2(null, 2);
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  ::_exit(127);
}

double first_file_seconds(const std::string& weir, const fs::path& directory, pid_t& process) {
  fs::create_directories(directory / "out");
  const fs::path flow = directory / "flow.json";
  std::ofstream(flow) << fmt::format(
      R"({{"processors": {{"generate": {{"type": "GenerateFlowFile", "schedule": "1 hour"}},
        "put": {{"type": "PutFile", "autoTerminate": ["success", "failure"],
          "properties": {{"Directory": "{}"}}}}}},
      "connections": ["generate.success -> put"]}})",
      (directory / "out").string());
  const double begin = wall_seconds();
  process = spawn({weir, "run", flow.string(), "--data", (directory / "data").string()});
  while (fs::is_empty(directory / "out")) {
    if (wall_seconds() - begin > 20) throw std::runtime_error("weir wrote nothing");
    ::usleep(200);
  }
  return wall_seconds() - begin;
}

}  // namespace

std::vector<Figure> start(const std::string& weir) {
  std::vector<double> times;
  double idle_mb = 0;
  double idle_cpu = 0;
  double baseline = 0;
  for (int run = 0; run < 5; ++run) {
    Scratch scratch;
    const double begin = wall_seconds();
    int status = 0;
    ::waitpid(spawn({"/bin/true"}), &status, 0);
    baseline = (wall_seconds() - begin) * 1e3;
    pid_t process = 0;
    times.push_back(first_file_seconds(weir, scratch.path(), process) * 1e3);
    if (run == 4) {
      ::sleep(2);
      const double cpu = process_cpu_seconds(process);
      ::sleep(10);
      idle_cpu = (process_cpu_seconds(process) - cpu) / 10 * 100;
      idle_mb = static_cast<double>(status_kb(process, "VmRSS:")) / 1024;
    }
    ::kill(process, SIGTERM);
    ::waitpid(process, &status, 0);
  }
  std::sort(times.begin(), times.end());
  return {{"start", times[2], "ms", 60, baseline, "/bin/true", "median of 5 to the first file"},
          {"idle-memory", idle_mb, "MB", 30, 0, "", "resident"},
          {"idle-cpu", idle_cpu, "%", 0.2, 0, "", "over 10 s"}};
}

}  // namespace weir::bench
