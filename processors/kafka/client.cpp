#include "processors/kafka/client.h"

#include <fmt/format.h>
#include <syslog.h>

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace weir::processors::kafka {
namespace {

bool is_secret(std::string_view name) {
  for (const std::string_view part : {"password", "pem", "secret", "oauthbearer.config", "jaas"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

LogLevel level_of(int syslog_level) {
  if (syslog_level <= LOG_ERR) return LogLevel::error;
  if (syslog_level == LOG_WARNING) return LogLevel::warn;
  return syslog_level <= LOG_INFO ? LogLevel::info : LogLevel::debug;
}

}  // namespace

// librdkafka's log callback is told the client and nothing else, and a client's one opaque pointer
// is its owner's: which log a client writes to stands here. Its first lines come before anybody
// knows the client; so clients are made one after another, and those lines are of the one that is
// being made.
struct Client::LogSink {
  explicit LogSink(ComponentLog& where) : log(where) {}
  ~LogSink() {
    const std::unique_lock lock(mutex);
    std::erase_if(of_clients, [this](const auto& one) { return one.second == this; });
  }
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;

  void set_making(bool making) {
    const std::unique_lock lock(mutex);
    being_made = making ? this : nullptr;
  }
  void set_client(const rd_kafka_t* client) {
    const std::unique_lock lock(mutex);
    of_clients[client] = this;
  }

  static void write(const rd_kafka_t* client, int level, const char* facility,
                    const char* message) {
    const std::shared_lock lock(mutex);
    const auto found = of_clients.find(client);
    LogSink* const sink = found == of_clients.end() ? being_made : found->second;
    if (sink != nullptr) sink->log.log(level_of(level), "librdkafka {}: {}", facility, message);
  }

  ComponentLog& log;

  static inline std::mutex making_mutex;  // held while a client is made

  static inline std::shared_mutex mutex;
  static inline std::unordered_map<const rd_kafka_t*, LogSink*> of_clients;
  static inline LogSink* being_made = nullptr;
};

Owned<rd_kafka_conf_t> configuration(const Settings& settings) {
  Owned<rd_kafka_conf_t> made(rd_kafka_conf_new());
  char why[512] = "";
  for (const auto& [name, value] : settings) {
    const rd_kafka_conf_res_t result =
        rd_kafka_conf_set(made.get(), name.c_str(), value.c_str(), why, sizeof why);
    if (result == RD_KAFKA_CONF_OK) continue;
    if (result == RD_KAFKA_CONF_UNKNOWN) {
      throw ProcessException(fmt::format("librdkafka has no setting '{}'", name));
    }
    // librdkafka's own text tells the value.
    throw ProcessException(
        is_secret(name) ? fmt::format("librdkafka does not take the value of '{}'", name)
                        : fmt::format("librdkafka does not take {} = '{}': {}", name, value, why));
  }
  return made;
}

Client::Client(rd_kafka_type_t type, Owned<rd_kafka_conf_t> settings, ComponentLog& log)
    : sink_(std::make_unique<LogSink>(log)) {
  rd_kafka_conf_set_log_cb(settings.get(), &LogSink::write);
  char why[512] = "";
  {
    const std::lock_guard lock(LogSink::making_mutex);
    sink_->set_making(true);
    client_ = rd_kafka_new(type, settings.get(), why, sizeof why);
    if (client_ != nullptr) sink_->set_client(client_);
    sink_->set_making(false);
  }
  if (client_ == nullptr) {
    throw ProcessException(fmt::format("A Kafka client could not be made: {}", why));
  }
  static_cast<void>(settings.release());  // librdkafka's from here on
}

Client::~Client() {
  if (client_ != nullptr) rd_kafka_destroy(client_);
}

void check(rd_kafka_error_t* error, std::string_view what) {
  const Owned<rd_kafka_error_t> held(error);
  if (!held) return;
  throw KafkaError(rd_kafka_error_code(error),
                   fmt::format("{}: {}", what, rd_kafka_error_string(error)));
}

void check(rd_kafka_resp_err_t code, std::string_view what) {
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return;
  throw KafkaError(code, fmt::format("{}: {}", what, rd_kafka_err2str(code)));
}

}  // namespace weir::processors::kafka
