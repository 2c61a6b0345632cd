#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "processors/kafka/client_settings.h"
#include "processors/kafka/connection.h"
#include "processors/ssl/ssl_context.h"

namespace weir::processors::kafka {

// How a cluster is reached, as the flow says it: by a connection service, or by the properties of a
// processor of NiFi 1.x.
struct ConnectionValues {
  std::string bootstrap_servers;
  std::string security_protocol = "PLAINTEXT";
  std::string sasl_mechanism = {};  // empty without SASL
  std::string username = {};
  std::string password = {};
  std::string isolation_level = "read_committed";
  int max_poll_records = 10'000;
  std::chrono::milliseconds api_timeout{60'000};
  std::chrono::milliseconds metadata_wait{5'000};
  std::chrono::milliseconds ack_wait{5'000};
  std::map<std::string, std::string> dynamic = {};  // of the Java client or of librdkafka
};

// The properties by which a component has them.
struct ConnectionProperties {
  const PropertyDescriptor& bootstrap_servers;
  const PropertyDescriptor& security_protocol;
  const PropertyDescriptor& sasl_mechanism;
  const PropertyDescriptor& username;
  const PropertyDescriptor& password;
  const PropertyDescriptor& max_poll_records;
  const PropertyDescriptor& api_timeout;
  const PropertyDescriptor& metadata_wait;
  const PropertyDescriptor& ack_wait;
};
// All but the isolation level; what the component has no property for keeps its default.
ConnectionValues read_connection(const PropertyContext& context,
                                 const ConnectionProperties& properties);

// What librdkafka would not take, each by the property it comes from ("sasl.mechanism", or the
// dynamic property's name). No message holds a secret.
std::vector<ValidationProblem> problems_of(const ConnectionValues& values);

// What works otherwise than the flow says, a sentence each. `tls` may be null.
std::vector<std::string> warnings_of(const ConnectionValues& values, const ssl::TlsMaterial* tls);

// A connection whose values are set once, before its first use.
class ConfiguredConnection : public Connection {
 public:
  ConfiguredConnection() = default;
  // Throws ProcessException where `problems_of` has one. `tls` may be null.
  ConfiguredConnection(const ConnectionValues& values, const ssl::TlsMaterial* tls) {
    configure(values, tls);
  }
  // With the key and the authorities of an SSL context service, which may be null; warns of what
  // works otherwise than the flow says.
  ConfiguredConnection(const ConnectionValues& values,
                       const std::shared_ptr<ControllerService>& ssl_context, ComponentLog& log) {
    configure(values, ssl_context, log);
  }

  std::string brokers() const override { return values_.bootstrap_servers; }
  Settings consumer_settings() const override { return consumer_; }
  Settings producer_settings() const override { return producer_; }
  Settings admin_settings() const override { return admin_; }
  int max_poll_records() const override { return values_.max_poll_records; }
  std::chrono::milliseconds api_timeout() const override { return values_.api_timeout; }
  std::chrono::milliseconds ack_wait() const override { return values_.ack_wait; }

 protected:
  void configure(const ConnectionValues& values, const ssl::TlsMaterial* tls);
  void configure(const ConnectionValues& values,
                 const std::shared_ptr<ControllerService>& ssl_context, ComponentLog& log);

 private:
  ConnectionValues values_;
  Settings consumer_;
  Settings producer_;
  Settings admin_;
};

// "host:port", several by commas.
Validator broker_list();

}  // namespace weir::processors::kafka
