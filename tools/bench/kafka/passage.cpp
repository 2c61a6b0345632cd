#include "tools/bench/kafka/passage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "processors/kafka/client.h"
#include "tools/bench/bench.h"

namespace weir::bench {
namespace {

using processors::kafka::Client;
using processors::kafka::configuration;
using processors::kafka::Owned;
using std::chrono::milliseconds;

constexpr double kPatienceSeconds = 60;  // without a new record
constexpr double kEndSeconds = 5;
constexpr milliseconds kLookForFirst{5};
constexpr milliseconds kLookAgain{50};
constexpr int kTimeoutMs = 5000;

// The program's process, which ends with the object.
class Process {
 public:
  explicit Process(const MirrorProgram& program);
  ~Process() { end(SIGKILL); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void check_running();
  double cpu_seconds() const;
  double most_megabytes() const;
  // In order; killed where that takes too long.
  void stop();

 private:
  void end(int signal);
  std::string read(const char* file) const;

  const std::string program_;
  pid_t id_ = -1;
};

Process::Process(const MirrorProgram& program) : program_(program.arguments.at(0)) {
  std::vector<char*> raw;
  for (const std::string& one : program.arguments) raw.push_back(const_cast<char*>(one.c_str()));
  raw.push_back(nullptr);
  const std::filesystem::path output = program.directory / "output.log";
  const int out = ::open(output.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(125);  // it died between the two lines
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    if (::chdir(program.directory.c_str()) != 0) ::_exit(126);
    ::execvp(raw[0], raw.data());
    ::_exit(127);
  }
  ::close(out);
}

void Process::check_running() {
  if (::waitpid(id_, nullptr, WNOHANG) != id_) return;
  id_ = -1;
  throw std::runtime_error(program_ + " ended before all records were in the target");
}

std::string Process::read(const char* file) const {
  std::ostringstream text;
  text << std::ifstream(fmt::format("/proc/{}/{}", id_, file)).rdbuf();
  return text.str();
}

double Process::cpu_seconds() const {
  const std::string stat = read("stat");
  // Behind the name in parentheses, which may hold blanks: state, and from it the 11th and 12th.
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double Process::most_megabytes() const {
  const std::string status = read("status");
  const std::size_t at = status.find("VmHWM:");
  if (at == std::string::npos) throw std::runtime_error(program_ + " is gone");
  return std::stod(status.substr(at + 6)) / 1024;
}

void Process::stop() {
  ::kill(id_, SIGTERM);
  const double begin = wall_seconds();
  while (wall_seconds() - begin < kEndSeconds) {
    if (::waitpid(id_, nullptr, WNOHANG) == id_) {
      id_ = -1;
      return;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  end(SIGKILL);
}

void Process::end(int signal) {
  if (id_ < 0) return;
  ::kill(id_, signal);
  ::waitpid(id_, nullptr, 0);
  id_ = -1;
}

// How many records a topic of the target has.
class Target {
 public:
  Target(const std::string& brokers, std::string topic, int partitions)
      : topic_(std::move(topic)),
        partitions_(partitions),
        client_(RD_KAFKA_PRODUCER, configuration({{"bootstrap.servers", brokers}}), silent_log) {}

  // 0 while the topic is being made.
  double records() {
    try {
      if (!is_there_) is_there_ = has_leaders();
      return is_there_ ? sum_of_ends() : 0;
    } catch (const processors::kafka::KafkaError&) {
      return 0;
    }
  }

 private:
  // librdkafka asks for leaders that it does not know again only after a tenth of a second and
  // more.
  bool has_leaders() {
    const rd_kafka_metadata_t* found = nullptr;
    processors::kafka::check(rd_kafka_metadata(client_.get(), 1, nullptr, &found, kTimeoutMs),
                             "The topics of the target");
    int leaders = 0;
    for (const rd_kafka_metadata_topic& topic :
         std::span(found->topics, static_cast<std::size_t>(found->topic_cnt))) {
      if (topic.topic != topic_) continue;
      for (int i = 0; i < topic.partition_cnt; ++i) leaders += topic.partitions[i].leader >= 0;
    }
    rd_kafka_metadata_destroy(found);
    return leaders == partitions_;
  }

  double sum_of_ends() {
    const Owned<rd_kafka_topic_partition_list_t> list(
        rd_kafka_topic_partition_list_new(partitions_));
    for (int i = 0; i < partitions_; ++i) {
      rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), i)->offset =
          RD_KAFKA_OFFSET_END;
    }
    processors::kafka::check(rd_kafka_offsets_for_times(client_.get(), list.get(), kTimeoutMs),
                             "The ends of the target's topic");
    double sum = 0;
    for (int i = 0; i < list->cnt; ++i) {
      processors::kafka::check(list->elems[i].err, "The end of the target's partition");
      sum += static_cast<double>(list->elems[i].offset);
    }
    return sum;
  }

  const std::string topic_;
  const int partitions_;
  const Client client_;
  bool is_there_ = false;
};

struct Sample {
  double records = 0;
  double wall_s = 0;
  double cpu_s = 0;
};

// Between two samples, where `records` were there.
Sample between(const Sample& from, const Sample& to, double records) {
  const double part = (records - from.records) / (to.records - from.records);
  return {records, from.wall_s + part * (to.wall_s - from.wall_s),
          from.cpu_s + part * (to.cpu_s - from.cpu_s)};
}

Sample at(const std::vector<Sample>& samples, double records) {
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].records >= records) return between(samples[i - 1], samples[i], records);
  }
  return samples.back();
}

}  // namespace

Passage pass(const MirrorProgram& program, const KafkaLoad& load,
             const std::string& target_brokers) {
  Target target(target_brokers, program.target_topic, load.partitions);
  const auto all = static_cast<double>(load.records);
  Passage passage;
  const double begin = wall_seconds();
  Process process(program);
  std::vector<Sample> samples = {{}};
  while (samples.back().records < all) {
    const double records = target.records();
    process.check_running();
    const double wall_s = wall_seconds() - begin;
    if (passage.first_seconds == 0 && records > 0) passage.first_seconds = wall_s;
    if (records > samples.back().records) {
      samples.push_back({records, wall_s, process.cpu_seconds()});
    }
    if (wall_s - samples.back().wall_s > kPatienceSeconds) {
      throw std::runtime_error(fmt::format("{}: {} of {} records after {} s", program.target_topic,
                                           records, all, wall_s));
    }
    std::this_thread::sleep_for(records == 0 ? kLookForFirst : kLookAgain);
  }
  const Sample from = at(samples, all / 4);
  const Sample to = at(samples, all * 3 / 4);
  passage.records_per_second = all / 2 / (to.wall_s - from.wall_s);
  passage.cpu_us = (to.cpu_s - from.cpu_s) / (all / 2) * 1e6;
  passage.megabytes = process.most_megabytes();
  process.stop();
  return passage;
}

}  // namespace weir::bench
