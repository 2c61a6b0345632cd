#include "tools/bench/bench.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "engine/flow/read.h"
#include "processors/registry.h"
#include "repositories/storage/file_system.h"

namespace weir::bench {

namespace fs = std::filesystem;

Scratch::Scratch() {
  const char* base = std::getenv("WEIR_BENCH_DIRECTORY");
  std::string name = (fs::path(base != nullptr ? base : "/var/tmp") / "weir-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Engine::Engine(const fs::path& directory, bool always_sync) {
  spdlog::set_level(spdlog::level::warn);
  auto loaded = runtime::load_config("", "", directory);
  if (!loaded) throw std::runtime_error("the default configuration does not load");
  config = loaded->config;
  config.flow_files.always_sync = always_sync;
  config.contents.always_sync = always_sync;
  register_standard_processors(registry_);
  executor_ = runtime::make_thread_executor(always_sync ? 10 : 2, 16);
}

Engine::~Engine() {
  controller_.reset();
  executor_.reset();
}

runtime::FlowController& Engine::start(const std::string& flow_text) {
  controller_ = std::make_unique<runtime::FlowController>(
      config, registry_,
      runtime::Environment{storage::real_file_system(), system_clock(), system_random(),
                           *executor_});
  auto read = flow::read_flow(flow_text, "bench.json");
  if (!read) throw std::runtime_error(read.error().front().to_string());
  for (const auto& problem : controller_->load(read->flow)) {
    std::fprintf(stderr, "%s\n", problem.to_string().c_str());
  }
  controller_->start();
  return *controller_;
}

void Engine::wait(const std::function<bool()>& done, double seconds) {
  const double end = wall_seconds() + seconds;
  while (!done()) {
    if (wall_seconds() > end) throw std::runtime_error("the work did not end in time");
    ::usleep(1000);
  }
}

std::uint64_t Engine::flow_files_in(const std::string& component) const {
  for (const auto& status : controller_->status().components) {
    if (status.name == component) return status.flow_files_in;
  }
  return 0;
}

void Engine::stop() {
  controller_->stop(std::chrono::seconds(60));
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

double write_seconds(const fs::path& directory, std::uint64_t bytes, std::size_t piece_bytes) {
  const fs::path path = directory / "baseline";
  const std::vector<char> piece(piece_bytes, 'x');
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  const double begin = cpu_seconds();
  for (std::uint64_t done = 0; done < bytes; done += piece_bytes) {
    if (::write(file, piece.data(), piece.size()) < 0) throw std::runtime_error("write failed");
  }
  const double seconds = cpu_seconds() - begin;
  ::close(file);
  fs::remove(path);
  return seconds;
}

double fdatasync_seconds(const fs::path& directory) {
  constexpr int kTimes = 200;
  const fs::path path = directory / "baseline";
  const std::vector<char> piece(256, 'x');
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  const double begin = wall_seconds();
  for (int i = 0; i < kTimes; ++i) {
    if (::write(file, piece.data(), piece.size()) < 0) throw std::runtime_error("write failed");
    ::fdatasync(file);
  }
  const double seconds = (wall_seconds() - begin) / kTimes;
  ::close(file);
  fs::remove(path);
  return seconds;
}

double copy_seconds(const fs::path& from, const fs::path& to) {
  const double begin = wall_seconds();
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("cp", "cp", "-r", from.c_str(), to.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("cp failed");
  return wall_seconds() - begin;
}

double read_seconds(const fs::path& path) {
  std::vector<char> piece(1u << 20);
  const double begin = wall_seconds();
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (!entry.is_regular_file()) continue;
    const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    while (::read(file, piece.data(), piece.size()) > 0) {
    }
    ::close(file);
  }
  return wall_seconds() - begin;
}

}  // namespace weir::bench
