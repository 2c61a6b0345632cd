#pragma once

#include <cstdlib>
#include <random>

#include "repositories/flowfile/flow_file_repository.h"
#include "repositories/storage/checksum.h"
#include "repositories/storage/fault_file_system.h"
#include "tools/cmake/standard_test.pch.h"

namespace weir::flowfile {

inline constexpr std::int64_t kNow_ms = 1'700'000'000'000;
inline const storage::Path kDirectory = "/flowfile";

inline std::uint64_t seed_of_run() {
  const char* given = std::getenv("WEIR_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("WEIR_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

inline int loops(int least) {
  const char* given = std::getenv("WEIR_LOOPS");
  return given ? least * std::max(1, std::atoi(given)) : least;
}

struct Findings : storage::FindingReporter {
  std::vector<storage::Finding> all;
  std::mutex mutex;
  void report(const storage::Finding& finding) override {
    const std::lock_guard lock(mutex);
    all.push_back(finding);
  }
};

struct Sink : EventSink {
  struct Taken {
    std::uint64_t sequence, first_event_id;
    std::uint32_t count;
    std::vector<std::byte> events;
  };
  std::vector<Taken> taken;
  void take(std::uint64_t sequence, std::uint64_t first_event_id, std::uint32_t count,
            std::vector<std::byte> events) noexcept override {
    taken.push_back({sequence, first_event_id, count, std::move(events)});
  }
};

inline storage::Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// A content repository and a FlowFile repository on one file system.
struct Engine {
  explicit Engine(storage::FileSystem& file_system, FlowFileRepositoryConfig with = {})
      : files(file_system), config(std::move(with)) {
    config.directory = kDirectory;
    contents = content::open_file_system_content_repository(
        files,
        {.containers = {{"default", "/content"}},
         .archive_enabled = false,
         .always_sync = config.always_sync},
        [] { return kNow_ms; }, findings);
    repository = open_write_ahead_repository(
        files, config, [] { return kNow_ms; }, ++opened, findings);
    recovered = repository->recover(*contents);
    contents->recovered(recovered.unreadable_records);
  }

  content::ContentClaim write(std::string_view text) {
    const auto writer = contents->writer();
    writer->begin();
    writer->append(bytes_of(text));
    content::ContentClaim claim = writer->finish();
    config.always_sync ? writer->sync() : writer->flush();
    return claim;
  }

  boost::intrusive_ptr<FlowFileRecord> make(
      std::vector<Attributes::Entry> attributes = {{"filename", "a.txt"}},
      content::ContentClaim claim = {}) {
    boost::intrusive_ptr<FlowFileRecord> record(new FlowFileRecord());
    record->id = repository->next_id();
    record->uuid = uuids.next(kNow_ms);
    record->entry_ms = kNow_ms + static_cast<std::int64_t>(record->id);
    record->lineage_start_ms = kNow_ms;
    record->claim = std::move(claim);
    record->attributes = Attributes::make(std::move(attributes));
    return record;
  }

  FlowFilePtr create(const std::string& connection,
                     std::vector<Attributes::Entry> attributes = {{"filename", "a.txt"}},
                     content::ContentClaim claim = {}) {
    FlowFilePtr record = make(std::move(attributes), std::move(claim));
    commit(FlowFileUpdate::Kind::create, record, connection);
    return record;
  }
  void move(const FlowFilePtr& record, const std::string& connection) {
    commit(FlowFileUpdate::Kind::change, record, connection);
  }
  void drop(const FlowFilePtr& record) { commit(FlowFileUpdate::Kind::drop, record, "-"); }

  void commit(FlowFileUpdate::Kind kind, const FlowFilePtr& record, const std::string& connection,
              bool attributes = false, bool content = false) {
    Commit one;
    one.connections = {connection};
    one.updates.push_back({.kind = kind,
                           .attributes_changed = attributes,
                           .content_changed = content,
                           .record = record,
                           .connection = 0});
    const std::string event = "event of " + std::to_string(record->id);
    one.events = {bytes_of(event).begin(), bytes_of(event).end()};
    one.event_count = 1;
    repository->commit(std::move(one));
  }

  std::string text_of(const FlowFileRecord& record) {
    const auto reader = contents->read(record.claim);
    std::string text(reader->size(), '\0');
    text.resize(reader->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }

  const RecoveredQueue* queue(const std::string& connection) const {
    for (const RecoveredQueue& queue : recovered.queues) {
      if (queue.connection == connection) return &queue;
    }
    return nullptr;
  }
  std::vector<std::uint64_t> ids(const std::string& connection) const {
    std::vector<std::uint64_t> all;
    if (const RecoveredQueue* found = queue(connection)) {
      for (const FlowFilePtr& record : found->flow_files) all.push_back(record->id);
    }
    return all;
  }

  static inline std::uint64_t opened = 0;
  storage::FileSystem& files;
  FlowFileRepositoryConfig config;
  Findings findings;
  UuidGenerator uuids{opened * 77 + 1, opened * 1234567};
  std::unique_ptr<content::ContentRepository> contents;
  std::unique_ptr<FlowFileRepository> repository;
  Recovered recovered;
};

// All of a FlowFile as values, without a handle on its content: outlives the repositories.
struct Values {
  std::uint64_t id = 0;
  Uuid uuid;
  std::int64_t entry_ms = 0;
  std::int64_t lineage_start_ms = 0;
  std::int64_t penalty_until_ms = 0;
  content::ClaimLocation location;
  std::uint64_t checksum = 0;
  AttributesPtr attributes;

  explicit Values(const FlowFileRecord& record)
      : id(record.id),
        uuid(record.uuid),
        entry_ms(record.entry_ms),
        lineage_start_ms(record.lineage_start_ms),
        penalty_until_ms(record.penalty_until_ms),
        location(record.claim.location()),
        checksum(record.claim.has_checksum() ? record.claim.checksum() : 0),
        attributes(record.attributes) {}

  bool operator==(const Values& other) const {
    return id == other.id && uuid == other.uuid && entry_ms == other.entry_ms &&
           lineage_start_ms == other.lineage_start_ms &&
           penalty_until_ms == other.penalty_until_ms && location == other.location &&
           checksum == other.checksum && *attributes == *other.attributes;
  }
  friend std::ostream& operator<<(std::ostream& out, const Values& values) {
    return out << "FlowFile " << values.id << " of " << values.attributes->size()
               << " attributes and " << values.location.length << " bytes";
  }
};

}  // namespace weir::flowfile
