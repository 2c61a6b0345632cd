#include "tests/integration/kafka/records_fixture.h"

namespace weir::kafka_testing {

using tools::testing::eventually;
using tools::testing::operator""s;

ForwardingTest::ForwardingTest() {
  const char* const given = std::getenv("WEIR_SEED");
  seed_ = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  random_.seed(seed_);
  cluster_.create_topic(from_, kPartitions);
  cluster_.create_topic(to_, 1);
}

ForwardingTest::~ForwardingTest() {
  if (HasFailure()) std::cerr << "WEIR_SEED=" << seed_ << '\n';
}

int ForwardingTest::loops(int otherwise) {
  const char* const given = std::getenv("WEIR_LOOPS");
  return given ? otherwise * std::max(1, std::atoi(given)) : otherwise;
}

ForwardingFlow ForwardingTest::flow() const {
  return {.brokers = broker_.address(), .from = from_, .to = to_, .group = group_};
}

void ForwardingTest::write_during(std::chrono::seconds time) {
  writer_ = std::jthread([this, time] {
    constexpr int parts = 20;
    NumberedRecords part = sent_;
    part.per_partition /= parts;
    ClusterClient cluster(broker_.address());
    for (int i = 0; i < parts; ++i) {
      cluster.produce(part.of_topic(from_));
      part.first += part.per_partition;
      std::this_thread::sleep_for(std::chrono::milliseconds(time) / parts);
    }
  });
}

void ForwardingTest::finish_writing() {
  if (writer_.joinable()) writer_.join();
}

Arrival ForwardingTest::arrived() {
  finish_writing();
  const auto all = static_cast<std::int64_t>(sent_.partitions * sent_.per_partition);
  EXPECT_TRUE(eventually(
      [&] {
        return cluster_.range(to_, 0).second >= all &&
               arrival_of(sent_, cluster_.consume(to_)).lost == 0;
      },
      60s));
  // Duplicates would come behind.
  eventually([&] { return false; }, 1s);
  return arrival_of(sent_, cluster_.consume(to_));
}

}  // namespace weir::kafka_testing
