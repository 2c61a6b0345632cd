#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/api/process_session.h"
#include "engine/runtime/flow_file_queue.h"
#include "engine/runtime/services.h"
#include "repositories/provenance/event.h"

namespace weir::runtime {

// Where a relationship of a component leads.
struct Route {
  std::string relationship;
  std::vector<FlowFileQueue*> queues;  // empty: auto-terminated
  bool auto_terminated = false;
  bool retried = false;
};

// What sessions of one component share: made when the flow is loaded, constant while it runs.
struct SessionOwner {
  SessionOwner(Services& engine, provenance::ComponentRef component_of_it)
      : services(engine), component(std::move(component_of_it)) {}

  Services& services;
  provenance::ComponentRef component;
  std::vector<FlowFileQueue*> incoming;
  std::vector<Route> routes;
  std::int64_t penalty_ms = 30000;
  int retry_count = 10;
  bool retry_yields = false;  // else the FlowFile is penalized
  std::int64_t max_backoff_ms = 600000;
  std::function<void(std::int64_t ms)> yield;
  ComponentLog* log = nullptr;

  std::atomic<std::uint64_t> polls{0};  // that gave something: tells whether a trigger had work
  std::atomic<std::uint64_t> flow_files_in{0};
  std::atomic<std::uint64_t> flow_files_out{0};
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};

  const Route* find_route(std::string_view relationship) const;
  void count(std::string_view counter, std::int64_t delta);
  std::map<std::string, std::int64_t> counters() const;

 private:
  mutable std::mutex counters_mutex_;
  std::map<std::string, std::int64_t, std::less<>> counters_;  // guarded by it
};

// The session of the engine. Beside the interface it knows checkpoints: several triggers that end
// with one commit. FlowFiles of finished triggers are safe from a later trigger's rollback, and
// invisible to others until the commit.
//
// Belongs to one thread, except `terminate`, which any thread may call while a trigger hangs.
class Session : public ProcessSession {
 public:
  explicit Session(SessionOwner& owner);
  ~Session() override;  // rolls back what is open

  FlowFile get() override;
  std::vector<FlowFile> get(std::size_t most) override;
  std::vector<FlowFile> get(
      const std::function<FilterDecision(const flowfile::FlowFileRecord&)>& filter) override;
  std::size_t queued() const override;

  FlowFile create() override;
  FlowFile create(const FlowFile& parent) override;
  FlowFile create(std::span<const FlowFile> parents) override;
  FlowFile clone(const FlowFile& original) override;
  FlowFile clone(const FlowFile& original, std::uint64_t offset, std::uint64_t size) override;
  void share_content(FlowFile flow_file, const FlowFile& source, std::uint64_t offset,
                     std::uint64_t size) override;

  std::unique_ptr<InputStream> read(const FlowFile& flow_file) override;
  std::unique_ptr<OutputStream> write(FlowFile flow_file) override;
  void write(FlowFile flow_file, const std::function<void(OutputStream&)>& writer) override;
  std::unique_ptr<OutputStream> append(FlowFile flow_file) override;
  void import_from(const std::filesystem::path& file, FlowFile flow_file) override;
  void export_to(const FlowFile& flow_file, int descriptor) override;

  void put_attribute(FlowFile flow_file, std::string_view name, std::string_view value) override;
  void put_attributes(FlowFile flow_file,
                      std::span<const flowfile::Attributes::Entry> attributes) override;
  void remove_attributes(FlowFile flow_file, std::span<const std::string> names) override;

  void transfer(FlowFile flow_file, const Relationship& relationship) override;
  void transfer(FlowFile flow_file, std::string_view relationship) override;
  void transfer_to_source(FlowFile flow_file) override;
  void penalize(FlowFile flow_file) override;
  void remove(FlowFile flow_file) override;

  ProvenanceReporter& provenance() override;
  void after_commit(std::function<void()> action) override;
  void adjust_counter(std::string_view name, std::int64_t delta) override;
  void migrate(ProcessSession& to, std::span<const FlowFile> flow_files) override;
  void commit() override;
  void rollback(bool penalize = false) override;

  // Ends a trigger without commit: its FlowFiles must all be transferred or removed.
  void checkpoint();
  // Whether anything happened since the last checkpoint or commit.
  bool touched() const { return touched_; }
  bool empty() const { return entries_.empty(); }
  std::size_t entry_count() const { return entries_.size(); }
  // Gives the FlowFiles back to their queues and makes every later call throw.
  void terminate();

 private:
  friend class SessionOutput;
  friend class SessionReporter;

  static constexpr std::size_t kNone = SIZE_MAX;

  struct Entry : SessionEntry {
    Session* session = nullptr;
    flowfile::FlowFilePtr original;               // as polled; null where created here
    flowfile::FlowFileRecord* working = nullptr;  // `current`, where it is this session's own copy
    FlowFileQueue* source = nullptr;
    Entry* parent = nullptr;  // made from it in the same trigger
    const Route* route = nullptr;
    std::uint64_t transferred = 0;         // counts up: FlowFiles are queued in this order
    FlowFileQueue* clone_queue = nullptr;  // of a clone for a further connection of the route
    bool to_source = false;
    bool removed = false;
    bool expired = false;
    bool discarded = false;  // a retry takes back what was made from its FlowFile
    bool penalized = false;
    bool attributes_changed = false;
    bool content_changed = false;
    bool has_origin_event = false;  // CREATE, RECEIVE, FORK, CLONE, JOIN ... tells where it is from
    bool has_content_event = false;  // CONTENT_MODIFIED was reported
    bool has_any_event = false;      // tells its attributes as well: no ATTRIBUTES_MODIFIED then
    std::size_t fork_event = kNone;  // index into `reported_` of the FORK that it is the parent of
    std::size_t join_event = kNone;  // and of the JOIN that made it

    bool settled() const { return route != nullptr || to_source || removed; }
    // Where it is queued after the commit; null: it leaves the flow.
    FlowFileQueue* target() const {
      if (discarded || removed) return nullptr;
      if (to_source) return source;
      if (clone_queue != nullptr) return clone_queue;
      return route == nullptr || route->queues.empty() ? nullptr : route->queues.front();
    }
  };
  // A reported event; completed from the FlowFile's state at the commit.
  struct Reported {
    Entry* entry = nullptr;
    provenance::EventType type = provenance::EventType::create;
    std::string details;
    std::string transit_uri;
    std::string relationship;
    std::int64_t time_ms = 0;
    std::int64_t duration_ms = -1;
    std::vector<Entry*> parents;
    std::vector<Entry*> children;

    void add_parent(Entry& parent) {
      parent.has_any_event = true;
      parents.push_back(&parent);
    }
    void add_child(Entry& child) {
      child.has_any_event = child.has_origin_event = true;
      children.push_back(&child);
    }
  };
  struct Delivery {
    FlowFileQueue* queue;
    std::vector<flowfile::FlowFilePtr> flow_files;
  };

  // The last change of attributes: a processor that gives many FlowFiles the same ones (a split)
  // makes them all share one object.
  struct LastChange {
    flowfile::AttributesPtr from;
    std::vector<flowfile::Attributes::Entry> set;
    flowfile::AttributesPtr result;
    bool repeated = false;
  };

  Entry& own(const FlowFile& flow_file);
  flowfile::AttributesPtr changed(const flowfile::AttributesPtr& from,
                                  std::span<const flowfile::Attributes::Entry> set);
  Entry& add_entry();
  Entry& add_polled(flowfile::FlowFilePtr record, FlowFileQueue* queue);
  Entry& add_created(const flowfile::AttributesPtr& attributes, std::int64_t lineage_start_ms);
  std::uint64_t take_id();
  flowfile::FlowFileRecord& writable(Entry& entry);
  void set_content(Entry& entry, content::ContentClaim claim);
  void drop_expired(FlowFileQueue& queue, std::vector<flowfile::FlowFilePtr> expired);
  void check_open() const;
  struct WriterSlot {
    std::unique_ptr<content::ContentWriter> writer;
    bool busy = false;
  };
  std::size_t free_writer();
  void flush_writers();
  [[noreturn]] void misuse(const Entry& entry, std::string_view what) const;

  Reported& report(provenance::EventType type, Entry& entry);
  Reported& fork_of(Entry& parent);  // one for all children that a parent gets in a trigger
  bool routed_nowhere(const Reported& reported) const;
  void migrate_events(Session& target, const Entry& entry);
  void require_settled(std::size_t from) const;
  void retry_or_keep(Entry& entry);
  void order_by_transfer();
  void route_clones();
  void encode_events();
  void encode_reported(const Reported& reported);
  void encode_automatic(const Entry& entry, std::int64_t now_ms);
  flowfile::Commit build_commit();
  std::uint32_t connection_index(flowfile::Commit& commit, FlowFileQueue* queue);
  void deliver();
  void acknowledge_sources();
  void count_statistics();
  void tell_observer() const;
  void recycle(std::size_t from);
  void return_to_queues(std::size_t from, bool penalize);

  SessionOwner& owner_;
  flowfile::UuidGenerator uuids_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<Entry>> spare_;
  std::size_t checkpointed_ = 0;  // entries of finished triggers
  std::vector<Reported> reported_;
  std::size_t reported_checkpoint_ = 0;
  std::vector<std::function<void()>> after_commit_;
  std::size_t after_checkpoint_ = 0;
  std::vector<std::pair<std::string, std::int64_t>> counted_;  // to be added at the commit
  std::size_t counted_checkpoint_ = 0;
  std::vector<Delivery> deliveries_;
  provenance::EventBatchEncoder events_;
  std::vector<WriterSlot> writers_;
  std::unique_ptr<ProvenanceReporter> reporter_;
  LastChange last_change_;
  std::uint64_t transfers_ = 0;
  std::uint64_t next_id_ = 0;
  std::uint64_t ids_left_ = 0;
  std::size_t next_source_ = 0;  // round robin over incoming connections
  bool touched_ = false;

  // Held by calls that move FlowFiles between queues and session, and by `terminate`.
  mutable std::mutex mutex_;
  std::atomic<bool> terminated_{false};
};

}  // namespace weir::runtime
