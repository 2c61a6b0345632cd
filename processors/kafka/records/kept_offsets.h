#pragma once

#include <mutex>
#include <string>

#include "engine/api/component.h"
#include "processors/kafka/records/consumer.h"

namespace weir::processors::kafka {

// How far a ConsumeKafka that commits no offsets has read into FlowFiles that are safe in this
// engine: where it goes on, so that a restart does not read what still waits in a queue to be
// published. In the component's state, one entry a partition, of one group. Thread safe.
class KeptOffsets {
 public:
  KeptOffsets(StateManager& state, std::string group);

  Offsets get() const;
  // Durable when it returns. Entries of other partitions stay.
  void put(const Offsets& offsets);

 private:
  StateManager& state_;
  const std::string group_;
  mutable std::mutex mutex_;
  Offsets offsets_;
};

}  // namespace weir::processors::kafka
