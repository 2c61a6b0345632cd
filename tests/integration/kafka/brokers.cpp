#include "tests/integration/kafka/brokers.h"

#include <unistd.h>

#include <atomic>

namespace weir::kafka_testing {

Brokers& Brokers::instance(int count) {
  static Brokers brokers(count);
  return brokers;
}

Brokers::Brokers(int count) {
  for (int i = 0; i < count; ++i) brokers_.emplace_back(folder_ / ("broker-" + std::to_string(i)));
  for (Broker& broker : brokers_) broker.begin_format();
  for (Broker& broker : brokers_) broker.finish_format();
  for (Broker& broker : brokers_) broker.begin_start();
  for (Broker& broker : brokers_) broker.finish_start();
}

std::string Brokers::fresh_name(const std::string& what) {
  static std::atomic<int> count{0};
  return what + "-" + std::to_string(++count);
}

}  // namespace weir::kafka_testing
