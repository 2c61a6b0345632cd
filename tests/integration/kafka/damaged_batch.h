#pragma once

#include <string>

#include "tests/integration/kafka/broker.h"

namespace weir::kafka_testing {

enum class Damage {
  checksum,     // bytes of the batch are others, and its checksum tells so
  compression,  // the checksum is right, and what was compressed cannot be read
};

// Spoils the batch of a partition, counted from 0, in the broker's file.
void damage_batch(const Broker& broker, const std::string& topic, int partition, int batch,
                  Damage damage);

}  // namespace weir::kafka_testing
