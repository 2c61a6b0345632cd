#include "processors/kafka/client.h"

#include <fmt/format.h>
#include <openssl/x509_vfy.h>
#include <syslog.h>

#include <chrono>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

#include "processors/kafka/unsecured_token.h"

namespace weir::processors::kafka {
namespace {

constexpr std::chrono::seconds kMostEnding{5};

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

// Of lines that say more, or less, than their level: a listener of another kind hangs up, as
// brokers do every day with connections that idle.
LogLevel level_of(int syslog_level, std::string_view facility, std::string_view message) {
  const LogLevel level = level_of(syslog_level);
  if (facility != "FAIL" || level != LogLevel::info) return level;
  return message.find("incorrect security.protocol") != std::string_view::npos ? LogLevel::error
                                                                               : LogLevel::debug;
}

// OpenSSL's verdict on a broker's certificate, and why, which librdkafka logs only so.
int judge_certificate(rd_kafka_t*, const char*, std::int32_t, int* verdict, int, const char*,
                      std::size_t, char* why, std::size_t why_size, void*) {
  if (*verdict == X509_V_OK) return 1;
  fmt::format_to_n(why, why_size - 1, "{}", X509_verify_cert_error_string(*verdict)).out[0] = '\0';
  return 0;
}

// Without the thread that says it, "[thrd:…]: ".
std::string_view what_is_said(std::string_view line) {
  constexpr std::string_view kEnd = "]: ";
  const std::size_t end = line.starts_with("[thrd:") ? line.find(kEnd) : std::string_view::npos;
  return end == std::string_view::npos ? line : line.substr(end + kEnd.size());
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
    if (sink == nullptr) return;
    sink->log.log(level_of(level, facility, message), "librdkafka {}: {}", facility,
                  what_is_said(message));
  }

  ComponentLog& log;

  static inline std::mutex making_mutex;  // held while a client is made

  static inline std::shared_mutex mutex;
  static inline std::unordered_map<const rd_kafka_t*, LogSink*> of_clients;
  static inline LogSink* being_made = nullptr;
};

bool is_true(std::string_view value) {
  return value == "true" || value == "t" || value == "1";
}

Owned<rd_kafka_conf_t> configuration(const Settings& settings) {
  Owned<rd_kafka_conf_t> made(rd_kafka_conf_new());
  char why[512] = "";
  for (const auto& [name, value] : settings) {
    if (name == kUnsecuredTokens && is_true(value)) {
      make_unsecured_tokens(made.get());
      continue;
    }
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
  const auto verifies = settings.find("enable.ssl.certificate.verification");
  if (verifies == settings.end() || is_true(verifies->second)) {
    rd_kafka_conf_set_ssl_cert_verify_cb(made.get(), &judge_certificate);
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
  // Tokens are made whether or not somebody polls the client.
  if (const Owned<rd_kafka_queue_t> logins(rd_kafka_queue_get_sasl(client_)); logins) {
    check(rd_kafka_sasl_background_callbacks_enable(client_), "Making tokens");
  }
}

Client::~Client() {
  if (client_ != nullptr) rd_kafka_destroy(client_);
}

bool end_in_time(std::unique_ptr<Client> client) {
  if (client->get() == nullptr) return true;  // left behind already
  rd_kafka_set_log_level(client->get(), 0);
  std::packaged_task<void()> task([held = std::move(client)]() mutable { held.reset(); });
  const std::future<void> done = task.get_future();
  std::thread(std::move(task)).detach();
  return done.wait_for(kMostEnding) == std::future_status::ready;
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
