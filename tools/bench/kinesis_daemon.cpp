#include "tools/bench/kinesis_daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "engine/text/base64.h"
#include "tools/bench/bench.h"

namespace weir::bench {
namespace {

constexpr std::size_t kNumberDigits = 20;
constexpr std::string_view kCheckpointWritten =
    R"({"action":"checkpoint","sequenceNumber":null,"subSequenceNumber":null,"error":null})"
    "\n";

volatile std::sig_atomic_t told_to_end = 0;

std::int64_t steady_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// One shard: its bridge, and how far it is.
class Shard {
 public:
  Shard(const KinesisLoad& load, std::uint64_t index, const std::filesystem::path& java_home)
      : load_(load), line_(load), checkpoints_(java_home / "checkpoints", std::ios::app) {
    start_bridge();
    initialize_ = fmt::format(
        R"({{"action":"initialize","shardId":"shardId-{:012}","sequenceNumber":"TRIM_HORIZON",)"
        R"("subSequenceNumber":0}})"
        "\n",
        index);
    unsent_ = initialize_;
  }

  int input() const { return input_; }
  int output() const { return output_; }
  bool wants_to_write() const { return !unsent_.empty(); }
  bool over() const { return over_; }
  bool idle() const { return idle_; }

  void write() {
    const ssize_t put = ::write(input_, unsent_.data(), unsent_.size());
    if (put > 0) unsent_.remove_prefix(static_cast<std::size_t>(put));
  }

  // False where the bridge is gone.
  bool read() {
    char piece[4096];
    const ssize_t got = ::read(output_, piece, sizeof(piece));
    if (got <= 0) return false;
    replies_.append(piece, static_cast<std::size_t>(got));
    for (std::size_t end; (end = replies_.find('\n')) != std::string::npos;) {
      const std::string line = replies_.substr(0, end);
      replies_.erase(0, end + 1);
      if (line.find("\"checkpoint\"") != std::string::npos) {
        checkpoints_ << steady_ns() << std::endl;
        unsent_ = kCheckpointWritten;
      } else {
        answered();
      }
    }
    return true;
  }

  // The next call, where none is open.
  void call_again() {
    if (!idle_) return;
    idle_ = false;
    if (told_to_end == 0) {
      unsent_ = "{\"action\":\"processRecords\",\"records\":[],\"millisBehindLatest\":0}\n";
    } else if (!std::exchange(shutting_down_, true)) {
      unsent_ = "{\"action\":\"shutdownRequested\"}\n";
    } else {
      ::close(input_);
      over_ = true;
    }
  }

 private:
  void start_bridge() {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
    if (::fork() == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execl("./weir-kinesis-bridge", "./weir-kinesis-bridge", nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = out[0];
    ::fcntl(input_, F_SETFL, O_NONBLOCK);
  }

  void answered() {
    const std::uint64_t share = load_.records / load_.shards;
    if (told_to_end != 0 || delivered_ >= share) {
      idle_ = true;
      return;
    }
    line_.number_from(delivered_ + 1);
    delivered_ += load_.records_a_call;
    unsent_ = line_.text();
  }

  const KinesisLoad load_;
  CallLine line_;
  std::ofstream checkpoints_;  // when each was asked for
  int input_ = -1, output_ = -1;
  std::string initialize_;
  std::string_view unsent_;
  std::string replies_;
  std::uint64_t delivered_ = 0;
  bool idle_ = false, shutting_down_ = false, over_ = false;
};

void run(std::vector<std::unique_ptr<Shard>>& shards, int idle_ms) {
  for (;;) {
    std::vector<pollfd> waits;
    bool any = false;
    for (const auto& shard : shards) {
      if (told_to_end != 0) shard->call_again();
      any = any || !shard->over();
      waits.push_back({shard->over() ? -1 : shard->output(), POLLIN, 0});
      waits.push_back({shard->wants_to_write() ? shard->input() : -1, POLLOUT, 0});
    }
    if (!any) return;
    const int ready = ::poll(waits.data(), waits.size(), idle_ms);
    if (ready == 0) {
      for (const auto& shard : shards) shard->call_again();
    }
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      if (waits[2 * i].revents != 0 && !shards[i]->read()) return;
      if (waits[2 * i + 1].revents != 0) shards[i]->write();
    }
  }
}

}  // namespace

CallLine::CallLine(const KinesisLoad& load) {
  std::mt19937_64 random(1);
  std::string data(load.record_bytes, ' ');
  text_ = R"({"action":"processRecords","records":[)";
  for (std::uint64_t i = 0; i < load.records_a_call; ++i) {
    for (char& byte : data) byte = static_cast<char>(random());
    if (i > 0) text_ += ',';
    text_ += fmt::format(R"({{"data":"{}","partitionKey":"key-{}","sequenceNumber":"4968070188)",
                         text::base64_encode(data), random() % 1000);
    text_ += "31941968565761545217819";
    numbers_.push_back(text_.size());
    text_ += std::string(kNumberDigits, '0');
    text_ += R"(","approximateArrivalTimestamp":1796029040590,"subSequenceNumber":0,)"
             R"("action":"record"})";
  }
  text_ += "],\"millisBehindLatest\":0}\n";
}

void CallLine::number_from(std::uint64_t first) {
  char digits[kNumberDigits];
  for (const std::size_t at : numbers_) {
    std::uint64_t rest = first++;
    for (std::size_t i = kNumberDigits; i-- > 0; rest /= 10) {
      digits[i] = static_cast<char>('0' + rest % 10);
    }
    std::memcpy(text_.data() + at, digits, kNumberDigits);
  }
}

void make_kinesis_java(const std::filesystem::path& java_home, const std::filesystem::path& program,
                       const KinesisLoad& load) {
  std::filesystem::create_directories(java_home / "bin");
  std::filesystem::create_symlink(program, java_home / "bin" / "java");
  std::ofstream(java_home / "load")
      << load.shards << ' ' << load.records_a_call << ' ' << load.record_bytes << ' '
      << load.records << ' ' << load.idle_ms << '\n';
}

bool is_kinesis_daemon(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).ends_with("MultiLangDaemon")) return true;
  }
  return false;
}

int kinesis_daemon(const std::filesystem::path& java_home) {
  struct sigaction action = {};
  action.sa_handler = [](int) { told_to_end = 1; };
  ::sigaction(SIGTERM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  KinesisLoad load;
  std::ifstream(java_home / "load") >> load.shards >> load.records_a_call >> load.record_bytes >>
      load.records >> load.idle_ms;
  std::vector<std::unique_ptr<Shard>> shards;
  for (std::uint64_t i = 0; i < load.shards; ++i) {
    shards.push_back(std::make_unique<Shard>(load, i, java_home));
  }
  run(shards, load.idle_ms);
  while (::wait(nullptr) > 0) {
  }
  rusage bridges = {};
  ::getrusage(RUSAGE_CHILDREN, &bridges);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  std::ofstream(java_home / "usage")
      << cpu_seconds() << ' ' << seconds(bridges.ru_utime) + seconds(bridges.ru_stime) << '\n';
  return 0;
}

std::int64_t last_kinesis_checkpoint_ns(const std::filesystem::path& java_home) {
  std::int64_t last_ns = 0;
  std::ifstream file(java_home / "checkpoints");
  while (file >> last_ns) {
  }
  return last_ns;
}

KinesisDaemonUsage kinesis_daemon_usage(const std::filesystem::path& java_home) {
  KinesisDaemonUsage usage;
  std::ifstream(java_home / "usage") >> usage.own_seconds >> usage.bridges_seconds;
  return usage;
}

}  // namespace weir::bench
