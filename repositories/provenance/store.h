#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "repositories/provenance/search.h"

namespace weir::provenance {

inline constexpr const char* kIndexFolder = "index";  // of the first directory

// The store on disk. A batch goes `taken_` -> block in memory -> written -> synced -> indexed; it
// is dropped from memory only then, so that a failed write or sync costs nothing but time.
//
// Locks, in the order in which they may be taken: work_mutex_, index_mutex_, mutex_.
class Store : public ProvenanceRepository {
 public:
  Store(storage::FileSystem& files, ProvenanceRepositoryConfig config,
        std::function<std::int64_t()> now_ms, storage::FindingReporter& reporter);
  // Writes nothing: the journal has what was not flushed.
  ~Store() override;

  void take(std::uint64_t sequence, std::uint64_t first_event_id, std::uint32_t event_count,
            std::vector<std::byte> events) noexcept override;
  void discard_after(std::uint64_t last_event_id, std::uint64_t last_sequence) override;
  std::uint64_t durable_sequence() const override { return durable_sequence_; }
  void flush() override;
  void maintain() override;
  QueryResult query(const Query& query) override;
  std::optional<StoredEvent> find(std::uint64_t event_id) override;
  Lineage lineage(const flowfile::Uuid& flow_file, std::size_t max_events) override;
  Statistics statistics() override;

 private:
  // A block on its way to the disk.
  struct Unindexed {
    BlockPtr block;
    std::optional<BlockEntry> written;  // into the current file
    bool synced = false;
    std::uint64_t bytes() const { return block->data.size() + block->filter.size(); }
  };

  // store_open.cpp
  void recover();
  bool recover_newest(const EventFileName& name, const EventFile& file);

  // store_discard.cpp, under work_mutex_
  void discard_files(std::uint64_t from_event);
  void discard_from_index(std::uint64_t from_event);
  std::vector<BatchPtr> batches_before(std::uint64_t event_id, const BlockEntry& entry,
                                       const storage::Path& path, std::uint64_t last_sequence);
  void write_kept(const std::vector<BatchPtr>& batches);

  // store_write.cpp, under work_mutex_
  void run();
  void work(bool flush);
  bool build_block(bool flush);
  void write_blocks();
  void open_file(const BlockSummary& first);
  void close_file();
  void give_file_up();
  void sync_blocks();
  void sync_folder(const storage::Path& folder);
  void index_blocks();

  // store_query.cpp
  std::shared_ptr<BlockIndex> ensure_index();
  void drop_index();
  Snapshot snapshot();
  // Runs a question; once more with a new index where the index fails.
  void ask(const std::function<void(Search&)>& question);
  std::int64_t newest_time(const EventFileName& name, std::uint64_t before_event);
  bool delete_oldest(const EventFileName& name);

  storage::FileSystem& files_;
  const ProvenanceRepositoryConfig config_;
  const std::function<std::int64_t()> now_ms_;
  storage::FindingReporter& reporter_;
  const std::vector<storage::Path> folders_;
  DamageReporter damage_;
  std::vector<std::unique_ptr<storage::FileLock>> locks_;

  std::atomic<std::uint64_t> durable_sequence_ = 0;

  std::mutex work_mutex_;  // one writer at a time
  BlockBuilder builder_;
  std::unique_ptr<storage::RecordLogWriter> writer_;
  EventFileName file_;                // of `writer_`
  bool folder_synced_ = false;        // the file's name is durable
  std::uint64_t durable_before_ = 0;  // bytes of the file that are
  std::uint64_t records_ = 0;
  std::int64_t file_opened_ms_ = 0;
  std::size_t next_folder_ = 0;
  std::set<storage::Path> durable_folders_;

  std::mutex index_mutex_;
  std::shared_ptr<BlockIndex> index_;  // null until it is needed

  mutable std::mutex mutex_;
  std::condition_variable wake_;  // the thread: there is work
  std::condition_variable room_;  // takers: something left the queue
  std::condition_variable done_;  // flushers
  std::deque<BatchPtr> taken_;
  std::uint64_t taken_bytes_ = 0;
  std::deque<Unindexed> blocks_;
  std::uint64_t blocks_bytes_ = 0;
  EventFiles event_files_;
  std::uint64_t taken_sequence_ = 0;
  std::uint64_t next_event_id_ = 0;  // 0: not known
  std::uint64_t flush_wanted_ = 0;
  std::uint64_t flush_done_ = 0;
  std::exception_ptr flush_error_;  // of the last flush
  std::exception_ptr failed_;       // what the thread could not handle: it has ended
  bool waiting_for_disk_ = false;   // the last attempt failed
  bool stop_ = false;

  std::thread thread_;
};

}  // namespace weir::provenance
