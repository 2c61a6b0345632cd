#include "engine/runtime/group_gate.h"

#include <algorithm>
#include <map>

namespace weir::runtime {

namespace {

constexpr std::size_t kOutputBatch = 1000;

class GatedInput : public Behaviour {
 public:
  explicit GatedInput(std::shared_ptr<GroupGate> gate) : gate_(std::move(gate)) {}

  void trigger(Session& session, ProcessSessionFactory&) override {
    if (!gate_->claim()) return;
    struct Release {
      GroupGate& gate;
      ~Release() { gate.release(); }
    } release{*gate_};
    const std::size_t most =
        gate_->entry() == GroupGate::Entry::single_batch ? session.queued() : std::size_t{1};
    for (const FlowFile& flow_file : session.get(most)) {
      session.transfer(flow_file, std::string_view());
    }
    // Before the claim ends: what was let in is then in the group's queues.
    session.commit();
  }

 private:
  const std::shared_ptr<GroupGate> gate_;
};

class BatchOutput : public Behaviour {
 public:
  explicit BatchOutput(std::shared_ptr<GroupGate> gate) : gate_(std::move(gate)) {}

  void trigger(Session& session, ProcessSessionFactory&) override {
    if (!gate_->may_leave()) return;
    const auto counts = gate_->batch_counts();
    for (const FlowFile& flow_file : session.get(kOutputBatch)) {
      session.put_attributes(flow_file, counts);
      session.transfer(flow_file, std::string_view());
    }
  }

 private:
  const std::shared_ptr<GroupGate> gate_;
};

}  // namespace

bool GroupGate::inner_empty() const {
  return std::all_of(inner_.begin(), inner_.end(),
                     [](const FlowFileQueue* queue) { return queue->count() == 0; });
}

bool GroupGate::outputs_empty() const {
  return std::all_of(outputs_.begin(), outputs_.end(),
                     [](const auto& output) { return output.second->count() == 0; });
}

bool GroupGate::claim() {
  if (claimed_.exchange(true)) return false;
  if (inner_empty() && outputs_empty()) {
    const std::lock_guard lock(mutex_);
    counts_.clear();  // the batch before has left
    return true;
  }
  claimed_.store(false);
  return false;
}

void GroupGate::release() {
  claimed_.store(false);
  for (Wakeable* port : ports_) port->wake();
}

std::vector<flowfile::Attributes::Entry> GroupGate::batch_counts() {
  const std::lock_guard lock(mutex_);
  if (counts_.empty()) {
    std::map<std::string, std::uint64_t> by_port;
    for (const auto& [port, queue] : outputs_) by_port[port] += queue->count();
    for (const auto& [port, count] : by_port) {
      counts_.emplace_back("batch.output." + port, std::to_string(count));
    }
  }
  return counts_;
}

std::shared_ptr<Behaviour> make_gated_input(std::shared_ptr<GroupGate> gate) {
  return std::make_shared<GatedInput>(std::move(gate));
}

std::shared_ptr<Behaviour> make_batch_output(std::shared_ptr<GroupGate> gate) {
  return std::make_shared<BatchOutput>(std::move(gate));
}

}  // namespace weir::runtime
