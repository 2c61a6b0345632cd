#pragma once

#include <deque>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "engine/api/process_session.h"
#include "repositories/flowfile/uuid.h"
#include "tests/processors/bench/memory_content.h"

namespace weir::bench {

// A FlowFile as it left the processor.
struct Output {
  std::map<std::string, std::string> attributes;  // with uuid
  std::string content;
  bool penalized = false;

  const std::string& attribute(const std::string& name) const;  // "" where absent
};

// What the sessions of one bench share: the incoming queue and everything committed.
struct World {
  MemoryContent contents;
  std::deque<flowfile::FlowFilePtr> queue;
  std::map<std::string, std::vector<flowfile::FlowFilePtr>> transferred;
  std::vector<std::string> events;  // committed: "FORK", "ROUTE:name", ...
  std::vector<std::string> transit_uris;
  std::vector<std::string> relationships;  // that a transfer may name
  std::map<std::string, std::int64_t> counters;
  std::uint64_t next_id = 1;
  flowfile::UuidGenerator uuids{1, 2};
  std::int64_t now_ms = 0;
  std::int64_t penalty_ms = 30'000;
  std::uint64_t created = 0;  // FlowFiles by committed sessions
  std::uint64_t removed = 0;
};

// ProcessSession over memory with the rules of the real one: a commit refuses FlowFiles that are
// neither transferred nor removed, a rollback leaves no trace.
class MemorySession : public ProcessSession, private ProvenanceReporter {
 public:
  explicit MemorySession(World& world) : world_(world) {}
  ~MemorySession() override;

  FlowFile get() override;
  std::vector<FlowFile> get(std::size_t most) override;
  std::vector<FlowFile> get(
      const std::function<FilterDecision(const flowfile::FlowFileRecord&)>& filter) override;
  std::size_t queued() const override { return world_.queue.size(); }
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
  ProvenanceReporter& provenance() override { return *this; }
  void after_commit(std::function<void()> action) override;
  void adjust_counter(std::string_view name, std::int64_t delta) override;
  void migrate(ProcessSession& to, std::span<const FlowFile> flow_files) override;
  void commit() override;
  void rollback(bool penalize = false) override;

 private:
  enum class Fate { none, transferred, to_source, removed };
  struct Entry : SessionEntry {
    MemorySession* owner = nullptr;
    flowfile::FlowFilePtr original;  // null: made by this session
    Fate fate = Fate::none;
    std::uint64_t decided = 0;  // order of transfers: queues get FlowFiles in it
    std::string relationship;
    std::string automatic_event;   // "CREATE", "FORK", ...; "" for one from the queue
    bool reported = false;         // an explicit event stands for the automatic one
    bool origin_reported = false;  // likewise of where a new FlowFile comes from
    bool content_changed = false;
    bool attributes_changed = false;
  };
  class Input;
  class Writer;

  FlowFile adopt(flowfile::FlowFilePtr record, bool from_queue, std::string event);
  FlowFile take(std::size_t index);
  Entry& entry(const FlowFile& flow_file, std::string_view what);
  flowfile::FlowFilePtr fresh(flowfile::AttributesPtr attributes, std::int64_t lineage_ms);
  template <typename Change>
  void change(Entry& entry, Change change);
  void report(const FlowFile& flow_file, std::string event, std::string_view transit_uri = {});
  void check_complete() const;
  void end();

  void receive(const FlowFile&, std::string_view, std::string_view, std::int64_t) override;
  void fetch(const FlowFile&, std::string_view, std::string_view, std::int64_t) override;
  void send(const FlowFile&, std::string_view, std::string_view, std::int64_t) override;
  void route(const FlowFile&, const Relationship&, std::string_view) override;
  void create(const FlowFile&, std::string_view) override;
  void modify_content(const FlowFile&, std::string_view, std::int64_t) override;
  void modify_attributes(const FlowFile&, std::string_view) override;
  void fork(const FlowFile&, std::span<const FlowFile>, std::string_view) override;
  void join(std::span<const FlowFile>, const FlowFile&, std::string_view) override;
  void add_info(const FlowFile&, std::string_view) override;

  World& world_;
  std::list<Entry> entries_;
  std::vector<std::string> events_;
  std::vector<std::string> transit_uris_;
  std::vector<std::function<void()>> actions_;
  std::uint64_t decisions_ = 0;
  std::map<std::string, std::int64_t> counters_;
};

}  // namespace weir::bench
