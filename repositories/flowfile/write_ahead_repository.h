#pragma once

#include <atomic>
#include <mutex>

#include "repositories/flowfile/flow_file_repository.h"
#include "repositories/flowfile/group_commit.h"
#include "repositories/flowfile/journal.h"
#include "repositories/flowfile/layout.h"
#include "repositories/flowfile/recovery.h"

namespace weir::flowfile {

// The repository of design section 3. Three kinds of threads meet here, each with its lock:
//   commits       the group commit's lead; owns the journal's end and the counters
//   flush         flush_mutex_
//   checkpoint    checkpoint_mutex_; takes flush_mutex_ and, to seal the journal, the lead
class WriteAheadRepository final : public FlowFileRepository {
 public:
  WriteAheadRepository(storage::FileSystem& files, FlowFileRepositoryConfig config,
                       std::function<std::int64_t()> now_ms, std::uint64_t random_seed,
                       storage::FindingReporter& reporter);

  Recovered recover(content::ContentRepository& contents) override;
  void replay_events(std::uint64_t after, EventSink& sink) override;
  void set_event_sink(EventSink* sink) override;
  void commit(Commit&& commit) override;
  std::uint64_t next_id() override { return next_ids(1); }
  std::uint64_t next_ids(std::uint32_t count) override {
    return next_id_.fetch_add(count, std::memory_order_relaxed);
  }
  SwapFilePtr swap_out(const std::string& connection,
                       const std::vector<FlowFilePtr>& flow_files) override;
  std::vector<FlowFilePtr> swap_in(const SwapFilePtr& swap_file) override;
  std::vector<FlowFilePtr> peek(const SwapFilePtr& swap_file) override;
  void checkpoint(std::uint64_t durable_events, bool force) override;
  void flush() override;
  std::uint64_t last_sequence() const override {
    return last_sequence_.load(std::memory_order_acquire);
  }
  std::uint64_t last_event_id() const override { return next_event_id_ - 1; }
  Statistics statistics() const override;

 private:
  // One record on its way into the journal.
  struct Pending : GroupCommit::Item {
    std::vector<std::byte>* payload = nullptr;
    std::uint32_t event_count = 0;
    std::uint32_t entered = 0;  // updates that enter a queue: each takes the next order number
    std::vector<std::byte>* events = nullptr;
    bool is_mark = false;
    std::uint64_t first_order = 0;     // out
    std::uint64_t sequence = 0;        // out
    std::uint64_t first_event_id = 0;  // out
  };

  void write(Pending& pending);
  void write_group(std::span<GroupCommit::Item* const> group);
  void open_segment();
  void run_alone(const std::function<void()>& work);
  void require_usable() const;

  void write_swap_name(format::RecordKind kind, const std::string& name);
  std::vector<FlowFilePtr> read_swap(const SwapFile& swap_file);

  // With `sync_mark` the mark itself is durable when it returns.
  void flush_locked(bool sync_mark);
  void sync_everything();
  void promote_partial();
  std::uint64_t seal_journal();
  void write_partial(std::uint64_t position, content::LiveRanges& live,
                     std::vector<std::string>& finished_swap_files);

  storage::FileSystem& files_;
  const FlowFileRepositoryConfig config_;
  const std::function<std::int64_t()> now_ms_;
  const Layout layout_;
  storage::FindingReporter& reporter_;
  std::unique_ptr<storage::FileLock> lock_;
  content::ContentRepository* contents_ = nullptr;  // set by recover
  std::vector<content::ResourceClaimPtr> kept_claims_;

  std::atomic<EventSink*> sink_{nullptr};
  std::atomic<std::uint64_t> next_id_{1};
  std::atomic<std::uint64_t> last_sequence_{0};
  std::atomic<std::uint64_t> last_change_{0};  // last_sequence without durability marks
  std::atomic<bool> sync_failed_{false};

  // Of the group commit's lead.
  GroupCommit group_commit_;
  Journal journal_;
  std::uint64_t next_order_ = 1;
  std::uint64_t next_event_id_ = 1;
  bool open_record_due_ = true;
  std::vector<std::byte> frames_;
  std::vector<std::byte> open_payload_;

  std::mutex flush_mutex_;
  std::uint64_t durable_sequence_ = 0;
  std::uint64_t marked_sequence_ = 0;  // up to where a mark that is itself durable reaches

  // Swap files written since the last flush.
  std::mutex swap_mutex_;
  std::mt19937_64 swap_random_;
  std::vector<std::unique_ptr<storage::RecordLogWriter>> unsynced_swap_files_;

  std::mutex checkpoint_mutex_;
  std::uint64_t snapshot_position_ = 0;
  std::uint64_t snapshot_bytes_ = 0;
  std::optional<std::uint64_t> partial_;  // complete, not yet renamed
  std::vector<std::string> partial_finished_swap_files_;

  std::atomic<std::uint64_t> commits_{0};
  std::atomic<std::uint64_t> groups_{0};
  std::atomic<std::uint64_t> bytes_written_{0};
  std::atomic<std::uint64_t> journal_bytes_{0};
  std::atomic<std::uint64_t> snapshots_{0};
  std::atomic<std::uint64_t> checkpoints_{0};
};

}  // namespace weir::flowfile
