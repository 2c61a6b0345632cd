#include "tests/integration/kafka/broker.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <stdexcept>

#include "tests/tools/program.h"

namespace weir::kafka_testing {
namespace {

using tools::testing::eventually;
using tools::testing::operator""s;

constexpr int kAnswerTimeout_ms = 2000;

// As Kafka writes identifiers: 16 bytes in 22 characters of URL-safe Base64.
std::string cluster_id() {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string id;
  for (int i = 0; i < 21; ++i) id += letters[random() % letters.size()];
  return id + "A";  // its last bits must be zero
}

bool answers(const std::string& address) {
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", address.c_str(), nullptr, 0);
  rd_kafka_conf_set(conf, "log_level", "0", nullptr, 0);
  rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  const rd_kafka_metadata_t* metadata = nullptr;
  const bool answered = rd_kafka_metadata(client, 1, nullptr, &metadata, kAnswerTimeout_ms) ==
                            RD_KAFKA_RESP_ERR_NO_ERROR &&
                        metadata->broker_cnt == 1;
  if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
  rd_kafka_destroy(client);
  return answered;
}

int open_output(const std::filesystem::path& file) {
  return ::open(file.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
}

}  // namespace

std::vector<int> free_ports(int count) {
  std::vector<int> sockets;
  std::vector<int> ports;
  for (int i = 0; i < count; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("no free port");
    }
    sockets.push_back(socket);  // held till all are found, so that they differ
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int socket : sockets) ::close(socket);
  return ports;
}

Broker::Broker(std::filesystem::path folder, const std::map<std::string, std::string>& properties)
    : folder_(std::move(folder)) {
  const std::vector<int> ports = free_ports(2);
  port_ = ports[0];
  controller_port_ = ports[1];
  const std::string controller = fmt::format("127.0.0.1:{}", controller_port_);
  properties_ = {
      {"process.roles", "broker,controller"},
      {"node.id", "1"},
      {"controller.quorum.bootstrap.servers", controller},
      {"controller.listener.names", "CONTROLLER"},
      {"listeners", fmt::format("PLAINTEXT://{},CONTROLLER://{}", address(), controller)},
      {"advertised.listeners", "PLAINTEXT://" + address()},
      {"listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"},
      {"log.dirs", (folder_ / "data").string()},
      {"auto.create.topics.enable", "false"},
      {"offsets.topic.replication.factor", "1"},
      {"offsets.topic.num.partitions", "8"},
      {"transaction.state.log.replication.factor", "1"},
      {"transaction.state.log.min.isr", "1"},
      {"transaction.state.log.num.partitions", "4"},
      {"share.coordinator.state.topic.replication.factor", "1"},
      {"share.coordinator.state.topic.num.partitions", "1"},
      {"group.initial.rebalance.delay.ms", "0"},
      {"group.min.session.timeout.ms", "1000"},
      {"broker.session.timeout.ms", "2000"},  // how long a killed one keeps the next waiting
      {"broker.heartbeat.interval.ms", "500"},
      {"log.cleaner.dedupe.buffer.size", "4194304"},
      {"log.initial.task.delay.ms", "1000"},
      {"num.network.threads", "2"},
      {"num.io.threads", "4"}};
  std::filesystem::create_directories(folder_);
  set_properties(properties);
}

void Broker::set_properties(const std::map<std::string, std::string>& properties) {
  for (const auto& [name, value] : properties) properties_[name] = value;
  std::ofstream out(folder_ / "server.properties");
  for (const auto& [name, value] : properties_) out << name << '=' << value << '\n';
}

std::string Broker::add_listener(const std::string& name, const std::string& protocol,
                                 const std::string& host) {
  const int port = free_ports(1)[0];
  const auto and_this = [this](const std::string& property, const std::string& more) {
    return std::pair(property, properties_.at(property) + "," + more);
  };
  set_properties(
      {and_this("listeners", fmt::format("{}://127.0.0.1:{}", name, port)),
       and_this("advertised.listeners", fmt::format("{}://{}:{}", name, host, port)),
       and_this("listener.security.protocol.map", fmt::format("{}:{}", name, protocol))});
  return fmt::format("{}:{}", host, port);
}

Broker::~Broker() {
  kill();
}

std::string Broker::address() const {
  return fmt::format("127.0.0.1:{}", port_);
}

pid_t Broker::run_java(const std::vector<std::string>& arguments, const char* output) const {
  std::vector<std::string> all = {"java"};
  all.insert(all.end(), java_options_.begin(), java_options_.end());
  for (const char* option :
       {"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        "-Dorg.slf4j.simpleLogger.showDateTime=true", "-cp", WEIR_KAFKA_JARS "/*"}) {
    all.emplace_back(option);
  }
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  for (std::string& one : all) raw.push_back(one.data());
  raw.push_back(nullptr);
  const int out = open_output(folder_ / output);
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(125);  // it died between the two lines
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    if (::chdir(folder_.c_str()) != 0) ::_exit(126);
    ::execvp("java", raw.data());
    ::_exit(127);
  }
  ::close(out);
  return process;
}

void Broker::begin_format(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {
      "kafka.tools.StorageTool", "format", "--standalone", "-t", cluster_id(), "-c",
      "server.properties"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  process_ = run_java(all, "format.log");
}

void Broker::finish_format() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  if (status == 0) return;
  throw std::runtime_error("the broker's storage could not be formatted: " +
                           tools::testing::read_file(folder_ / "format.log"));
}

void Broker::begin_start() {
  process_ = run_java({"kafka.Kafka", "server.properties"}, "broker.log");
}

void Broker::finish_start() {
  const bool ready = eventually(
      [&] {
        if (::waitpid(process_, nullptr, WNOHANG) == process_) {
          process_ = -1;
          return true;
        }
        return answers(address());
      },
      60s);
  if (!ready || process_ < 0) throw std::runtime_error("the broker does not start: " + log());
}

void Broker::stop() {
  if (process_ < 0) return;
  ::kill(process_, SIGCONT);
  ::kill(process_, SIGTERM);
  const bool ended =
      eventually([&] { return ::waitpid(process_, nullptr, WNOHANG) == process_; }, 30s);
  if (!ended) throw std::runtime_error("the broker does not stop: " + log());
  process_ = -1;
}

void Broker::kill() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

void Broker::pause(bool stopped) {
  ::kill(process_, stopped ? SIGSTOP : SIGCONT);
}

std::string Broker::log() const {
  return tools::testing::read_file(folder_ / "broker.log");
}

}  // namespace weir::kafka_testing
