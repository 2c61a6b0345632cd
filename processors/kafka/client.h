#pragma once

#include <librdkafka/rdkafka.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/api/component.h"

// Owners of librdkafka's C objects, so that nobody else frees one by hand. What they hold is used
// through librdkafka's own functions.
namespace weir::processors::kafka {

// Settings of a client by librdkafka's names ("bootstrap.servers", "enable.idempotence").
using Settings = std::map<std::string, std::string>;

// An everyday failure: a trigger that it leaves rolls back and is tried again.
class KafkaError : public ProcessException {
 public:
  KafkaError(rd_kafka_resp_err_t code, const std::string& message)
      : ProcessException(message), code_(code) {}
  rd_kafka_resp_err_t code() const { return code_; }

 private:
  rd_kafka_resp_err_t code_;
};

struct Destroy {
  void operator()(rd_kafka_conf_t* object) const { rd_kafka_conf_destroy(object); }
  void operator()(rd_kafka_message_t* object) const { rd_kafka_message_destroy(object); }
  void operator()(rd_kafka_topic_partition_list_t* object) const {
    rd_kafka_topic_partition_list_destroy(object);
  }
  void operator()(rd_kafka_queue_t* object) const { rd_kafka_queue_destroy(object); }
  void operator()(rd_kafka_error_t* object) const { rd_kafka_error_destroy(object); }
  void operator()(rd_kafka_headers_t* object) const { rd_kafka_headers_destroy(object); }
  void operator()(rd_kafka_event_t* object) const { rd_kafka_event_destroy(object); }
};
template <typename T>
using Owned = std::unique_ptr<T, Destroy>;

// The setting with which clients make unsecured tokens for logins by OAUTHBEARER.
inline constexpr const char* kUnsecuredTokens = "enable.sasl.oauthbearer.unsecure.jwt";
bool is_true(std::string_view value);  // as librdkafka takes it

// Throws ProcessException that names the setting librdkafka does not take. Values of settings that
// hold secrets are in no message.
Owned<rd_kafka_conf_t> configuration(const Settings& settings);

// A producer or consumer. Its end closes a consumer, gives a producer's undelivered messages up
// (flush before), and waits for librdkafka's threads.
class Client {
 public:
  // Takes the configuration, with callbacks and opaque set by the caller. librdkafka's own log
  // lines go to `log`, levels kept; it must outlive the client.
  Client(rd_kafka_type_t type, Owned<rd_kafka_conf_t> settings, ComponentLog& log);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  rd_kafka_t* get() const { return client_; }
  // Leaves librdkafka's object and threads behind, till the process ends: for a consumer that
  // librdkafka cannot destroy without waiting for ever or aborting the process.
  void abandon() { client_ = nullptr; }

 private:
  struct LogSink;
  std::unique_ptr<LogSink> sink_;
  rd_kafka_t* client_ = nullptr;
};

// Ends a consumer. librdkafka up to 2.2 may never end one whose topic was deleted: false where it
// did not within five seconds and is left to itself. Its threads wait for brokers then, and say
// nothing any more.
bool end_in_time(std::unique_ptr<Client> client);

// Throws where `error` is one; it is destroyed.
void check(rd_kafka_error_t* error, std::string_view what);
void check(rd_kafka_resp_err_t code, std::string_view what);

}  // namespace weir::processors::kafka
