#pragma once

#include "processors/kafka/mirror/mirror_settings.h"

namespace weir::processors::kafka {

// The settings of the mirror's clients: the user's own, what the mirror needs to keep its promises
// (which the user cannot change), and bounds of memory where the user has set none.
Settings consumer_settings(const MirrorSettings& settings);
Settings producer_settings(const MirrorSettings& settings, std::int64_t batch_bytes);

}  // namespace weir::processors::kafka
