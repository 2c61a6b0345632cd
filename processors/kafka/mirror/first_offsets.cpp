#include "processors/kafka/mirror/first_offsets.h"

namespace weir::processors::kafka {
namespace {

constexpr int kTimeoutMs = 1000;

}  // namespace

void find_beginnings(rd_kafka_t* consumer, rd_kafka_topic_partition_list_t& partitions) {
  const Owned<rd_kafka_topic_partition_list_t> asked(
      rd_kafka_topic_partition_list_new(partitions.cnt));
  for (int i = 0; i < partitions.cnt; ++i) {
    const rd_kafka_topic_partition_t& one = partitions.elems[i];
    if (one.offset != RD_KAFKA_OFFSET_BEGINNING) continue;
    rd_kafka_topic_partition_list_add(asked.get(), one.topic, one.partition)->offset = one.offset;
  }
  if (asked->cnt == 0 ||
      rd_kafka_offsets_for_times(consumer, asked.get(), kTimeoutMs) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return;
  }
  for (int i = 0; i < asked->cnt; ++i) {
    const rd_kafka_topic_partition_t& found = asked->elems[i];
    if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR || found.offset < 0) continue;
    rd_kafka_topic_partition_list_set_offset(&partitions, found.topic, found.partition,
                                             found.offset);
  }
}

}  // namespace weir::processors::kafka
