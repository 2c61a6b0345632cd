#include "tools/bench/kafka/bare_loop.h"

#include <string_view>

#include "processors/kafka/client.h"
#include "tools/bench/kafka/load.h"

namespace weir::bench {
namespace {

using processors::kafka::Client;
using processors::kafka::configuration;
using processors::kafka::Owned;

constexpr std::string_view kName = "kafka-bare-loop";
// As good as no bound. Where the queue of fetched records is full, librdkafka 2.0.2 stops fetching
// for up to a second: by its own bound of 100,000 records the loop would only wait most of the
// time.
constexpr const char* kQueueRecords = "10000000";
constexpr const char* kQueueKilobytes = "2000000";
constexpr int kPollMs = 1000;
constexpr int kRoomMs = 10;

}  // namespace

bool is_kafka_bare_loop(int argc, char** argv) {
  return argc == 8 && argv[1] == kName;
}

int kafka_bare_loop(char** argv) {
  const char *const source = argv[2], *const target = argv[3], *const from = argv[4],
                    *const to = argv[5], *const group = argv[6], *const compression = argv[7];
  const Client producer(
      RD_KAFKA_PRODUCER,
      configuration({{"bootstrap.servers", target}, {"compression.type", compression}}),
      silent_log);
  const Client consumer(RD_KAFKA_CONSUMER,
                        configuration({{"bootstrap.servers", source},
                                       {"group.id", group},
                                       {"queued.min.messages", kQueueRecords},
                                       {"queued.max.messages.kbytes", kQueueKilobytes},
                                       {"auto.offset.reset", "earliest"}}),
                        silent_log);
  rd_kafka_poll_set_consumer(consumer.get());
  const Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), from, RD_KAFKA_PARTITION_UA);
  rd_kafka_subscribe(consumer.get(), list.get());
  rd_kafka_topic_t* const handle = rd_kafka_topic_new(producer.get(), to, nullptr);
  while (true) {
    const Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(consumer.get(), kPollMs));
    if (!message || message->err != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    while (rd_kafka_produce(handle, message->partition, RD_KAFKA_MSG_F_COPY, message->payload,
                            message->len, message->key, message->key_len, nullptr) != 0) {
      rd_kafka_poll(producer.get(), kRoomMs);
    }
  }
}

}  // namespace weir::bench
