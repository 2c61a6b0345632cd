#pragma once

#include <map>
#include <string>
#include <vector>

#include "processors/ssl/ssl_context.h"
#include "tests/integration/kafka/broker.h"
#include "tests/tools/program.h"

namespace weir::kafka_testing {

using Properties = std::map<std::string, std::string>;

// How a client comes to the cluster.
struct Way {
  std::string name;
  std::string listener;
  Properties client;     // of Kafka3ConnectionService, apart from its brokers
  std::string tls = {};  // the SSL context service: "trusting", or "known", which shows itself
};

// One that does not lead in until the cluster is mended, and what the bulletins say of it.
struct Fault {
  Way way;
  std::string reason;
};

// A cluster that wants logins, encrypts, asks for permissions, and is wrong about some of it until
// it is mended.
class SecureBroker {
 public:
  // Made by the first test that needs it.
  static SecureBroker& instance();

  // Passwords and tokens that no message may hold.
  static const std::vector<std::string>& secrets();
  static const std::vector<Way>& ways();  // but by SCRAM
  static const std::vector<Way>& scram_ways();
  // Whether this librdkafka can: before 2.6.1 brokers of Kafka 4 refuse it.
  static bool scram_works();
  static const std::vector<Fault>& faults();

  Broker& broker() { return broker_; }
  const std::string& address(const Way& way) const { return addresses_.at(way.listener); }
  processors::ssl::TlsMaterial material(const Way& way) const;
  // The service named after the way, in a flow's "services", with those it uses.
  std::string services(const Way& way) const;
  // Starts the cluster anew; every fault is gone.
  void mend();

 private:
  SecureBroker();
  void make_certificates() const;
  void set_listeners(bool mended);

  const tools::testing::Folder folder_;
  Broker broker_;
  std::map<std::string, std::string> addresses_;
};

}  // namespace weir::kafka_testing
