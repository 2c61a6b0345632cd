#pragma once

#include <chrono>
#include <string>

#include "engine/api/controller_service.h"
#include "processors/kafka/client.h"

namespace weir::processors::kafka {

// The interface of Kafka3ConnectionService: how to reach a cluster.
class Connection : public ControllerService {
 public:
  virtual std::string brokers() const = 0;  // for messages and transit URIs
  // Settings that every client of this cluster takes, and those for consumers and producers
  // besides; the user's own (dynamic properties) among them. Thread safe.
  virtual Settings consumer_settings() const = 0;
  virtual Settings producer_settings() const = 0;
  virtual Settings admin_settings() const = 0;
  virtual int max_poll_records() const = 0;
  virtual std::chrono::milliseconds api_timeout() const = 0;
  virtual std::chrono::milliseconds ack_wait() const = 0;
};

inline constexpr const char* kConnectionInterface =
    "org.apache.nifi.kafka.service.api.KafkaConnectionService";

}  // namespace weir::processors::kafka
