#pragma once

#include <deque>
#include <string>

#include "tests/integration/kafka/broker.h"
#include "tests/integration/kafka/cluster_client.h"
#include "tests/tools/program.h"

namespace weir::kafka_testing {

// The clusters that the tests of one program share: the first test that needs them starts all of
// them side by side. A test that stops a broker starts it again before it ends.
class Brokers {
 public:
  // Throws where they do not start. `count` of the first call counts.
  static Brokers& instance(int count = 2);

  Broker& source() { return brokers_.at(0); }
  Broker& target() { return brokers_.at(1); }
  Broker& at(int index) { return brokers_.at(static_cast<std::size_t>(index)); }

  // A topic or group that no other test has.
  static std::string fresh_name(const std::string& what);

 private:
  explicit Brokers(int count);

  const tools::testing::Folder folder_;
  std::deque<Broker> brokers_;
};

}  // namespace weir::kafka_testing
