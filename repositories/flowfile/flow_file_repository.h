#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "repositories/content/content_repository.h"
#include "repositories/flowfile/flow_file_record.h"
#include "repositories/storage/error.h"
#include "repositories/storage/file_system.h"

namespace weir::flowfile {

// What one commit does to one FlowFile. Updates are absolute, never relative to what was before.
struct FlowFileUpdate {
  enum class Kind : std::uint8_t {
    create,  // a new FlowFile in `connection`: everything of `record` is written
    change,  // attributes, content, penalty or connection changed; the flags say which
    drop,    // leaves the repository; only the id is written
  };
  Kind kind = Kind::create;
  bool attributes_changed = false;
  bool content_changed = false;
  // The record after the commit; of a drop the record before it.
  FlowFilePtr record;
  // Index into Commit::connections where it is queued after the commit; ignored for a drop.
  std::uint32_t connection = 0;
};

// Names one swap file. The FlowFiles in it are queued in `connection`, out of memory.
struct SwapFile {
  std::string connection;
  std::string name;  // of the file in the swap folder
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;        // sum of the FlowFiles' sizes
  std::uint64_t first_order = 0;  // where its FlowFiles stand among all of the connection
  // One handle for each resource claim that the FlowFiles in it refer to.
  std::vector<content::ResourceClaimPtr> claims;
};
using SwapFilePtr = std::shared_ptr<const SwapFile>;

// A session's transaction as the repository sees it. The events are encoded by the provenance
// room and opaque here; both live and die in one journal record.
struct Commit {
  std::vector<std::string> connections;  // identifiers that the updates refer to by index
  std::vector<FlowFileUpdate> updates;   // at most one a FlowFile
  std::vector<std::byte> events;
  std::uint32_t event_count = 0;
};

// Takes up the events behind the commits: called in the order of commits, each once (those without
// events not at all; sequence numbers have gaps), after the
// commit's record is written (with always.sync: durable). Must not throw. May block a little to
// hold the flow back when it falls behind.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void take(std::uint64_t sequence, std::uint64_t first_event_id, std::uint32_t event_count,
                    std::vector<std::byte> events) noexcept = 0;
};

// A queue as recovery hands it over, in the order its FlowFiles arrived. Where the swap files
// stand among them tell `arrival()` and `first_order`.
struct RecoveredQueue {
  std::string connection;
  std::vector<FlowFilePtr> flow_files;
  std::vector<SwapFilePtr> swap_files;  // in order of `first_order`
};

struct Recovered {
  std::vector<RecoveredQueue> queues;
  std::uint64_t flow_file_count = 0;  // in memory and in swap files
  std::uint64_t journal_records = 0;  // replayed behind the snapshot
  bool unreadable_records = false;    // something was set aside: no content may be cleaned away
  std::vector<storage::Finding> findings;
};

struct FlowFileRepositoryConfig {
  storage::Path directory;
  bool always_sync = false;
  std::chrono::milliseconds checkpoint_interval = std::chrono::seconds(20);
  std::chrono::milliseconds flush_interval = std::chrono::seconds(1);  // where not always_sync
  std::uint64_t segment_bytes = 64u << 20;  // a journal segment is followed by a new one
};

// Keeps which FlowFiles exist, in which queue, with which attributes and content. The commit
// record is the only commit point of the engine. Thread safe.
//
// A start is: construct (takes the lock, refuses what it cannot use), `recover`, then commits.
class FlowFileRepository {
 public:
  virtual ~FlowFileRepository() = default;

  // Reads the state back. Content handles come from `contents.resolve`. Once, before any commit.
  virtual Recovered recover(content::ContentRepository& contents) = 0;
  // Events of commits with a sequence above `after`, oldest first: what the provenance
  // repository had not made durable when the process ended. After `recover`, before any commit.
  virtual void replay_events(std::uint64_t after, EventSink& sink) = 0;
  // Where commits' events go from now on. Null: nowhere.
  virtual void set_event_sink(EventSink* sink) = 0;

  // Appends the commit's record; concurrent commits share one write (and one sync). When it
  // returns, the commit cannot be lost by the death of the process (with always_sync: by the
  // loss of power). When it throws (IoError, disk full), nothing of the commit happened, and a
  // restart will not find it either.
  virtual void commit(Commit&& commit) = 0;

  // A number for a new FlowFile; never given twice, also across restarts.
  virtual std::uint64_t next_id() = 0;
  // A block of `count` numbers; returns the first.
  virtual std::uint64_t next_ids(std::uint32_t count) = 0;

  // Moves FlowFiles of one connection to a swap file, in the given order: one commit. On an
  // exception they are as before and no file is left.
  virtual SwapFilePtr swap_out(const std::string& connection,
                               const std::vector<FlowFilePtr>& flow_files) = 0;
  // Brings them back, in the same order: one commit. The file itself goes at a checkpoint.
  // DamagedError: the file cannot be read; it is set aside under `damaged/` with its content
  // kept, reported, and counts as empty from then on.
  virtual std::vector<FlowFilePtr> swap_in(const SwapFilePtr& swap_file) = 0;
  // The FlowFiles of a swap file without bringing them in: for `queue list` and expiration.
  virtual std::vector<FlowFilePtr> peek(const SwapFilePtr& swap_file) = 0;

  // Snapshot and checkpoint as the design's section 3 says, if due: called from the
  // repository's own thread at the interval, by tests and the simulation at will, and with
  // `force` at a graceful stop. `durable_events` is the sequence up to which provenance holds
  // events durably: the journal behind it stays.
  virtual void checkpoint(std::uint64_t durable_events, bool force) = 0;
  // Syncs content, then journal, then marks both durable in the journal.
  virtual void flush() = 0;

  virtual std::uint64_t last_sequence() const = 0;
  // The id of the last event that a commit carried. After `recover`, before any commit.
  virtual std::uint64_t last_event_id() const = 0;
  struct Statistics {
    std::uint64_t commits = 0;
    std::uint64_t groups = 0;  // writes that carried them
    std::uint64_t bytes_written = 0;
    std::uint64_t journal_bytes = 0;  // since the last snapshot
    std::uint64_t snapshots = 0;
    std::uint64_t checkpoints = 0;
  };
  virtual Statistics statistics() const = 0;
};

// The wall clock, milliseconds since the epoch, is `now_ms`. Background work (flusher,
// checkpoints) is the caller's: it calls `flush` and `checkpoint` at the config's intervals.
std::unique_ptr<FlowFileRepository> open_write_ahead_repository(
    storage::FileSystem& files, FlowFileRepositoryConfig config,
    std::function<std::int64_t()> now_ms, std::uint64_t random_seed,
    storage::FindingReporter& reporter);

// A column family a kind of data, one WriteBatch a commit. Uses RocksDB's own files.
std::unique_ptr<FlowFileRepository> open_rocksdb_repository(FlowFileRepositoryConfig config,
                                                            std::function<std::int64_t()> now_ms,
                                                            storage::FindingReporter& reporter);

// Nothing survives the process. Sequences and event ids go on behind those given: provenance that
// does survive never gets the same twice.
std::unique_ptr<FlowFileRepository> open_volatile_repository(std::uint64_t last_sequence = 0,
                                                             std::uint64_t last_event_id = 0);

// What a stopped or running engine's write-ahead repository holds, without lock and without
// changing anything: snapshot and journal are read as they are at the moment.
struct RepositoryImage {
  Recovered state;
  std::uint64_t last_sequence = 0;
  std::uint64_t last_event_id = 0;
  std::uint64_t durable_mark = 0;  // sequence up to which the journal says all is on disk
};
RepositoryImage read_repository_image(storage::FileSystem& files, const storage::Path& directory,
                                      content::ContentRepository& contents);

// Gives the events of commits with a sequence above `after` to the sink, as the journal of a
// stopped or running engine holds them at the moment; takes no lock and changes nothing. Returns
// the first sequence that the journal still had (above `after`), 0 where it is empty: a running
// engine may have dropped earlier ones meanwhile, whose events provenance then holds.
std::uint64_t read_journal_events(storage::FileSystem& files, const storage::Path& directory,
                                  std::uint64_t after, EventSink& sink,
                                  storage::FindingReporter& reporter);
// The FlowFiles of a swap file that an image names. Throws DamagedError, IoError.
std::vector<FlowFilePtr> read_swapped_flow_files(storage::FileSystem& files,
                                                 const storage::Path& directory,
                                                 content::ContentRepository& contents,
                                                 const SwapFile& swap_file);

// For `weirctl repo dump`: every record of snapshot, journal and swap files, in order, as one
// line of text each, damage included.
void dump_repository(storage::FileSystem& files, const storage::Path& directory,
                     const std::function<void(const std::string& line)>& line);

}  // namespace weir::flowfile
