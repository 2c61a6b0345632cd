#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "repositories/flowfile/flow_file_repository.h"
#include "repositories/provenance/event.h"

namespace weir::provenance {

// All given conditions must hold. Times are milliseconds since the epoch, inclusive.
struct Query {
  std::optional<flowfile::Uuid> flow_file;  // the event's FlowFile, a parent or a child of it
  std::optional<std::string> component;     // identifier or name
  std::optional<EventType> type;
  std::optional<std::string> relationship;
  std::vector<std::pair<std::string, std::string>> attributes;  // after the event, equal
  std::optional<std::int64_t> from_ms;
  std::optional<std::int64_t> to_ms;
  std::optional<std::uint64_t> after_event;   // ids above
  std::optional<std::uint64_t> before_event;  // ids below
  std::size_t limit = 1000;
  bool newest_first = true;
};

struct QueryResult {
  std::vector<StoredEvent> events;
  bool truncated = false;  // there are more than `limit`
};

// The graph around a FlowFile: its events, and those of its ancestors and descendants.
struct Lineage {
  struct Edge {
    std::size_t from = 0;  // indexes into `events`
    std::size_t to = 0;
    flowfile::Uuid flow_file;
  };
  std::vector<StoredEvent> events;  // oldest first
  std::vector<Edge> edges;
  bool truncated = false;
};

struct ProvenanceRepositoryConfig {
  // nifi.provenance.repository.directory.<name>
  std::map<std::string, storage::Path> directories;
  std::chrono::milliseconds max_storage_time = std::chrono::hours(24 * 30);
  std::uint64_t max_storage_bytes = 10ull << 30;
  std::chrono::milliseconds rollover_time = std::chrono::minutes(10);
  std::uint64_t rollover_bytes = 100u << 20;
  // Values of these are in the blocks' filters, so that a query by one opens few blocks; queries
  // by other attributes work as well and look into all.
  std::vector<std::string> indexed_attributes;
  // False: `take` and `flush` do all work themselves, on the caller's thread, and `take` never
  // waits (a simulation in one thread, crash tests).
  bool own_thread = true;
};

// Keeps the events of all commits. `take` is called in the order of commits and queues the
// batch; a thread of the repository writes it into compressed blocks and indexes those. What was
// taken but not yet durable comes back from the journal at the next start, so each event of a
// committed session is stored exactly once. Thread safe.
class ProvenanceRepository : public flowfile::EventSink {
 public:
  // Blocks while more than a bounded number of bytes waits to be written.
  void take(std::uint64_t sequence, std::uint64_t first_event_id, std::uint32_t event_count,
            std::vector<std::byte> events) noexcept override = 0;

  // Drops, durably, every event with an id above `last_event_id`: after a loss of power the journal
  // may end before what was stored already, those commits do not exist, and their ids are given
  // again. (Ids and not sequences tell which: marks and openings of the journal take sequences.)
  // `last_sequence` is the sequence up to which the journal is durable. Called once, after the
  // FlowFile repository's `recover` and before the first `take`. Throws IoError.
  virtual void discard_after(std::uint64_t last_event_id, std::uint64_t last_sequence) = 0;
  // Commits up to this sequence have their events on disk; the journal keeps the later ones.
  virtual std::uint64_t durable_sequence() const = 0;
  // Writes and syncs all that was taken before the call; does nothing where nothing was. Called
  // every second or so. Throws IoError where the disk refuses: everything is kept in memory and
  // tried again by the next flush, or by the repository's thread a second later.
  virtual void flush() = 0;
  // Deletes what is past the retention. The engine calls it at intervals.
  virtual void maintain() = 0;

  // Queries see every event taken before the call.
  virtual QueryResult query(const Query& query) = 0;
  virtual std::optional<StoredEvent> find(std::uint64_t event_id) = 0;
  virtual Lineage lineage(const flowfile::Uuid& flow_file, std::size_t max_events = 10000) = 0;

  struct Statistics {
    std::uint64_t events = 0;  // stored, within retention
    std::uint64_t first_event_id = 0;
    std::uint64_t last_event_id = 0;
    std::uint64_t bytes = 0;  // on disk
    std::uint64_t waiting_bytes = 0;
    std::int64_t oldest_ms = 0;
  };
  virtual Statistics statistics() = 0;
};

// Refuses (RefusedError) directories that another process has. Opens in milliseconds: the index is
// opened when it is first needed. `files` and `reporter` outlive the repository; the reporter is
// called from several threads. Destroying it flushes nothing: the journal has what is missing.
//
// A damaged index is built anew from the event files; a damaged event file is reported, its
// readable blocks stay searchable, and neither ever stops a start or the flow.
std::unique_ptr<ProvenanceRepository> open_provenance_repository(
    storage::FileSystem& files, ProvenanceRepositoryConfig config,
    std::function<std::int64_t()> now_ms, storage::FindingReporter& reporter);

// Nothing is kept longer than the process, at most `max_events` of it.
std::unique_ptr<ProvenanceRepository> open_volatile_provenance_repository(std::size_t max_events);

// Reads the store of a stopped or running engine, as it is at this moment, without lock and
// without changing anything: `discard_after` only hides. Events that are only in the journal yet
// are given to it by `take` (commits after `durable_sequence()`); they stay in memory. `flush` and
// `maintain` do nothing.
std::unique_ptr<ProvenanceRepository> open_provenance_read_only(
    storage::FileSystem& files, const ProvenanceRepositoryConfig& config,
    storage::FindingReporter& reporter);

// For `weirctl repo check`: reads every block of every event file.
void check_provenance(storage::FileSystem& files, const ProvenanceRepositoryConfig& config,
                      storage::FindingReporter& reporter);

}  // namespace weir::provenance
