#pragma once

#include <librdkafka/rdkafka.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

#include "engine/api/environment.h"
#include "processors/kafka/client.h"
#include "processors/kafka/mirror/mirror_settings.h"

namespace weir::processors::kafka {

// How long the mirror waits for clusters that may be away, and how long it still does once it is to
// stop. Thread safe.
class Patience {
 public:
  // Both must outlive it.
  Patience(const MirrorSettings& settings, Clock& clock) : settings_(settings), clock_(clock) {}

  // The mirror is to stop, from now on.
  void end();
  bool is_ending() const { return ended_ns_.load(std::memory_order_relaxed) != kNever; }

  // Makes a request, given its time-out in milliseconds, again and again while none answers, for
  // as long as the settings have for answers. In pieces: a stop waits for the rest of one.
  rd_kafka_resp_err_t ask(const std::function<rd_kafka_resp_err_t(int)>& request) const;
  // A group's positions, asked for so.
  rd_kafka_resp_err_t committed(rd_kafka_t* client, rd_kafka_topic_partition_list_t* list) const;
  // The time-out of a request that is not made again.
  int request_timeout_ms() const { return static_cast<int>(settings_.api_timeout.count()); }
  // The next event of the queue, whose request has a time-out of its own; null where a stop did not
  // wait for it.
  Owned<rd_kafka_event_t> answer(rd_kafka_queue_t* queue) const;
  // Waits by pieces, each of at most the time it is given, until one says that it is done. False
  // after `most`, or once a stop has waited for as long as the settings let it wait for
  // acknowledgements.
  bool wait(std::chrono::milliseconds most,
            const std::function<bool(std::chrono::milliseconds)>& piece) const;

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  const MirrorSettings& settings_;
  Clock& clock_;
  std::atomic<std::int64_t> ended_ns_{kNever};
};

}  // namespace weir::processors::kafka
