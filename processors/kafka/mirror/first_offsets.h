#pragma once

#include "processors/kafka/client.h"

namespace weir::processors::kafka {

// Puts the offset of the first record in the place of each RD_KAFKA_OFFSET_BEGINNING, where the
// brokers tell it at once. librdkafka would find it as well, but up to 2.0.2 only half a second
// later for a topic that it has not read before.
void find_beginnings(rd_kafka_t* consumer, rd_kafka_topic_partition_list_t& partitions);

}  // namespace weir::processors::kafka
