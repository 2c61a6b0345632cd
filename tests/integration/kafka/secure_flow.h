#pragma once

#include <string>
#include <vector>

#include "tests/integration/kafka/cluster_client.h"
#include "tests/integration/kafka/flow_engine.h"
#include "tests/integration/kafka/secure_broker.h"

namespace weir::kafka_testing {

// A flow that tries several ways into a cluster. Through each of them it publishes a record,
// consumes it again, mirrors it to another cluster that is open, and mirrors one from there.
class SecureFlow {
 public:
  SecureFlow(SecureBroker& secure, Broker& open);

  void add(const Way& way);
  std::string json() const;

  // The processors of the ways, each to be known by its way's name.
  static std::vector<std::string> processors(const Way& way);
  // Those whose record has not come yet.
  std::vector<std::string> missing();
  // Lets a user use the secure cluster's topics and groups of this flow; as soon as one is let,
  // nobody else may.
  void allow(const std::string& user);

 private:
  std::string topic(const Way& way) const { return name_ + "-" + way.name; }
  std::string topic_back(const Way& way) const { return topic(way) + "-back"; }
  std::string processors_of(const Way& way) const;

  SecureBroker& secure_;
  const std::string open_address_;
  ClusterClient secure_cluster_;
  ClusterClient open_cluster_;
  const std::string name_;
  std::vector<Way> ways_;
};

}  // namespace weir::kafka_testing
