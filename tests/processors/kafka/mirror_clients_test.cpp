#include "processors/kafka/mirror/mirror_clients.h"

#include <gtest/gtest.h>

#include "tests/processors/kafka/mock_clusters.h"

namespace weir::processors::kafka {
namespace {

// librdkafka refuses sizes that do not go together, and the mirror then never began.
TEST(MirrorClients, CanBeMadeWithAnyAmountOfDataInFlight) {
  test::SilentLog log;
  for (const std::uint64_t bytes : {std::uint64_t{1} << 20, std::uint64_t{4} << 20,
                                    std::uint64_t{64} << 20, std::uint64_t{1} << 40}) {
    MirrorSettings settings;
    settings.source = settings.target = {{"bootstrap.servers", "127.0.0.1:1"}, {"log_level", "0"}};
    settings.group_id = "mirror";
    settings.max_bytes = bytes;
    const auto make = [&](rd_kafka_type_t type, const Settings& wanted) {
      const Client client(type, configuration(wanted), log);
    };
    EXPECT_NO_THROW(make(RD_KAFKA_CONSUMER, consumer_settings(settings))) << bytes;
    EXPECT_NO_THROW(make(RD_KAFKA_PRODUCER, producer_settings(settings, 1))) << bytes;
  }
}

// What is fetched comes on top of a queue that was not full; an eighth is left to the channels.
TEST(MirrorClients, KeepLessThanTheDataInFlight) {
  MirrorSettings settings;
  settings.max_bytes = std::uint64_t{64} << 20;
  const Settings consumer = consumer_settings(settings);
  const Settings producer = producer_settings(settings, 1'000'000);
  EXPECT_LE(std::stoull(consumer.at("queued.max.messages.kbytes")) * 1024 +
                std::stoull(consumer.at("fetch.max.bytes")) +
                std::stoull(producer.at("queue.buffering.max.kbytes")) * 1024,
            settings.max_bytes * 7 / 8);
}

}  // namespace
}  // namespace weir::processors::kafka
