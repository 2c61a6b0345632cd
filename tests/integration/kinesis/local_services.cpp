#include "tests/integration/kinesis/local_services.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace weir::kinesis_testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using processors::aws::Client;
using tools::testing::eventually;
using tools::testing::Program;

class LocalCredentials : public processors::aws::CredentialsProvider {
 public:
  processors::aws::Credentials credentials() override {
    return {.access_key_id = kAccessKey, .secret_access_key = kSecretKey};
  }
  processors::aws::JavaCredentials for_java(const fs::path&) override { return {}; }
};

// Free when asked for; somebody else may take it before the service does.
int free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(descriptor);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

std::string preload(const char* name) {
  return (fs::path(WEIR_KINESIS_PRELOADS) / name).string();
}

// The kernel kills it with this program.
std::unique_ptr<Program> start_node(const std::vector<std::string>& environment,
                                    const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"setpriv", "--pdeathsig", "KILL", "env"};
  all.insert(all.end(), environment.begin(), environment.end());
  all.push_back("node");
  all.insert(all.end(), arguments.begin(), arguments.end());
  return std::make_unique<Program>(WEIR_KINESIS_SERVICES, all);
}

json to_json(const Fault& fault) {
  json rule = {{"service", fault.service},
               {"share", fault.share},
               {"seed", fault.seed},
               {"delay_ms", fault.delay_ms},
               {"lose", fault.lose}};
  if (!fault.operations.empty()) rule["operations"] = fault.operations;
  if (!fault.contains.empty()) rule["contains"] = fault.contains;
  if (fault.answer) {
    rule["answer"] = {{"status", fault.answer->status},
                      {"code", fault.answer->code},
                      {"message", fault.answer->message}};
  }
  return rule;
}

}  // namespace

LocalServices& LocalServices::instance() {
  static LocalServices services;
  return services;
}

LocalServices::LocalServices() {
  if (!fs::exists(fs::path(WEIR_KINESIS_SERVICES) / "node_modules")) {
    throw std::runtime_error("the local services are missing in " WEIR_KINESIS_SERVICES
                             ": npm was not there when the build was configured");
  }
  constexpr int kAttempts = 3;  // a port may be taken from under us
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    start();
    if (eventually([this] { return answers(); }, std::chrono::seconds(60))) return;
  }
  throw std::runtime_error("the local services do not answer: " + kinesis_->out() +
                           kinesis_->err() + dynamodb_->out() + dynamodb_->err() + door_->err());
}

void LocalServices::start() {
  ports_ = {.kinesis = free_port(), .dynamodb = free_port()};
  kinesis_ =
      start_node({"KINESIS_MOCK_PLAIN_PORT=" + std::to_string(ports_.kinesis),
                  "KINESIS_MOCK_TLS_PORT=" + std::to_string(free_port()),
                  "KINESIS_MOCK_CERT_PATH=node_modules/kinesis-local/server.json",
                  "CREATE_STREAM_DURATION=20ms", "DELETE_STREAM_DURATION=20ms",
                  "SPLIT_SHARD_DURATION=20ms", "MERGE_SHARDS_DURATION=20ms",
                  "REGISTER_STREAM_CONSUMER_DURATION=20ms", "SHARD_LIMIT=10000", "LOG_LEVEL=ERROR"},
                 {"-r", preload("bind_local.js"), "node_modules/kinesis-local/main.js"});
  dynamodb_ =
      start_node({}, {"-r", preload("dynalite_index.js"), "node_modules/dynalite/cli.js", "--host",
                      "127.0.0.1", "--port", std::to_string(ports_.dynamodb), "--createTableMs",
                      "0", "--updateTableMs", "0", "--deleteTableMs", "0"});
  door_ = start_node(
      {}, {preload("faults.js"), std::to_string(ports_.kinesis), std::to_string(ports_.dynamodb)});
}

bool LocalServices::answers() {
  const json doors = json::parse(door_->out(), nullptr, false);
  if (doors.is_discarded()) return false;
  doors_ = {.kinesis = doors.at("kinesis"),
            .dynamodb = doors.at("dynamodb"),
            .orders = doors.at("orders")};
  try {
    mend();
    kinesis_client()->call("Kinesis_20131202.ListStreams", "{}");
    dynamodb_client()->call("DynamoDB_20120810.ListTables", "{}", "application/x-amz-json-1.0");
  } catch (const processors::aws::ServiceError&) {
    return false;
  }
  return true;
}

std::vector<std::uint64_t> LocalServices::order(const std::vector<Fault>& faults,
                                                const std::vector<std::string>& down) {
  json rules = json::array();
  for (const Fault& fault : faults) rules.push_back(to_json(fault));
  const json order = {{"rules", rules}, {"down", down}};
  const std::string answer = client("orders", url(doors_.orders))->call("Door.Order", order.dump());
  return json::parse(answer).at("hits");
}

std::string LocalServices::url(int port) {
  return "http://127.0.0.1:" + std::to_string(port);
}

std::unique_ptr<Client> LocalServices::client(const std::string& service, const std::string& url) {
  return std::make_unique<Client>(
      processors::aws::ClientSettings{.service = service,
                                      .region = kRegion,
                                      .endpoint = url,
                                      .timeout = std::chrono::minutes(2)},
      std::make_shared<LocalCredentials>());
}

std::unique_ptr<Client> LocalServices::kinesis_client() const {
  return client("kinesis", url(ports_.kinesis));
}

std::unique_ptr<Client> LocalServices::dynamodb_client() const {
  return client("dynamodb", url(ports_.dynamodb));
}

}  // namespace weir::kinesis_testing
