#include <algorithm>
#include <mutex>

#include "repositories/provenance/search.h"

namespace weir::provenance {

namespace {

// A look at the files at one moment. The engine that owns them may go on writing: what it adds is
// not seen, what its retention deletes is left out.
class ReadOnlyRepository : public ProvenanceRepository {
 public:
  ReadOnlyRepository(storage::FileSystem& files, const ProvenanceRepositoryConfig& config,
                     storage::FindingReporter& reporter)
      : files_(files),
        damage_(&reporter),
        index_(make_memory_index()),
        event_files_(list_event_files(files, config.directories)) {
    // The newest file that holds a block; files before it are whole.
    auto at = event_files_.end();
    while (at != event_files_.begin() && last_event_id_ == 0) {
      --at;
      try {
        const auto tail = scan_tail(files_, at->second.path, at->first);
        if (tail.blocks.empty()) continue;
        last_event_id_ = tail.blocks.back().summary.last_event_id();
        durable_sequence_ = tail.blocks.back().summary.last_sequence;
      } catch (const storage::IoError& error) {
        damage_.report(at->second.path, 0, 0, error.what());
      }
    }
    catch_up(*index_, files_, event_files_, last_event_id_ + 1, damage_);
  }

  void take(std::uint64_t sequence, std::uint64_t first_event_id, std::uint32_t event_count,
            std::vector<std::byte> events) noexcept override {
    auto batch =
        std::make_shared<const Batch>(sequence, first_event_id, event_count, std::move(events));
    const std::lock_guard lock(mutex_);
    const auto known = batches_.empty() ? durable_sequence_ : batches_.back()->sequence;
    if (sequence <= known || event_count == 0 || first_event_id > kept_event_id_) return;
    batches_.push_back(std::move(batch));
  }

  void discard_after(std::uint64_t last_event_id, std::uint64_t last_sequence) override {
    const std::lock_guard lock(mutex_);
    kept_event_id_ = last_event_id;
    if (last_event_id_ <= last_event_id) return;
    last_event_id_ = last_event_id;
    durable_sequence_ = std::min(durable_sequence_, last_sequence);
  }

  std::uint64_t durable_sequence() const override { return durable_sequence_; }
  void flush() override {}
  void maintain() override {}

  QueryResult query(const Query& query) override {
    Search search(files_, damage_, snapshot());
    return gather(Selection(query), scanner(search));
  }

  std::optional<StoredEvent> find(std::uint64_t event_id) override {
    Query one;
    if (event_id > 0) one.after_event = event_id - 1;
    if (event_id < UINT64_MAX) one.before_event = event_id + 1;
    auto events = query(one).events;
    return events.empty() ? std::nullopt : std::optional(std::move(events.front()));
  }

  Lineage lineage(const flowfile::Uuid& flow_file, std::size_t max_events) override {
    Search search(files_, damage_, snapshot());
    return build_lineage(flow_file, max_events, scanner(search));
  }

  Statistics statistics() override {
    Statistics statistics;
    Query oldest;
    oldest.newest_first = false;
    oldest.limit = 1;
    const auto first = query(oldest).events;
    const auto now = snapshot();
    if (!first.empty()) {
      statistics.first_event_id = first.front().id;
      statistics.oldest_ms = first.front().time_ms;
      statistics.last_event_id =
          now.batches.empty() ? last_event_id_
                              : now.batches.back()->first_event_id + now.batches.back()->count - 1;
      statistics.events = statistics.last_event_id - statistics.first_event_id + 1;
    }
    for (const auto& [name, file] : event_files_) statistics.bytes += file.size_bytes;
    for (const auto& batch : now.batches) statistics.waiting_bytes += batch->bytes.size();
    return statistics;
  }

 private:
  Snapshot snapshot() {
    const std::lock_guard lock(mutex_);
    return {index_, last_event_id_ + 1, event_files_, {}, batches_};
  }

  static std::function<void(const Selection&, const EventVisitor&)> scanner(Search& search) {
    return [&search](const Selection& selection, const EventVisitor& visit) {
      search.scan(selection, visit);
    };
  }

  storage::FileSystem& files_;
  DamageReporter damage_;
  const std::shared_ptr<BlockIndex> index_;
  const EventFiles event_files_;
  std::uint64_t last_event_id_ = 0;
  std::uint64_t durable_sequence_ = 0;

  std::mutex mutex_;
  std::vector<BatchPtr> batches_;
  std::uint64_t kept_event_id_ = UINT64_MAX;  // events behind are of commits that do not exist
};

}  // namespace

std::unique_ptr<ProvenanceRepository> open_provenance_read_only(
    storage::FileSystem& files, const ProvenanceRepositoryConfig& config,
    storage::FindingReporter& reporter) {
  return std::make_unique<ReadOnlyRepository>(files, config, reporter);
}

}  // namespace weir::provenance
