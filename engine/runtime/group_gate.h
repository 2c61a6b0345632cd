#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/flow_file_queue.h"
#include "engine/runtime/node.h"

namespace weir::runtime {

// FlowFile concurrency and outbound policy of one process group, as NiFi documents them:
//   - SINGLE_FLOWFILE_PER_NODE: an input port lets one FlowFile in, and the next when nothing is
//     left in the group, its child groups included;
//   - SINGLE_BATCH_PER_NODE: likewise all that waits at the port at that moment;
//   - BATCH_OUTPUT, with either: output ports let nothing out until all that is left in the group
//     waits at output ports. Each FlowFile then gets `batch.output.<port>` with the number of
//     FlowFiles that leave by each port.
// With UNBOUNDED concurrency there is no gate. Constant after set-up, then thread safe. A queue
// that becomes empty and a port that has let something in wake the ports: nothing polls.
class GroupGate {
 public:
  enum class Entry { single_flow_file, single_batch };

  explicit GroupGate(Entry entry) : entry_(entry) {}

  void add_inner(FlowFileQueue& queue) { inner_.push_back(&queue); }
  void add_output(std::string port, FlowFileQueue& queue) {
    outputs_.emplace_back(std::move(port), &queue);
  }

  void add_port(Wakeable& port) { ports_.push_back(&port); }

  Entry entry() const { return entry_; }
  bool may_enter() const { return !claimed_.load() && inner_empty() && outputs_empty(); }
  bool may_leave() const { return !claimed_.load() && inner_empty(); }

  // One input port at a time lets something in; false where it may not.
  bool claim();
  void release();

  // `batch.output.<port>` for what waits at the output ports now, or since the first FlowFile of
  // this batch left.
  std::vector<flowfile::Attributes::Entry> batch_counts();

 private:
  bool inner_empty() const;
  bool outputs_empty() const;

  const Entry entry_;
  std::vector<FlowFileQueue*> inner_;  // whose consumers are in the group, output ports apart
  std::vector<std::pair<std::string, FlowFileQueue*>> outputs_;
  std::vector<Wakeable*> ports_;
  std::atomic<bool> claimed_{false};

  std::mutex mutex_;
  // Guarded by mutex_:
  std::vector<flowfile::Attributes::Entry> counts_;
};

std::shared_ptr<Behaviour> make_gated_input(std::shared_ptr<GroupGate> gate);
std::shared_ptr<Behaviour> make_batch_output(std::shared_ptr<GroupGate> gate);

}  // namespace weir::runtime
