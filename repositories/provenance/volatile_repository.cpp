#include <deque>
#include <mutex>

#include "repositories/provenance/selection.h"

namespace weir::provenance {

namespace {

struct Batch {
  std::uint64_t sequence = 0;
  std::uint64_t first_event_id = 0;
  std::uint32_t count = 0;
  std::vector<std::byte> bytes;
};
using BatchPtr = std::shared_ptr<const Batch>;

// Keeps whole batches, the newest ones, and decodes them only for questions.
class VolatileRepository : public ProvenanceRepository {
 public:
  explicit VolatileRepository(std::size_t max_events) : max_events_(max_events) {}

  void take(std::uint64_t sequence, std::uint64_t first_event_id, std::uint32_t event_count,
            std::vector<std::byte> events) noexcept override {
    auto batch = std::make_shared<Batch>(sequence, first_event_id, event_count, std::move(events));
    const std::lock_guard lock(mutex_);
    if (sequence <= last_sequence_) return;
    last_sequence_ = sequence;
    if (event_count == 0) return;
    events_ += event_count;
    bytes_ += batch->bytes.size();
    batches_.push_back(std::move(batch));
    while (events_ > max_events_ && !batches_.empty()) {
      events_ -= batches_.front()->count;
      bytes_ -= batches_.front()->bytes.size();
      batches_.pop_front();
    }
  }

  void discard_after(std::uint64_t, std::uint64_t) override {}

  // Nothing can be lost here by a crash that the process would survive.
  std::uint64_t durable_sequence() const override {
    const std::lock_guard lock(mutex_);
    return last_sequence_;
  }
  void flush() override {}
  void maintain() override {}

  QueryResult query(const Query& query) override { return gather(Selection(query), scanner()); }

  std::optional<StoredEvent> find(std::uint64_t event_id) override {
    for (const auto& batch : batches()) {
      if (event_id < batch->first_event_id || event_id - batch->first_event_id >= batch->count) {
        continue;
      }
      return decode_event_batch(batch->first_event_id,
                                batch->bytes)[event_id - batch->first_event_id];
    }
    return std::nullopt;
  }

  Lineage lineage(const flowfile::Uuid& flow_file, std::size_t max_events) override {
    return build_lineage(flow_file, max_events, scanner());
  }

  Statistics statistics() override {
    const auto all = batches();
    Statistics statistics;
    for (const auto& batch : all) {
      statistics.events += batch->count;
      statistics.bytes += batch->bytes.size();
    }
    if (all.empty()) return statistics;
    statistics.first_event_id = all.front()->first_event_id;
    statistics.last_event_id = all.back()->first_event_id + all.back()->count - 1;
    const auto oldest = decode_event_batch(all.front()->first_event_id, all.front()->bytes);
    if (!oldest.empty()) statistics.oldest_ms = oldest.front().time_ms;
    return statistics;
  }

 private:
  std::vector<BatchPtr> batches() const {
    const std::lock_guard lock(mutex_);
    return {batches_.begin(), batches_.end()};
  }

  std::function<void(const Selection&, const EventVisitor&)> scanner() const {
    return [all = batches()](const Selection& selection, const EventVisitor& visit) {
      const auto look = [&](const BatchPtr& batch) {
        return visit_batch(selection, {batch->first_event_id, batch->count, batch->bytes}, visit);
      };
      if (selection.query.newest_first) {
        for (auto batch = all.rbegin(); batch != all.rend(); ++batch) {
          if (!look(*batch)) return;
        }
      } else {
        for (const auto& batch : all) {
          if (!look(batch)) return;
        }
      }
    };
  }

  const std::size_t max_events_;
  mutable std::mutex mutex_;
  std::uint64_t last_sequence_ = 0;
  std::size_t events_ = 0;
  std::size_t bytes_ = 0;
  std::deque<BatchPtr> batches_;
};

}  // namespace

std::unique_ptr<ProvenanceRepository> open_volatile_provenance_repository(std::size_t max_events) {
  return std::make_unique<VolatileRepository>(max_events);
}

}  // namespace weir::provenance
