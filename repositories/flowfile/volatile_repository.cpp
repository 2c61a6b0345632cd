#include <atomic>
#include <map>
#include <mutex>

#include "repositories/flowfile/flow_file_repository.h"

namespace weir::flowfile {
namespace {

class VolatileRepository final : public FlowFileRepository {
 public:
  VolatileRepository(std::uint64_t last_sequence, std::uint64_t last_event_id)
      : last_sequence_(last_sequence), next_event_id_(last_event_id + 1) {}

  Recovered recover(content::ContentRepository& contents) override {
    contents_ = &contents;
    return {};
  }
  void replay_events(std::uint64_t, EventSink&) override {}
  void set_event_sink(EventSink* sink) override {
    const std::lock_guard lock(mutex_);
    sink_ = sink;
  }

  void commit(Commit&& commit) override {
    const std::lock_guard lock(mutex_);
    for (const FlowFileUpdate& update : commit.updates) {
      if (update.kind != FlowFileUpdate::Kind::drop) update.record->set_arrival(next_order_++);
    }
    const std::uint64_t sequence = ++last_sequence_;
    ++commits_;
    if (commit.event_count == 0) return;
    const std::uint64_t first_event_id = next_event_id_;
    next_event_id_ += commit.event_count;
    // Under the lock, so that events arrive in the order of commits.
    if (sink_ != nullptr) {
      sink_->take(sequence, first_event_id, commit.event_count, std::move(commit.events));
    }
  }

  std::uint64_t next_id() override { return next_ids(1); }
  std::uint64_t next_ids(std::uint32_t count) override { return next_id_.fetch_add(count); }

  SwapFilePtr swap_out(const std::string& connection,
                       const std::vector<FlowFilePtr>& flow_files) override {
    auto swap_file = std::make_shared<SwapFile>();
    swap_file->connection = connection;
    swap_file->count = flow_files.size();
    swap_file->first_order = UINT64_MAX;
    for (const FlowFilePtr& flow_file : flow_files) {
      swap_file->bytes += flow_file->size();
      swap_file->first_order = std::min(swap_file->first_order, flow_file->arrival());
    }
    const std::lock_guard lock(mutex_);
    swap_file->name = std::to_string(++last_sequence_);
    swapped_[swap_file->name] = flow_files;
    return swap_file;
  }
  std::vector<FlowFilePtr> swap_in(const SwapFilePtr& swap_file) override {
    const std::lock_guard lock(mutex_);
    const auto it = swapped_.find(swap_file->name);
    if (it == swapped_.end()) throw unknown(*swap_file);
    std::vector<FlowFilePtr> flow_files = std::move(it->second);
    swapped_.erase(it);
    ++last_sequence_;
    return flow_files;
  }
  std::vector<FlowFilePtr> peek(const SwapFilePtr& swap_file) override {
    const std::lock_guard lock(mutex_);
    const auto it = swapped_.find(swap_file->name);
    if (it == swapped_.end()) throw unknown(*swap_file);
    return it->second;
  }

  void checkpoint(std::uint64_t, bool) override {
    contents_->begin_checkpoint();
    contents_->finish_checkpoint({});
    ++checkpoints_;
  }
  void flush() override {}

  std::uint64_t last_sequence() const override { return last_sequence_; }
  std::uint64_t last_event_id() const override { return next_event_id_ - 1; }
  Statistics statistics() const override {
    return {.commits = commits_, .groups = commits_, .checkpoints = checkpoints_};
  }

 private:
  static storage::DamagedError unknown(const SwapFile& swap_file) {
    return {swap_file.name, 0, "no such swap file"};
  }

  content::ContentRepository* contents_ = nullptr;
  std::atomic<std::uint64_t> next_id_{1};
  std::atomic<std::uint64_t> last_sequence_;
  std::atomic<std::uint64_t> commits_{0};
  std::atomic<std::uint64_t> checkpoints_{0};

  std::mutex mutex_;
  EventSink* sink_ = nullptr;
  std::uint64_t next_order_ = 1;
  std::uint64_t next_event_id_;
  // In memory like everything else here: swapping out gives no memory back.
  std::map<std::string, std::vector<FlowFilePtr>> swapped_;
};

}  // namespace

std::unique_ptr<FlowFileRepository> open_volatile_repository(std::uint64_t last_sequence,
                                                             std::uint64_t last_event_id) {
  return std::make_unique<VolatileRepository>(last_sequence, last_event_id);
}

}  // namespace weir::flowfile
