#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/api/environment.h"
#include "processors/kafka/mirror/mirror_events.h"
#include "processors/kafka/mirror/mirror_memory.h"
#include "processors/kafka/mirror/mirror_settings.h"
#include "processors/kafka/mirror/patience.h"

namespace weir::processors::kafka {

// Copies topics of one cluster to another one and loses nothing (KIP-3):
//  - a position is committed only once the target has acknowledged its record and all before it;
//  - the order within a partition is kept, and the partition's number;
//  - an orderly stop and an orderly rebalance make no duplicates;
//  - after a crash what was acknowledged since the last commit is mirrored again, at most; with
//    exactly-once delivery nothing is.
// Whatever ends its work (brokers that are away, a producer that can do no more) is told and tried
// again until `stop`.
class Mirror {
 public:
  // The listener, clock and log must outlive it.
  Mirror(MirrorSettings settings, MirrorListener& listener, Clock& clock, ComponentLog& log);
  ~Mirror();

  // Stops reading, waits (bounded) until what was sent is acknowledged, commits. What it has read
  // and not sent is dropped. The first call counts.
  void stop();

 private:
  void run();

  const MirrorSettings settings_;
  MirrorListener& listener_;
  Clock& clock_;
  ComponentLog& log_;
  MirrorMemory memory_;
  Patience patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace weir::processors::kafka
